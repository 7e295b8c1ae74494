/** A push under way, and where a ref of it led. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'

/** What the client wrote with `-o`. */
export interface PushOptions {
  title?: string
  description?: string
  topic?: string
}

/** A push under way. */
export interface Push {
  app: App
  actor: Actor
  space: LoadedSpace
  options: PushOptions
  /** Tells whoever pushes, line by line. */
  say(line: string): void
}

/** Where one ref of a push led. */
export interface Landed {
  /** The ref that moved. */
  became: RefName
  from: CommitId | null
  to: CommitId
}
