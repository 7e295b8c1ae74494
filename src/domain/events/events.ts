// Records events.
import { newNumberedId } from '../../kernel/ids.js'
import { type EventDoc, type EventSubject, type EventType, events } from '../../model/index.js'
import type { Reader, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

/** A new event, as the use case describes it. */
export interface NewEvent {
  type: EventType
  organization: string
  /** ID of the acting user. Absent = the service. */
  actor?: string
  subject: EventSubject
  data?: Record<string, unknown>
}

/** Appends an event to its organization's stream, in the transaction of the change that it reports. */
export async function emit(app: App, tx: Transaction, event: NewEvent): Promise<EventDoc> {
  const { organization, data = {} } = event
  app.wakeWebhooks(organization)
  const at = app.clock.now().toISOString()
  return tx.append(events, organization, (sequence) => ({ ...event, data, id: newNumberedId(sequence), sequence, at }))
}

/** Returns the sequence of the next event of an organization. */
export async function nextSequence(reader: Reader, organization: string): Promise<number> {
  return (await reader.extent(events, organization)).next
}
