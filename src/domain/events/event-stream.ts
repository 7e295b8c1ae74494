import { badRequest } from '../../kernel/errors.js'
import { placeInId } from '../../kernel/ids.js'
import { decodeCursor, encodeCursor, type Page, type PageQuery } from '../../kernel/paging.js'
import { type EventDoc, type EventType, earlierEvents, events } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'

export interface EventFilter {
  type?: readonly EventType[]
  space?: string
  /** Only events with a greater sequence. */
  after?: number
  /** Only events at or after this time. */
  since?: string
}

/** Events that one request looks at, at most: a filter that seldom fits goes on with the next page. */
export const MOST_LOOKED_AT = 10_000

/** Whether an event is about one of these types and spaces; absent = any. */
export const concerns = (event: EventDoc, { types, spaces }: { types?: readonly EventType[] | undefined; spaces?: readonly string[] | undefined }): boolean =>
  (types === undefined || types.includes(event.type)) && (spaces === undefined || (event.subject.space !== undefined && spaces.includes(event.subject.space)))

/**
 * The events of an organization that are still kept. With a filter of types, space or time, `count` is exact where no more
 * than `MOST_LOOKED_AT` events had to be looked at; else it is how many fitted of the newest so many, and a page may be short
 * and still have a next.
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
  /** Everything up to it is not wanted. */
  const floor = Math.max(after, extent.next - extent.count - 1)
  const isFiltered = type !== undefined || space !== undefined || since !== undefined
  const from = since === undefined ? undefined : new Date(since).toISOString()
  const fits = (event: EventDoc): boolean => event.sequence > floor && concerns(event, { types: type, spaces: space === undefined ? undefined : [space] })

  const look = (direction: 'asc' | 'desc', behind: number, limit: number, matches: (event: EventDoc) => boolean) => {
    const most = isFiltered ? MOST_LOOKED_AT : Number.POSITIVE_INFINITY
    // Going down, nothing below the floor is looked at.
    const left = direction === 'desc' ? Math.max(0, behind - 1 - floor) : Number.POSITIVE_INFINITY
    return app.store.read(events, id, { direction, after: behind, limit, most: Math.min(most, left), from, matches })
  }
  const start = order === 'asc' ? Math.max(cursor ?? 0, floor) : Math.min(cursor ?? extent.next, extent.next)
  const { records, next } = await look(order, start, query.limit, fits)
  const isOver = next === null || (order === 'desc' && next <= floor + 1)
  const items = records.map(({ record }) => record)
  return { items, count: await countOf(), ...(isOver || query.limit === 0 ? {} : { next: { page: encodeCursor([next, records.at(-1)?.record.id ?? '']) } }) }

  async function countOf(): Promise<number> {
    if (!isFiltered) return Math.max(0, extent.next - 1 - floor)
    let count = 0
    await look('desc', extent.next, 1, (event) => {
      if (fits(event)) count++
      return false
    })
    return count
  }
}

/** The sequence behind which a page begins. Throws 400. */
function sequenceOf(cursor: string): number {
  const [sequence] = decodeCursor(cursor)
  if (Number.isSafeInteger(sequence) && (sequence as number) >= 0) return sequence as number
  throw badRequest('page is not a cursor of this list.', [{ path: 'query/page', message: 'use the value of next.page, or leave it out' }])
}

/** The event of an organization at a place of its stream; null where it is not kept any more. */
export async function eventAt(reader: Reader, organization: string, sequence: number): Promise<EventDoc | null> {
  const { records } = await reader.read(events, organization, { direction: 'asc', after: sequence - 1, limit: 1, most: 1 })
  return records[0]?.position === sequence ? records[0].record : null
}

/** The place of an event by its ID: those of this release say it, those of earlier ones are listed. */
async function placeOf(reader: Reader, organization: string, id: string): Promise<number | null> {
  const place = placeInId(id)
  if (place !== null) return place
  for (const { first, ids } of await reader.find(earlierEvents, 'organization', organization)) {
    const index = ids.indexOf(id)
    if (index >= 0) return first + index
  }
  return null
}

/** An event of the organization; null where there is none, or not any more. */
export async function findEvent(app: App, { doc }: LoadedOrganization, id: string): Promise<EventDoc | null> {
  const place = await placeOf(app.store, doc.id, id)
  const event = place === null ? null : await eventAt(app.store, doc.id, place)
  return event?.id === id ? event : null
}

/** An event as JSON: what the API answers and what webhooks deliver. */
export const eventJson = (app: App, event: EventDoc) => ({
  object: 'event' as const,
  id: event.id,
  sequence: event.sequence,
  type: event.type,
  at: event.at,
  organization: event.organization,
  ...(event.actor === undefined ? {} : { actor: event.actor }),
  subject: { ...event.subject } as Record<string, string>,
  data: event.data,
  urls: { location: `${app.settings.publicUrl}/v1/orgs/${event.organization}/events/${event.id}` },
})
