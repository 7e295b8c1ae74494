// Records events.
import { newNumberedId } from '../../kernel/ids.js'
import { type EventDoc, events, type EventSubject, type EventType, spaces } from '../../model/index.js'
import type { Reader, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { SetAside } from '../../git/index.js'

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
  app.wakes.webhooks(organization)
  const at = app.clock.now().toISOString()
  return tx.append(events, organization, (sequence) => ({ ...event, data, id: newNumberedId(sequence), sequence, at }))
}

/** Returns the sequence of the next event of an organization. */
export async function nextSequence(reader: Reader, organization: string): Promise<number> {
  return (await reader.extent(events, organization)).next
}

/**
 * Writes an event for each ref that was restored. The server log already has it, so a failure here is logged and not
 * retried.
 */
export async function tellSetAside(app: App, space: string, found: readonly SetAside[]): Promise<void> {
  try {
    await app.store.transact(async (tx) => {
      const doc = await tx.get(spaces, space)
      if (!doc) return
      for (const { ref, found: commit, put, kept } of found)
        await emit(app, tx, {
          type: 'space.ref_set_aside',
          organization: doc.organization,
          subject: { space },
          data: { ref, found: commit, put, kept },
        })
    })
  } catch (error) {
    app.log.error({ error, space }, 'The event for a manually moved ref could not be written.')
  }
}
