import { newTimedId } from '../../kernel/ids.js'
import { type DeliveryDoc, deliveries, events, type WebhookDoc, webhooks } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { isAbout } from '../events/event-stream.js'

/**
 * Deliveries of one webhook that may wait for another attempt. Beyond that its place in the stream stands still: what an
 * endpoint that is down has to catch up on costs a number, not a document per event.
 */
const MOST_PENDING = 100
/** Events looked at in one transaction. */
const SCAN = 500

/** What a webhook has to do. */
export interface Claim {
  due: Document<DeliveryDoc>[]
  /** When something is due next, in milliseconds since 1970; null = when something happens. */
  wakeAt: number | null
  /** The webhook was removed. */
  gone?: boolean
}

const NOTHING: Claim = { due: [], wakeAt: null }

/**
 * What is due for a webhook now, at most `room` deliveries: those whose time has come, then events that it has not looked
 * at. A delivery is written, and the webhook's place moved on, before its first attempt: a crash repeats it, and loses none.
 * @param busy IDs of deliveries that are being attempted
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
    const wanted = Math.min(room - due.length, MOST_PENDING - pending.length)
    if (wanted <= 0) return { due: due.slice(0, room), wakeAt: earliest(times) }
    const { taken, more } = await takeEvents(tx, webhook, wanted, now)
    return { due: [...due, ...taken], wakeAt: more ? now.getTime() : earliest(times) }
  })
}

const dueAt = (delivery: DeliveryDoc): number => Date.parse(delivery.nextAttemptAt ?? delivery.createdAt)
const earliest = (times: readonly number[]): number | null => (times.length === 0 ? null : Math.min(...times))

/** Moves a webhook on in the stream, with a delivery for each event that it wants. `more`: it has not seen all. */
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
    most: SCAN,
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
