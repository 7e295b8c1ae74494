/** Types of the Git HTTP server: its dependencies, its limits, and a request. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import type { ByteBudget } from '../pipeline/byte-budget.js'
import type { AuditedRequest } from '../../model/index.js'
import type { MountedRequest } from '../pipeline/mount.js'
import type { OpenWrite } from '../pipeline/options.js'
import type { GitDoorTurns, TurnTaker } from './turns.js'

/** The dependencies of the Git HTTP server besides the app. */
export interface DoorOptions {
  app: App
  /** Returns the actor of a token; null if the token is unknown or expired. */
  authenticate(token: string): Promise<Actor | null>
  /** Translates an error of a request into one that clients understand; returns other errors unchanged. */
  explain(thrown: unknown): Promise<unknown>
  /** Throws 403 if the caller may not push to the space at all. */
  permitPush(actor: Actor, space: LoadedSpace): void
  /** Opens a push: its app, and `finish`, which writes its entry in the audit log. */
  openPush(request: AuditedRequest<Actor>): { app: App } & Pick<OpenWrite<App>, 'finish'>
}

/** The shared limits of all Git clients. */
export interface DoorBounds {
  /** Slots for Git processes. */
  processes: GitDoorTurns
  /** Slots for requests that are sending their body or reading their response, and so depend on their client. */
  transfers: GitDoorTurns
  /** Memory for the wants and haves of running fetches, by user. */
  wishes: ByteBudget
  /** Disk space for incoming packs, by organization. */
  packs: ByteBudget
}

/** A request from a known caller for a space that the caller can see. */
export interface DoorCall {
  request: MountedRequest
  options: DoorOptions
  bounds: DoorBounds
  actor: Actor
  space: LoadedSpace
}

/** Returns the user and the organization that a call counts toward. */
export const takerOf = ({ actor, space }: DoorCall): TurnTaker => ({
  user: actor.user.id,
  organization: space.doc.organization,
})
