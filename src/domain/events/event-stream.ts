/** Lists and finds the events of an organization. */
import { badRequest, type ServiceError } from '../../kernel/errors.js'
import { numberInId } from '../../kernel/ids.js'
import { decodeCursor, encodeCursor, type Page, type PageQuery } from '../../kernel/paging.js'
import { type EventDoc, type EventType, events } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { defined } from '../../kernel/defined.js'

/** Filters for a list of events. */
interface EventFilter {
  type?: readonly EventType[]
  space?: string
  /** Only events with a greater sequence. */
  after?: number
  /** Only events at or after this time. */
  since?: string
}

/**
 * Maximum number of journal records that one filtered request reads. A filter with few matches continues on the next
 * page.
 */
export const MAX_SCANNED = 10_000

/** Converts a time from a client to the form in which times are stored and compared. */
export const normalizedTime = (time: string | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString()

/** Whether an event has one of these types and belongs to one of these spaces. Absent = any. */
export const isAbout = (
  event: EventDoc,
  { types, spaces }: { types?: readonly EventType[] | undefined; spaces?: readonly string[] | undefined },
): boolean =>
  (types === undefined || types.includes(event.type)) &&
  (spaces === undefined || (event.subject.space !== undefined && spaces.includes(event.subject.space)))

/**
 * Lists a page of the stored events of an organization. With a filter for types, space or time, one request reads at
 * most `MAX_SCANNED` events. If that is not enough, `count` covers only the newest `MAX_SCANNED` events, and a short
 * page may still have a next one.
 */
export async function listEvents(
  app: App,
  { doc: { id } }: LoadedOrganization,
  { type, space, after = 0, since }: EventFilter,
  query: PageQuery,
  order: 'asc' | 'desc',
): Promise<Page<EventDoc>> {
  const cursor = query.page === undefined ? undefined : sequenceOf(query.page)
  const extent = await app.store.extent(events, id)
  /** The greatest sequence that is excluded or no longer stored. */
  const floor = Math.max(after, extent.next - extent.count - 1)
  const isFiltered = type !== undefined || space !== undefined || since !== undefined
  const from = normalizedTime(since)
  const fits = (event: EventDoc): boolean =>
    event.sequence > floor && isAbout(event, { types: type, spaces: space === undefined ? undefined : [space] })

  const read = (direction: 'asc' | 'desc', start: number, limit: number, matches: (event: EventDoc) => boolean) => {
    const most = isFiltered ? MAX_SCANNED : Number.POSITIVE_INFINITY
    // In descending order, stop at the floor.
    const left = direction === 'desc' ? Math.max(0, start - 1 - floor) : Number.POSITIVE_INFINITY
    return app.store.read(events, id, { direction, after: start, limit, most: Math.min(most, left), from, matches })
  }
  const start = order === 'asc' ? Math.max(cursor ?? 0, floor) : Math.min(cursor ?? extent.next, extent.next)
  const { records, next } = await read(order, start, query.limit, fits)
  const isOver = next === null || (order === 'desc' && next <= floor + 1)
  const items = records.map(({ record }) => record)
  return {
    items,
    count: await count(),
    ...(isOver || query.limit === 0 ? {} : { next: { page: encodeCursor([next, records.at(-1)?.record.id ?? '']) } }),
  }

  async function count(): Promise<number> {
    if (!isFiltered) return Math.max(0, extent.next - 1 - floor)
    let matching = 0
    await read('desc', extent.next, 1, (event) => {
      if (fits(event)) matching++
      return false
    })
    return matching
  }
}

/** Returns the sequence after which a page starts. Throws 400. */
function sequenceOf(cursor: string): number {
  const [sequence] = decodeCursor(cursor)
  if (typeof sequence === 'number' && Number.isSafeInteger(sequence) && sequence >= 0) return sequence
  throw invalidCursor()
}

/** Returns the error for a cursor of another list. */
export const invalidCursor = (): ServiceError =>
  badRequest('`page` is not a cursor of this list.', [
    { path: 'query/page', message: 'must be the value of next.page, or be omitted' },
  ])

/** Finds the event of an organization with this sequence. Null if it is no longer stored. */
export async function eventAt(reader: Reader, organization: string, sequence: number): Promise<EventDoc | null> {
  const { records } = await reader.read(events, organization, {
    direction: 'asc',
    after: sequence - 1,
    limit: 1,
    most: 1,
  })
  return records[0]?.position === sequence ? records[0].record : null
}

/** Finds an event of the organization. Null if there is none, or it is no longer stored. */
export async function findEvent(app: App, { doc }: LoadedOrganization, id: string): Promise<EventDoc | null> {
  const sequence = numberInId(id)
  const event = sequence === null ? null : await eventAt(app.store, doc.id, sequence)
  return event?.id === id ? event : null
}

/** Converts an event to the JSON that the API returns and webhooks deliver. */
export const eventJson = (app: App, event: EventDoc) => ({
  object: 'event' as const,
  id: event.id,
  sequence: event.sequence,
  type: event.type,
  at: event.at,
  organization: event.organization,
  ...defined({ actor: event.actor }),
  subject: { ...event.subject },
  data: event.data,
  urls: { location: `${app.settings.publicUrl}/v1/orgs/${event.organization}/events/${event.id}` },
})
