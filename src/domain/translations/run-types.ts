/** Types for the input and the result of a run. */
import type { CommitId } from '../../kernel/ids.js'
import type { RunResult, TranslationDoc, TranslationProblem, TranslationProblemCode } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'

/** A run cannot continue. The message is a sentence for the users of the translation. */
export class RunFailure extends Error {
  override name = 'RunFailure'
  constructor(
    readonly code: TranslationProblemCode,
    message: string,
  ) {
    super(message)
  }
}

/** A run in progress. */
export interface Run {
  /** App whose guards check whether the user may still read and write. */
  app: App
  doc: Document<TranslationDoc>
  actor: Actor
  source: LoadedSpace
  space: LoadedSpace
  automatic: boolean
  signal: AbortSignal
}

/** The end of a run. */
export type RunEnd = { done: RunResult; seen: CommitId } | { problem: TranslationProblem; seen?: CommitId }
