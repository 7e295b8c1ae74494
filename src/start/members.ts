/** Authenticates members who use MCP servers, and executes their writes with the API's checks and audit log. */
import { errorResponse } from '../api/pipeline/error-response.js'
import { can, denial } from '../api/service.js'
import { authenticate } from '../domain/accounts/accounts.js'
import type { Members } from '../domain/agents/members.js'
import type { Actor } from '../domain/context/actor.js'
import type { App } from '../domain/context/app.js'
import { defined } from '../kernel/defined.js'
import { ServiceError } from '../kernel/errors.js'
import { openWrite } from './open-write.js'

interface Options {
  app: App
  /** Counts a request of a token. Throws 429. */
  count(token: string): void
  /** Converts an error to one for clients. */
  explain(thrown: unknown): Promise<unknown>
}

/** Creates the access for members. */
export const membersOf = ({ app, count, explain }: Options): Members => ({
  authenticate: async (token) => {
    const actor = await authenticate(app, token, 'mcp')
    if (actor) return actor
    throw new ServiceError('unauthenticated', 'The token is unknown, expired or revoked. Create a new one.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  },
  count: (actor) => count(actor.token.id),
  write: async (actor, write, work) => {
    const { operation, permission, space, changeRequest, members, ...origin } = write
    const resources = { space, ...(changeRequest ? { changeRequest } : {}) }
    const { guard, finish } = openWrite(app, {
      actor,
      audited: {},
      operation,
      method: 'POST',
      resources,
      members,
      overruled: [],
      success: 201,
      ...origin,
    })
    const done = await (async () => {
      checkMay(actor, permission, resources)
      return work(guard(permission, resources))
    })().catch(async (thrown: unknown) => {
      const error = await explain(thrown)
      if (error !== thrown || errorResponse(error).unforeseen)
        app.log.error({ requestId: origin.requestId, operation, error: thrown }, 'A write of an MCP client has failed.')
      await finish({ status: errorResponse(error).status })
      throw error
    })
    await finish({ status: 201, ...defined({ created: done.created }) })
    return done.value
  },
})

/** Throws 403 if the role or the token does not allow the write. */
function checkMay(actor: Actor, permission: string, resources: Readonly<Record<string, unknown>>): void {
  if (!can(actor, permission, resources)) throw new ServiceError('forbidden', denial(permission, resources))
  if (actor.token.readOnly)
    throw new ServiceError('forbidden', 'This token is read-only. Use a token with write access.')
}
