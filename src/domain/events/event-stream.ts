import { type Page, type PageQuery, pageOf, paginate } from '../../kernel/paging.js'
import { type EventDoc, type EventType, events } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { App, LoadedOrganization } from '../app.js'

export interface EventFilter {
  type?: readonly EventType[]
  space?: string
  /** Only events with a greater sequence. */
  after?: number
  /** Only events at or after this time. */
  since?: string
}

/** Sorts behind every ID. */
const BEHIND_IDS = '~'
const CHUNK = 1000

/** Events of an organization with a sequence greater than `after`, in order, at most `limit`. */
export async function eventsAfter(reader: Reader, organization: string, after: number, limit: number): Promise<Document<EventDoc>[]> {
  return (await reader.page(events, 'sequence', organization, { after: [after, BEHIND_IDS], limit, direction: 'asc' })).documents
}

/** Whether an event is about one of these types and spaces; absent = any. */
export const concerns = (event: EventDoc, { types, spaces }: { types?: readonly EventType[] | undefined; spaces?: readonly string[] | undefined }): boolean =>
  (types === undefined || types.includes(event.type)) && (spaces === undefined || (event.subject.space !== undefined && spaces.includes(event.subject.space)))

/** The events of an organization that are still kept. */
export async function listEvents(
  app: App,
  organization: LoadedOrganization,
  filter: EventFilter,
  query: PageQuery,
  order: 'asc' | 'desc',
): Promise<Page<Document<EventDoc>>> {
  const { id } = organization.doc
  const { type, space, after, since } = filter
  if (type === undefined && space === undefined && after === undefined && since === undefined) return pageOf(app.store, events, 'sequence', id, query, order)
  const all = after === undefined ? await app.store.find(events, 'organization', id) : await allAfter(app, id, after)
  const from = since === undefined ? '' : new Date(since).toISOString()
  const spaces = space === undefined ? undefined : [space]
  const found = all.filter((event) => event.at >= from && concerns(event, { types: type, spaces }))
  return paginate(found, query, (event) => [event.sequence, event.id], order)
}

async function allAfter(app: App, organization: string, after: number): Promise<Document<EventDoc>[]> {
  const found: Document<EventDoc>[] = []
  for (let at = after; ; at = found.at(-1)?.sequence ?? at) {
    const chunk = await eventsAfter(app.store, organization, at, CHUNK)
    found.push(...chunk)
    if (chunk.length < CHUNK) return found
  }
}

/** An event of the organization; null where there is none, or not any more. */
export async function findEvent(app: App, organization: LoadedOrganization, id: string): Promise<Document<EventDoc> | null> {
  const event = await app.store.get(events, id)
  return event?.organization === organization.doc.id ? event : null
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
