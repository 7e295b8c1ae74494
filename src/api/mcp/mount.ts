/** Serves the MCP server for writers at `/~mcp` of the API's origin. It covers all spaces that they may see. */
import { bearer } from '../../auth/index.js'
import type { Members } from '../../domain/agents/members.js'
import type { App } from '../../domain/context/app.js'
import { ServiceError } from '../../kernel/errors.js'
import { answerMcp, MAX_MCP_BODY, mcpError, messagesIn } from '../../mcp/index.js'
import type { Mount, MountedRequest, MountedResponse } from '../pipeline/mount.js'
import { WRITER_TOOLS } from './tools.js'
import { writerOf } from './writer.js'

const PATH = '/~mcp'
const INSTRUCTIONS =
  'This server reads and edits documentation spaces. Find pages with `search`, list spaces and pages with `list`, read the source of a page with `read`. ' +
  '`propose` creates a draft change request with edits; nothing is published before members merge it. `comment` and `status` continue it. ' +
  'Results name the space, page and commit.'

interface Options {
  app: App
  members: Members
  /** Origins whose scripts may call the API; `*` = all. */
  corsOrigins: readonly string[]
  /** Converts an error to one for clients. */
  explain(thrown: unknown): Promise<unknown>
}

/** Creates the mount of the writers' server. */
export const mcpMount = (options: Options): Mount => ({
  prefix: PATH,
  serve: async (request) => {
    request.operation('mcp')
    try {
      return await respond(options, request)
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) return mcpError(error)
      throw error
    }
  },
})

async function respond(options: Options, request: MountedRequest): Promise<MountedResponse> {
  const { app, members } = options
  const { method, headers, id, ip } = request
  if (request.path !== PATH) throw new ServiceError('not-found', `The MCP server is at ${PATH}.`)
  checkOrigin(options, headers.origin)
  const token = bearer(headers.authorization)
  if (token === null)
    throw new ServiceError(
      'unauthenticated',
      'Send the token of a member with the scope `mcp` as “Authorization: Bearer <token>”.',
      { headers: { 'WWW-Authenticate': 'Bearer' } },
    )
  const actor = await members.authenticate(token)
  request.caller(actor.token.id)
  const body = method === 'POST' ? await request.json(MAX_MCP_BODY) : null
  for (let n = 1; n < messagesIn(body); n++) request.caller(actor.token.id)
  const userAgent = headers['user-agent']
  const origin = { address: ip, requestId: id, ...(userAgent === undefined ? {} : { userAgent }) }
  const server = {
    name: 'bindery',
    title: 'Bindery',
    version: app.settings.version,
    instructions: INSTRUCTIONS,
    tools: WRITER_TOOLS,
    failed: (error: unknown, tool: string) => failed(options, error, tool, id),
  }
  const header = (name: string): string => String(headers[name.toLowerCase()] ?? '')
  return answerMcp(server, { ...writerOf(app, actor), members, origin }, { method, header, body })
}

/** Throws 403 for scripts of other origins, as the specification requires. */
function checkOrigin({ app, corsOrigins }: Options, origin: string | undefined): void {
  const isOwn = origin === undefined || origin === new URL(app.settings.publicUrl).origin
  if (isOwn || corsOrigins.includes('*') || corsOrigins.includes(origin)) return
  throw new ServiceError(
    'forbidden',
    'Scripts of this origin cannot call the server. An operator can add the origin to BINDERY_CORS_ORIGINS.',
  )
}

/** Returns the message for a tool error, and logs errors that are for the operator. */
async function failed({ app, explain }: Options, error: unknown, tool: string, requestId: string): Promise<string> {
  const explained = await explain(error)
  if (explained instanceof ServiceError && explained === error) return explained.message
  app.log.error({ requestId, tool, error }, 'A tool of the MCP server has failed.')
  return explained instanceof ServiceError
    ? explained.message
    : `The service failed unexpectedly. Its operator finds the cause in the log under ${requestId}.`
}
