// Claims events from the stream for delivery to a webhook, and finds due retries.
import { newTimedId } from '../../kernel/ids.js'
import { type DeliveryDoc, deliveries, events, type WebhookDoc, webhooks } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { isAbout } from '../events/event-stream.js'

/**
 * Maximum number of deliveries per webhook that wait for a retry. Beyond that the webhook takes no more events from the
 * stream, so the backlog of an endpoint that is down needs no document per event.
 */
const MAX_PENDING = 100
/** Maximum number of events read in one transaction. */
const MAX_SCANNED = 500

/** The work of the sender for a webhook. */
interface Claim {
  due: Document<DeliveryDoc>[]
  /** Time of the next due delivery in milliseconds since 1970. Null = not before the next event. */
  wakeAt: number | null
  /** Whether the webhook was removed. */
  gone?: boolean
}

const NOTHING: Claim = { due: [], wakeAt: null }

/**
 * Returns the deliveries of a webhook that are due now, at most `room`: first retries, then new events of the stream. A
 * new delivery is stored, and the webhook's position in the stream advances, before the first attempt. After a crash an
 * event may be delivered twice, but none is lost.
 * @param busy IDs of deliveries with an attempt in progress
 */
export function claimDeliveries(app: App, id: string, busy: ReadonlySet<string>, room: number): Promise<Claim> {
  return app.store.transact(async (tx) => {
    const webhook = await tx.get(webhooks, id)
    if (!webhook?.enabled || room <= 0) return { ...NOTHING, gone: webhook === null }
    const now = app.clock.now()
    const pending = await tx.find(deliveries, 'pending', id)
    const waiting = pending.filter((one) => !busy.has(one.id))
    const due = waiting.filter((one) => dueAt(one) <= now.getTime()).sort((a, b) => (a.id < b.id ? -1 : 1))
    const times = waiting.map(dueAt).filter((time) => time > now.getTime())
    const wanted = Math.min(room - due.length, MAX_PENDING - pending.length)
    if (wanted <= 0) return { due: due.slice(0, room), wakeAt: earliest(times) }
    const { taken, more } = await takeEvents(tx, webhook, wanted, now)
    return { due: [...due, ...taken], wakeAt: more ? now.getTime() : earliest(times) }
  })
}

const dueAt = (delivery: DeliveryDoc): number => Date.parse(delivery.nextAttemptAt ?? delivery.createdAt)
const earliest = (times: readonly number[]): number | null => (times.length === 0 ? null : Math.min(...times))

/**
 * Advances a webhook in the stream and creates a delivery for each event that it subscribes to. `more` means that the
 * stream has further events.
 */
async function takeEvents(
  tx: Transaction,
  webhook: Document<WebhookDoc>,
  wanted: number,
  now: Date,
): Promise<{ taken: Document<DeliveryDoc>[]; more: boolean }> {
  const { organization } = webhook
  const found = await tx.read(events, organization, {
    direction: 'asc',
    after: webhook.next - 1,
    limit: wanted,
    most: MAX_SCANNED,
    matches: (event) => isAbout(event, { types: webhook.events, spaces: webhook.spaces }),
  })
  const at = now.toISOString()
  const taken: Document<DeliveryDoc>[] = []
  for (const { record: event } of found.records) {
    taken.push(
      await tx.insert(deliveries, {
        id: newTimedId(now),
        webhook: webhook.id,
        organization,
        event: event.id,
        sequence: event.sequence,
        type: event.type,
        status: 'pending',
        attempts: 0,
        createdAt: at,
        nextAttemptAt: at,
      }),
    )
  }
  const next = found.next === null ? (await tx.extent(events, organization)).next : found.next + 1
  if (next > webhook.next) await tx.replace(webhooks, { ...webhook, next })
  return { taken, more: found.next !== null && taken.length < wanted }
}
