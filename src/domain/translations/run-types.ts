/** What a run works with, and how it ends. */
import type { CommitId } from '../../kernel/ids.js'
import type { RunResult, TranslationDoc, TranslationProblem } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'

/** A run under way. */
export interface Run {
  /** Its guards ask whether the person may still read and write. */
  app: App
  doc: Document<TranslationDoc>
  actor: Actor
  source: LoadedSpace
  space: LoadedSpace
  automatic: boolean
  signal: AbortSignal
}

/** How a run ended. */
export type RunEnd = { done: RunResult; seen: CommitId } | { problem: TranslationProblem; seen?: CommitId }
