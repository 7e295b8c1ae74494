/** What the door of Git is given, and a request that came through it. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import type { ByteBudget } from '../pipeline/byte-budget.js'
import type { MountedRequest } from '../pipeline/mount.js'
import type { Turns } from './turns.js'

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

/** A request of a known caller for a space that they may see. */
export interface DoorCall {
  request: MountedRequest
  options: DoorOptions
  turns: Turns
  /** Bounds what all fetches under way say that they want and have. */
  wishes: ByteBudget
  actor: Actor
  space: LoadedSpace
}
