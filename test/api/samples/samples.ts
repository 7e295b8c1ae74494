import type { Sample } from '../../support/probe.js'
import type { TestService } from '../../support/service.js'

/** operationId → what it is called with, if that differs from the common parameters; null = it is not probed. */
export type SpecialSamples = Record<string, Partial<Sample> | null>

export interface SampleSet {
  /** Path parameter → ID of a resource that is there. */
  parameters: Record<string, string>
  special: SpecialSamples
}

/** Makes the resources of one area. `parameters` are those that the areas before it made; a special sample that names parameters names all of them. */
export type Samples = (here: TestService, parameters: Readonly<Record<string, string>>) => Promise<SampleSet>
