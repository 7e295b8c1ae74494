/** Handles requests of MCP clients to a site. The visitor gate has already admitted the reader. */
import type { CallOrigin, MemberCall, Members } from '../../domain/agents/members.js'
import { memberTools } from '../../domain/agents/member-tools.js'
import { findChangeRequest } from '../../domain/change-requests/change-requests.js'
import type { Actor } from '../../domain/context/actor.js'
import { findSpace } from '../../domain/roles/access.js'
import { servedAt } from '../../domain/sites/addresses.js'
import { shownSiteSpaces } from '../../domain/sites/view.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import { answerMcp, MAX_MCP_BODY, mcpError, messagesIn, type McpResponse, type Tool } from '../../mcp/index.js'
import { changeRequests } from '../../model/index.js'
import { memberTokenOf } from '../access.js'
import type { SiteRequest, SiteResponse } from '../exchange.js'
import { servesAgents } from '../markdown-output.js'
import type { Visit } from '../visit.js'
import { memberOf, type SiteCall } from './call.js'
import { findPage } from './find-page.js'
import { changesTool, listTool } from './list-tools.js'
import { readTool, searchTool } from './read-tools.js'

export const MCP = '/~mcp'

/** The dependencies of the MCP server of a site. */
export interface SiteMcp {
  version: string
  members: Members
  /** Other origins whose scripts may call the server. */
  origins: readonly string[]
  /** The request, for the audit log. */
  origin: CallOrigin
  /** Counts one more message of the request. Throws 429. */
  count(): void
  /** Returns the message for an unexpected error of a tool, and logs it. */
  failed(error: unknown, tool: string): Promise<string>
}

const READ_TOOLS: readonly Tool<SiteCall>[] = [searchTool, readTool, listTool, changesTool]
const ALL_TOOLS: readonly Tool<SiteCall>[] = [...READ_TOOLS, ...memberTools<SiteCall>(false, memberOf)]

const INSTRUCTIONS =
  'This server reads a documentation site. Find pages with `search`, read them with `read`, see what exists with `list` and what has changed with `changes`. ' +
  'Results name the ID and address of each page, and the commit that was read. Cite addresses.'
const MEMBER_INSTRUCTIONS =
  ' `propose` creates a draft change request with edits of pages; `comment` and `status` continue it. To edit a page, read it with `source: true` first if it has variables or includes.'

/** Makes the response for a request. Null if the MCP server of the site is disabled, so that its address is a 404. */
export async function mcpOutput(visit: Visit, request: SiteRequest, mcp: SiteMcp): Promise<SiteResponse | null> {
  if (visit.preview || !servesAgents(visit) || (await visit.look()).pageActions.mcp === false) return null
  try {
    const headers = checkOrigin(visit, request, mcp.origins)
    const member = await memberFor(visit, request, mcp)
    const server = {
      name: 'bindery-site',
      title: visit.visitor.site.doc.title,
      version: mcp.version,
      instructions: INSTRUCTIONS + (member ? MEMBER_INSTRUCTIONS : ''),
      tools: member ? ALL_TOOLS : READ_TOOLS,
      failed: mcp.failed,
    }
    const { method } = request
    const header = (name: string): string => request.header(name)
    const body = method === 'POST' ? await request.json(MAX_MCP_BODY) : null
    for (let n = 1; n < messagesIn(body); n++) {
      mcp.count()
      if (member) mcp.members.count(member.actor)
    }
    const response = await answerMcp(server, { visit, member }, { method, header, body })
    return sent({ ...response, headers: { ...response.headers, ...headers } })
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return sent(mcpError(error))
    throw error
  }
}

/** The response to a client whose reader has to sign in first. */
export const signInFirst = (): SiteResponse =>
  sent(
    mcpError(
      new ServiceError(
        'unauthenticated',
        'This site requires its visitors to sign in. Send the visitor’s token as “Authorization: Bearer <token>”.',
        { headers: { 'WWW-Authenticate': 'Bearer' } },
      ),
    ),
  )

const sent = ({
  status,
  headers: { 'Content-Type': type = 'application/json', ...headers },
  body,
}: McpResponse): SiteResponse => ({
  status,
  type,
  body,
  audience: 'no one',
  headers,
})

/**
 * Returns the CORS headers. Throws 403 for scripts of other origins, as the specification requires: a page
 * elsewhere could otherwise read a site that only its reader's network can reach.
 */
function checkOrigin({ address, visitor }: Visit, request: SiteRequest, origins: readonly string[]) {
  const origin = request.header('Origin')
  if (origin === '' || origin === new URL(address).origin || origin === new URL(servedAt(visitor.view.address)).origin)
    return {}
  if (origins.includes(origin)) return corsHeaders(origin)
  throw new ServiceError(
    'forbidden',
    'Scripts of this origin cannot call the server. An operator can add the origin to BINDERY_CORS_ORIGINS.',
  )
}

export const corsHeaders = (origin: string) => ({ 'Access-Control-Allow-Origin': origin })

/** Returns the member whose token the request contains; null = none. Throws 401, 403, 429. */
async function memberFor(visit: Visit, request: SiteRequest, mcp: SiteMcp): Promise<MemberCall | null> {
  const token = memberTokenOf(request)
  if (token === null) return null
  const { app } = visit
  const { members, origin } = mcp
  const actor = await members.authenticate(token)
  members.count(actor)
  return {
    app,
    actor,
    members,
    origin,
    findPage: async (name, space) => {
      const { page } = await findPage(visit, name, space)
      const found = await findSpace(app, actor, page.siteSpace.space.doc.id)
      if (!found) throw notFound('The space of this page')
      return { space: found, entry: page.entry, address: visit.address + page.path }
    },
    findChangeRequest: (id) => changeRequestFor(visit, actor, id),
  }
}

/** Finds a change request of a space that the reader may see on the site. Throws 404. */
async function changeRequestFor(visit: Visit, actor: Actor, id: string) {
  const { app, visitor } = visit
  const doc = await app.store.get(changeRequests, id)
  const isShown = doc && shownSiteSpaces(visitor.view).some(({ entry }) => entry.space === doc.space)
  const space = isShown ? await findSpace(app, actor, doc.space) : null
  const changeRequest = space && doc && (await findChangeRequest(app, space, doc.id))
  if (!space || !changeRequest) throw notFound('The change request')
  return { space, changeRequest }
}
