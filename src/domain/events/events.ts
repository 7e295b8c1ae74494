// Records events.
import { newPlacedId } from '../../kernel/ids.js'
import { type EventDoc, type EventSubject, type EventType, events } from '../../model/index.js'
import type { Reader, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

/** An event as the use case in which it happens describes it. */
export interface NewEvent {
  type: EventType
  organization: string
  /** ID of the user who did it; absent = the service. */
  actor?: string
  subject: EventSubject
  data?: Record<string, unknown>
}

/** Appends an event to its organization's stream, in the transaction of the change that it reports: both happen, or neither. */
export async function emit(app: App, tx: Transaction, event: NewEvent): Promise<EventDoc> {
  const { organization, data = {} } = event
  app.wakeWebhooks(organization)
  const at = app.clock.now().toISOString()
  return tx.append(events, organization, (sequence) => ({ ...event, data, id: newPlacedId(sequence), sequence, at }))
}

/** Sequence of the next event of an organization. */
export async function nextSequence(reader: Reader, organization: string): Promise<number> {
  return (await reader.extent(events, organization)).next
}
