import { newTimedId, timedIdsFrom } from '../kernel/ids.js'
import { type Page, type PageQuery, pageOf, paginate } from '../kernel/paging.js'
import { type AuditDoc, type AuditOutcome, auditLog, memberships } from '../model/index.js'
import type { Document } from '../store/index.js'
import type { Actor, App, LoadedOrganization } from './app.js'

/** A request that was to change something, as it was answered. */
export interface AuditedRequest {
  actor: Actor
  operation: string
  method: string
  /** What the path named and was found, by name. */
  resources: Readonly<Record<string, unknown>>
  /** Path of what was made. */
  created?: string
  /** Names of the members of a valid body. */
  members: readonly string[]
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

function idsOf(resources: Readonly<Record<string, unknown>>): Record<string, string> {
  const ids = Object.entries(resources).flatMap(([name, value]) => {
    const id = typeof value === 'string' ? value : documentOf(value).id
    return typeof id === 'string' ? [[name, id.slice(0, LONGEST_ID)] as const] : []
  })
  return Object.fromEntries(ids)
}

const MADE_ORGANIZATION = /^\/v1\/orgs\/([^/]+)$/

/**
 * Whose log it belongs into: the organization of what the path names, or that was made. What is about nobody's resources
 * (a token of one's own) is of interest to every organization that its user is in.
 */
async function organizationsOf(app: App, { resources, created, actor }: AuditedRequest): Promise<string[]> {
  const own = documentOf(resources.organization).id
  if (typeof own === 'string') return [own]
  for (const value of Object.values(resources)) {
    const { organization } = documentOf(value)
    if (typeof organization === 'string') return [organization]
  }
  const [, made] = MADE_ORGANIZATION.exec(created ?? '') ?? []
  if (made !== undefined) return [made]
  const limit = actor.token.organization
  const mine = await app.store.find(memberships, 'user', actor.user.id)
  return mine.map(({ organization }) => organization).filter((organization) => limit === undefined || organization === limit)
}

/** Writes a request into the audit log; durable when it resolves. */
export async function recordRequest(app: App, request: AuditedRequest): Promise<void> {
  const organizations = await organizationsOf(app, request)
  if (organizations.length === 0) return
  const now = app.clock.now()
  const { actor, operation, method, created, status, address, requestId } = request
  await app.store.transact(async (tx) => {
    for (const organization of organizations) {
      await tx.insert(auditLog, {
        id: newTimedId(now),
        organization,
        at: now.toISOString(),
        user: actor.user.id,
        token: actor.token.id,
        operation,
        method,
        resources: idsOf(request.resources),
        ...(created === undefined ? {} : { created }),
        members: request.members.slice(0, MOST_MEMBERS).map((name) => name.slice(0, LONGEST_ID)),
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
