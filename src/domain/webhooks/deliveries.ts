/** Manages deliveries of a webhook for admins: lists them, replays one, and sends a ping. */
import { conflict, notFound } from '../../kernel/errors.js'
import { newId, newTimedId } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import {
  type DeliveryDoc,
  type DeliveryStatus,
  deliveries,
  PING,
  type WebhookDoc,
  webhooks,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { withAttempt, recordEndpointState } from './outcome.js'
import { attemptDelivery, eventOf } from './send.js'
import { defined } from '../../kernel/defined.js'

/** Lists a page of the stored deliveries of a webhook. */
export const listDeliveries = (
  app: App,
  webhook: WebhookDoc,
  status: DeliveryStatus | undefined,
  query: PageQuery,
  order: 'asc' | 'desc',
): Promise<Page<Document<DeliveryDoc>>> =>
  pageOf(app.store, deliveries, 'created', status === undefined ? webhook.id : `${webhook.id}/${status}`, {
    ...query,
    order,
  })

/** Finds a delivery of the webhook. Null if there is none. */
export async function findDelivery(app: App, webhook: WebhookDoc, id: string): Promise<Document<DeliveryDoc> | null> {
  const delivery = await app.store.get(deliveries, id)
  return delivery?.webhook === webhook.id ? delivery : null
}

/** Counts the deliveries of a webhook that wait for a retry. */
export const countPending = (app: App, webhook: WebhookDoc): Promise<number> =>
  app.store.count(deliveries, 'pending', webhook.id)

/** Delivers the event of a delivery again, with the same `webhook-id`. Throws 409 if that is not possible. */
export async function replayDelivery(app: App, delivery: DeliveryDoc): Promise<Document<DeliveryDoc>> {
  const replay = await app.store.transact(async (tx) => {
    const webhook = await tx.get(webhooks, delivery.webhook)
    if (!webhook) throw notFound('The webhook')
    if (!webhook.enabled) throw conflict('The webhook is disabled. Enable it first.')
    if (delivery.type === PING) throw conflict('A ping cannot be delivered again. Test the webhook instead.')
    if (!(await eventOf(tx, delivery)))
      throw conflict('The event is no longer stored, so it cannot be delivered again.')
    const { webhook: id, organization, event, sequence, type } = delivery
    const now = app.clock.now()
    const at = now.toISOString()
    const common = { webhook: id, organization, event, type, ...defined({ sequence }) }
    return tx.insert(deliveries, {
      ...common,
      id: newTimedId(now),
      status: 'pending',
      attempts: 0,
      createdAt: at,
      nextAttemptAt: at,
      replayOf: delivery.id,
    })
  })
  app.wakes.webhooks(delivery.organization)
  return replay
}

/** Delivers a ping immediately and once, even if the webhook is disabled. Returns the finished delivery. */
export async function testWebhook(app: App, webhook: WebhookDoc): Promise<Document<DeliveryDoc>> {
  const now = app.clock.now()
  const { id, organization } = webhook
  const common = {
    webhook: id,
    organization,
    event: newId(),
    type: PING,
    attempts: 0,
    createdAt: now.toISOString(),
  } as const
  const draft: DeliveryDoc = { ...common, id: newTimedId(now), status: 'pending' }
  const attempt = await attemptDelivery(app, webhook, draft)
  const done = await app.store.transact(async (tx) => {
    const stored = await tx.get(webhooks, id)
    if (!stored) throw notFound('The webhook')
    // A failed ping does not count towards disabling the webhook.
    if (attempt.ok) await recordEndpointState(app, tx, stored, attempt)
    return tx.insert(deliveries, withAttempt(draft, attempt, null))
  })
  app.wakes.webhooks(organization)
  return done
}
