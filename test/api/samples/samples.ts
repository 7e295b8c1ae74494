import type { Sample } from '../../support/probe.js'
import type { TestService } from '../../support/service.js'

/** Maps an operationId to its special sample, if that differs from the common parameters. Null = it is not probed. */
export type SpecialSamples = Record<string, Partial<Sample> | null>

export interface SampleSet {
  /** Maps a path parameter to the ID of an existing resource. */
  parameters: Record<string, string>
  special: SpecialSamples
}

/**
 * Creates the resources of one area. `parameters` come from earlier areas. A special sample that names parameters
 * names all of them.
 */
export type Samples = (here: TestService, parameters: Readonly<Record<string, string>>) => Promise<SampleSet>
