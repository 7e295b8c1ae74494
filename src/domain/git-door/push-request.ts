/** A push in progress, the result for one of its refs, and the output about a change request. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import { changeRequestAddress } from '../context/app-addresses.js'
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

/** Writes the event of a change request and its URL to the client's output. */
export function reportToClient({ app, space, say }: Push, what: string, number: number): void {
  say(`Change request ${number} ${what}:`)
  say(`  ${changeRequestAddress(app, space.doc.id, number)}`)
}
