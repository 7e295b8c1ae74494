// Writes commands of operators to the audit log, and lists the log. `request-entry.ts` writes requests.
import { newId, newTimedId } from '../../kernel/ids.js'
import { decodeCursor, encodeCursor, type Page, type PageQuery, type SortKey } from '../../kernel/paging.js'
import { type AuditDoc, type AuditOutcome, auditLog, failedEntries } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { invalidCursor, MAX_SCANNED, normalizedTime } from './event-stream.js'
import { newestFirst } from './newest-first.js'
import { defined } from '../../kernel/defined.js'

/** A command of an operator that changes something. */
export interface OperatorEntry {
  /** The command, with a hyphen instead of a space: `space-delete`. */
  operation: string
  /** IDs of the resources that it changes, by kind. */
  resources: Readonly<Record<string, string>>
  /** Path of the created resource. */
  created?: string | undefined
  /** Names of the given parameters. */
  members: readonly string[]
  /** The HTTP status that a request with the same result has. */
  status: number
}

/** Returns the entry of an operator's command in the log of an organization. */
export const operatorEntry = (organization: string, entry: OperatorEntry, now: Date): AuditDoc => ({
  id: newTimedId(now),
  organization,
  at: now.toISOString(),
  user: 'operator',
  operation: entry.operation,
  method: 'COMMAND',
  resources: { ...entry.resources },
  ...defined({ created: entry.created }),
  members: [...entry.members],
  status: entry.status,
  address: 'command line',
  requestId: newId(),
})

/** Number of entries that are written in one transaction. */
const ENTRIES_AT_ONCE = 200

/** Writes a command of an operator to the logs of the organizations that it concerns. */
export async function recordCommand(app: App, organizations: Iterable<string>, entry: OperatorEntry): Promise<void> {
  const all = [...new Set(organizations)]
  for (let from = 0; from < all.length; from += ENTRIES_AT_ONCE)
    await app.store.transact(async (tx) => {
      for (const organization of all.slice(from, from + ENTRIES_AT_ONCE)) {
        const group = entry.status < 400 ? organization : failedEntries(organization)
        await tx.append(auditLog, group, () => operatorEntry(organization, entry, app.clock.now()))
      }
    })
}

export const outcomeOf = ({ status }: AuditDoc): AuditOutcome =>
  status < 400 ? 'succeeded' : status === 401 || status === 403 ? 'refused' : 'failed'

interface AuditFilter {
  /** ID of a user. */
  actor?: string
  operation?: string
  outcome?: AuditOutcome
  space?: string
  /** ID of any resource in the path. */
  resource?: string
  /** ISO times, both inclusive. */
  from?: string
  to?: string
}

/**
 * Lists a page of an organization's audit log, newest first. With a filter, one request reads at most `MAX_SCANNED`
 * entries. If that is not enough, `count` covers only the newest `MAX_SCANNED` entries, and a short page may still have
 * a next one.
 */
export async function listAuditLog(
  app: App,
  { doc }: LoadedOrganization,
  filter: AuditFilter,
  query: PageQuery,
): Promise<Page<AuditDoc>> {
  const after = query.page === undefined ? ['', ''] : positionsIn(query.page)
  const groups = groupsOf(doc.id, filter.outcome)
  const { from, to, ...rest } = filter
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const asked = {
    from: normalizedTime(from),
    to: normalizedTime(to),
    ...(isFiltered ? { matches: (entry: AuditDoc) => matches(entry, rest) } : {}),
  }
  const read = (after: readonly string[], limit: number) =>
    newestFirst(
      app.store,
      groups.map(({ name, index }) => ({ name, after: after[index] === '' ? undefined : Number(after[index]), index })),
      { ...asked, limit, ...(isFiltered ? { most: MAX_SCANNED } : {}) },
    )
  const page = await read(after, query.limit)
  const next = page.isOver ? {} : { next: { page: encodeCursor(positionsAfter(after, page.positions)) } }
  return { items: page.entries, count: await count(), ...(query.limit > 0 ? next : {}) }

  async function count(): Promise<number> {
    if (isFiltered) return (await read(['', ''], Number.POSITIVE_INFINITY)).entries.length
    const sizes = await Promise.all(groups.map(({ name }) => app.store.extent(auditLog, name)))
    return sizes.reduce((sum, { count }) => sum + count, 0)
  }
}

/**
 * Returns the journal groups with entries of an outcome. Successes and failures are in separate groups. `index` is the
 * group's position in a cursor.
 */
const groupsOf = (organization: string, outcome: AuditOutcome | undefined): { name: string; index: 0 | 1 }[] => [
  ...(outcome === undefined || outcome === 'succeeded' ? [{ name: organization, index: 0 as const }] : []),
  ...(outcome !== 'succeeded' ? [{ name: failedEntries(organization), index: 1 as const }] : []),
]

/** Parses a cursor: the last returned positions of both groups; '' = none yet. Throws 400. */
function positionsIn(cursor: string): string[] {
  const positions = decodeCursor(cursor).map(String)
  if (positions.every((position) => /^\d{0,15}$/.test(position))) return positions
  throw invalidCursor()
}

const positionsAfter = (before: readonly string[], now: ReadonlyMap<number, number>): SortKey => [
  String(now.get(0) ?? before[0]),
  String(now.get(1) ?? before[1]),
]

const matches = (
  entry: AuditDoc,
  { actor, operation, outcome, space, resource }: Omit<AuditFilter, 'from' | 'to'>,
): boolean =>
  (actor === undefined || entry.user === actor) &&
  (operation === undefined || entry.operation === operation) &&
  (outcome === undefined || outcomeOf(entry) === outcome) &&
  (space === undefined || entry.resources.space === space) &&
  (resource === undefined || Object.values(entry.resources).includes(resource))
