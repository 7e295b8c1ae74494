/** What the door of Git is given, and a request that came through it. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import type { ByteBudget } from '../pipeline/byte-budget.js'
import type { MountedRequest } from '../pipeline/mount.js'
import type { GitDoorTurns, TurnTaker } from './turns.js'

/** What the door needs beside the app. */
export interface DoorOptions {
  app: App
  /** The actor behind a token; null if it is unknown or expired. */
  authenticate(token: string): Promise<Actor | null>
  /** Translates what a request threw into an error that clients understand; returns everything else as it is. */
  explain(thrown: unknown): Promise<unknown>
  /** Throws 403 if the caller may not push to a space at all. */
  permitPush(actor: Actor, space: LoadedSpace): void
  /** The app of one request that changes something. */
  guard(actor: Actor, space: LoadedSpace): { app: App; overruled: readonly string[] }
}

/** Bounds what all clients of the door take together. */
export interface DoorBounds {
  /** Git processes that work for clients. */
  processes: GitDoorTurns
  /** Requests whose bodies arrive, or whose responses are taken: they wait for their client. */
  transfers: GitDoorTurns
  /** Memory for what the fetches under way want and have, by user. */
  wishes: ByteBudget
  /** Disk space for packs that arrive, by organization. */
  packs: ByteBudget
}

/** A request of a known caller for a space that they may see. */
export interface DoorCall {
  request: MountedRequest
  options: DoorOptions
  bounds: DoorBounds
  actor: Actor
  space: LoadedSpace
}

/** The user and the organization that take the turns of a call. */
export const takerOf = ({ actor, space }: DoorCall): TurnTaker => ({
  user: actor.user.id,
  organization: space.doc.organization,
})
