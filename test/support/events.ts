import { type EventDoc, events } from '../../src/model/index.js'
import type { Reader, Store } from '../../src/store/index.js'

/** All stored events of an organization, in order. */
export async function eventsOf(reader: Reader, organization: string): Promise<EventDoc[]> {
  const { records } = await reader.read(events, organization, { direction: 'asc', limit: Number.POSITIVE_INFINITY })
  return records.map(({ record }) => record)
}

/** The same of all organizations. */
export async function allEvents(store: Store): Promise<EventDoc[]> {
  const streams = await Promise.all((await store.groups(events)).map((organization) => eventsOf(store, organization)))
  return streams.flat()
}
