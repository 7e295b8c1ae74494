import { badRequest } from '../../kernel/errors.js'
import { newTimedId } from '../../kernel/ids.js'
import { decodeCursor, encodeCursor, type Page, type PageQuery, type SortKey } from '../../kernel/paging.js'
import { type AuditDoc, type AuditedRequest, type AuditOutcome, auditLog, failedEntries, memberships } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { newestFirst } from './newest-first.js'

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
async function organizationsOf(app: App, { resources, audited, actor }: AuditedRequest<Actor>, user: string): Promise<string[]> {
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
export async function recordRequest(app: App, request: AuditedRequest<Actor>): Promise<void> {
  const { actor, audited, operation, method, created, status, address, requestId } = request
  const user = actor?.user.id ?? audited.user
  const token = actor?.token.id ?? audited.token
  if (user === undefined) return
  const organizations = await organizationsOf(app, request, user)
  if (organizations.length === 0) return
  const now = app.clock.now()
  await app.store.transact(async (tx) => {
    for (const organization of organizations) {
      const group = status < 400 ? organization : failedEntries(organization)
      await tx.append(auditLog, group, () => ({
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
      }))
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

/** Entries that one request looks at, at most: a filter that seldom fits goes on with the next page. */
export const MOST_LOOKED_AT = 10_000

/**
 * Entries of an organization's audit log, newest first. With a filter, `count` is exact where no more than `MOST_LOOKED_AT`
 * entries had to be looked at; else it is how many fitted of the newest so many, and a page may be short and still have a next.
 */
export async function listAuditLog(app: App, { doc }: LoadedOrganization, filter: AuditFilter, query: PageQuery): Promise<Page<AuditDoc>> {
  const after = query.page === undefined ? ['', ''] : placesOf(query.page)
  const groups = groupsOf(doc.id, filter.outcome)
  const { from, to, ...rest } = filter
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const asked = { from: isoOf(from), to: isoOf(to), ...(isFiltered ? { matches: (entry: AuditDoc) => fits(entry, rest) } : {}) }
  const look = (behind: readonly string[], limit: number) =>
    newestFirst(
      app.store,
      groups.map(({ name, place }) => ({ name, after: behind[place] === '' ? undefined : Number(behind[place]), place })),
      { ...asked, limit, ...(isFiltered ? { most: MOST_LOOKED_AT } : {}) },
    )
  const page = await look(after, query.limit)
  const next = page.isOver ? {} : { next: { page: encodeCursor(placesAfter(after, page.places)) } }
  return { items: page.entries, count: await countOf(), ...(query.limit > 0 ? next : {}) }

  async function countOf(): Promise<number> {
    if (isFiltered) return (await look(['', ''], Number.POSITIVE_INFINITY)).entries.length
    const sizes = await Promise.all(groups.map(({ name }) => app.store.extent(auditLog, name)))
    return sizes.reduce((sum, { count }) => sum + count, 0)
  }
}

const isoOf = (time: string | undefined): string | undefined => (time === undefined ? undefined : new Date(time).toISOString())

/** Succeeded requests, and the others: where an entry of an outcome may be. */
const groupsOf = (organization: string, outcome: AuditOutcome | undefined): { name: string; place: 0 | 1 }[] => [
  ...(outcome === undefined || outcome === 'succeeded' ? [{ name: organization, place: 0 as const }] : []),
  ...(outcome !== 'succeeded' ? [{ name: failedEntries(organization), place: 1 as const }] : []),
]

/** The last positions shown in both groups; '' = none yet. Throws 400. */
function placesOf(cursor: string): string[] {
  const places = decodeCursor(cursor).map(String)
  if (places.every((place) => /^\d{0,15}$/.test(place))) return places
  throw badRequest('page is not a cursor of this list.', [{ path: 'query/page', message: 'use the value of next.page, or leave it out' }])
}

const placesAfter = (before: readonly string[], now: ReadonlyMap<number, number>): SortKey => [String(now.get(0) ?? before[0]), String(now.get(1) ?? before[1])]

const fits = (entry: AuditDoc, { actor, operation, outcome, space, resource }: Omit<AuditFilter, 'from' | 'to'>): boolean =>
  (actor === undefined || entry.user === actor) &&
  (operation === undefined || entry.operation === operation) &&
  (outcome === undefined || outcomeOf(entry) === outcome) &&
  (space === undefined || entry.resources.space === space) &&
  (resource === undefined || Object.values(entry.resources).includes(resource))
