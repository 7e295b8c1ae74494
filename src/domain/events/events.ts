import { newId } from '../../kernel/ids.js'
import { type EventDoc, type EventSubject, type EventType, eventStreams, events } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../app.js'

/** What is said of an event by the use case in which it happens. */
export interface NewEvent {
  type: EventType
  organization: string
  /** ID of the user who did it; absent = the service. */
  actor?: string
  subject: EventSubject
  data?: Record<string, unknown>
}

/** Writes an event into its organization's stream, in the transaction that does what it tells of: both happen, or neither. */
export async function emit(app: App, tx: Transaction, event: NewEvent): Promise<Document<EventDoc>> {
  const stream = await tx.get(eventStreams, event.organization)
  const sequence = stream?.next ?? 1
  if (stream) await tx.replace(eventStreams, { ...stream, next: sequence + 1 })
  else await tx.insert(eventStreams, { id: event.organization, next: sequence + 1 })
  const { data = {}, ...rest } = event
  app.wakeWebhooks(event.organization)
  return tx.insert(events, { ...rest, data, id: newId(), sequence, at: app.clock.now().toISOString() })
}
