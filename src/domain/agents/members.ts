/** The members who use MCP servers, and the resources that they name in their calls. */
import type { PageEntry } from '../../content/types.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'

/** A write of a member, for the permission check and the audit log. */
export interface MemberWrite {
  /** The name in the audit log. */
  operation: 'mcpPropose' | 'mcpComment'
  permission: 'space:edit' | 'space:comment'
  space: LoadedSpace
  changeRequest?: LoadedChangeRequest
  /** The names of the arguments. */
  members: readonly string[]
}

/** The request of a write, for the audit log. */
export interface CallOrigin {
  address: string
  userAgent?: string
  requestId: string
}

/** Authenticates members, and executes their writes as the API does. */
export interface Members {
  /** Returns the member. Throws 401 for an unknown token, 403 for one without the scope `mcp`. */
  authenticate(token: string): Promise<Actor>
  /** Counts a request of a token. Throws 429. */
  count(actor: Actor): void
  /**
   * Runs a write with an app that checks the permission again, and writes it to the audit log. Throws 403.
   * `created` is the path of the created resource.
   */
  write<T>(
    actor: Actor,
    write: MemberWrite & CallOrigin,
    work: (app: App) => Promise<{ value: T; created?: string }>,
  ): Promise<T>
}

/** A page that a member names. */
export interface NamedPage {
  space: LoadedSpace
  entry: PageEntry
  /** The address of the page for the member. */
  address: string
}

/** A member who calls a tool. */
export interface MemberCall {
  app: App
  actor: Actor
  members: Members
  origin: CallOrigin
  /** Finds a page that they may see. Throws 400 for a name with several meanings, 404. */
  findPage(name: string, space: string | undefined): Promise<NamedPage>
  /** Finds a change request that they may see, by ID. Throws 404. */
  findChangeRequest(id: string): Promise<{ space: LoadedSpace; changeRequest: LoadedChangeRequest }>
}
