import { newTimedId, timedIdsFrom } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf, paginate } from '../../kernel/paging.js'
import { type AuditDoc, type AuditOutcome, auditLog, memberships } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor, App, LoadedOrganization } from '../app.js'

/** A request that was to change something, as it was answered. */
export interface AuditedRequest {
  /** Null where nobody was known before the answer: then `audited` says who it was. */
  actor: Actor | null
  audited: { user?: string; token?: string; organization?: string }
  operation: string
  method: string
  /** What the path named and was found, by name. */
  resources: Readonly<Record<string, unknown>>
  /** Path of what was made. */
  created?: string
  /** Names of the members of a valid body. */
  members: readonly string[]
  /** Rules that an admin went past. */
  overruled: readonly string[]
  status: number
  address: string
  userAgent?: string
  requestId: string
}

const LONGEST_ID = 256
const LONGEST_USER_AGENT = 200
const MOST_MEMBERS = 50

interface Resource {
  id?: unknown
  organization?: unknown
}
/** Loaded resources carry their document; some are the document. */
const documentOf = (value: unknown): Resource => ((value as { doc?: Resource } | null)?.doc ?? value ?? {}) as Resource

/** A member is known by his user. */
const idOf = (value: unknown): unknown => (typeof value === 'string' ? value : ((value as { user?: Resource } | null)?.user?.id ?? documentOf(value).id))

function idsOf(resources: Readonly<Record<string, unknown>>): Record<string, string> {
  const ids = Object.entries(resources).flatMap(([name, value]) => {
    const id = idOf(value)
    return typeof id === 'string' ? [[name, id.slice(0, LONGEST_ID)] as const] : []
  })
  return Object.fromEntries(ids)
}

/**
 * Whose log it belongs into: the organization that the answer says, or of what the path names. What is about no
 * organization's resources (a token of one's own, signing in) is of interest to every organization that its user is in.
 */
async function organizationsOf(app: App, { resources, audited, actor }: AuditedRequest, user: string): Promise<string[]> {
  if (audited.organization !== undefined) return [audited.organization]
  const own = documentOf(resources.organization).id
  if (typeof own === 'string') return [own]
  for (const value of Object.values(resources)) {
    const { organization } = documentOf(value)
    if (typeof organization === 'string') return [organization]
  }
  const limit = actor?.token.organization
  const mine = await app.store.find(memberships, 'user', user)
  return mine.map(({ organization }) => organization).filter((organization) => limit === undefined || organization === limit)
}

/** Writes a request into the audit log; durable when it resolves. */
export async function recordRequest(app: App, request: AuditedRequest): Promise<void> {
  const { actor, audited, operation, method, created, status, address, requestId } = request
  const user = actor?.user.id ?? audited.user
  const token = actor?.token.id ?? audited.token
  if (user === undefined) return
  const organizations = await organizationsOf(app, request, user)
  if (organizations.length === 0) return
  const now = app.clock.now()
  await app.store.transact(async (tx) => {
    for (const organization of organizations) {
      await tx.insert(auditLog, {
        id: newTimedId(now),
        organization,
        at: now.toISOString(),
        user,
        ...(token === undefined ? {} : { token }),
        operation,
        method,
        resources: idsOf(request.resources),
        ...(created === undefined ? {} : { created }),
        members: request.members.slice(0, MOST_MEMBERS).map((name) => name.slice(0, LONGEST_ID)),
        ...(request.overruled.length === 0 ? {} : { overruled: [...request.overruled] }),
        status,
        address,
        ...(request.userAgent === undefined ? {} : { userAgent: request.userAgent.slice(0, LONGEST_USER_AGENT) }),
        requestId,
      })
    }
  })
}

export const outcomeOf = ({ status }: AuditDoc): AuditOutcome => (status < 400 ? 'succeeded' : status === 401 || status === 403 ? 'refused' : 'failed')

export interface AuditFilter {
  /** ID of a user. */
  actor?: string
  operation?: string
  outcome?: AuditOutcome
  space?: string
  /** ID of any resource of the path. */
  resource?: string
  /** ISO times, both included. */
  from?: string
  to?: string
}

/** Sorts behind every ID. */
const BEHIND_IDS = '~'
const CHUNK = 1000

/** Entries of an organization's audit log, newest first. */
export async function listAuditLog(app: App, organization: LoadedOrganization, filter: AuditFilter, query: PageQuery): Promise<Page<Document<AuditDoc>>> {
  const { id } = organization.doc
  if (Object.values(filter).every((value) => value === undefined)) return pageOf(app.store, auditLog, 'time', id, query, 'desc')
  return paginate(await matching(app, id, filter), query, (entry) => [entry.id, entry.id], 'desc')
}

async function matching(app: App, organization: string, filter: AuditFilter): Promise<Document<AuditDoc>[]> {
  const first = filter.from === undefined ? '' : timedIdsFrom(Date.parse(filter.from))
  const found: Document<AuditDoc>[] = []
  let after = filter.to === undefined ? BEHIND_IDS : timedIdsFrom(Date.parse(filter.to) + 1)
  for (;;) {
    const { documents, more } = await app.store.page(auditLog, 'time', organization, { after: [after, ''], limit: CHUNK, direction: 'desc' })
    for (const entry of documents) {
      if (entry.id < first) return found
      if (fits(entry, filter)) found.push(entry)
    }
    const last = documents.at(-1)
    if (!more || !last) return found
    after = last.id
  }
}

const fits = (entry: AuditDoc, { actor, operation, outcome, space, resource }: AuditFilter): boolean =>
  (actor === undefined || entry.user === actor) &&
  (operation === undefined || entry.operation === operation) &&
  (outcome === undefined || outcomeOf(entry) === outcome) &&
  (space === undefined || entry.resources.space === space) &&
  (resource === undefined || Object.values(entry.resources).includes(resource))
