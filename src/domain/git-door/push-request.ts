/** A push in progress, and the result for one of its refs. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'

/** The push options of the client (`-o`). */
export interface PushOptions {
  title?: string
  description?: string
  topic?: string
}

/** A push in progress. */
export interface Push {
  app: App
  actor: Actor
  space: LoadedSpace
  options: PushOptions
  /** Sends a line of output to the client. */
  say(line: string): void
}

/** The result of pushing one ref. */
export interface Landed {
  /** The ref that moved. */
  became: RefName
  from: CommitId | null
  to: CommitId
}
