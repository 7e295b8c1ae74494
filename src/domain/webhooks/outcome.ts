// Records the outcome of a delivery attempt in the delivery and its webhook.
import { type DeliveryDoc, deliveries, type WebhookDoc, webhooks } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { PATIENCE_MS, retryDelay } from './schedule.js'
import type { Attempt } from './send.js'
import { defined } from '../../kernel/defined.js'

const GONE = 410

/** Makes all waiting deliveries of a webhook due now, after its endpoint recovered or the webhook was enabled. */
export async function makePendingDue(app: App, tx: Transaction, webhook: string, except?: string): Promise<void> {
  const now = app.clock.now().toISOString()
  for (const one of await tx.find(deliveries, 'pending', webhook)) {
    if (one.id !== except && (one.nextAttemptAt ?? '') > now)
      await tx.replace(deliveries, { ...one, nextAttemptAt: now })
  }
}

/** Returns a delivery with the outcome of an attempt. `retryMs` = null: no further attempt. */
export function withAttempt<D extends DeliveryDoc>(delivery: D, attempt: Attempt, retryMs: number | null): D {
  const { nextAttemptAt: _due, responseStatus: _status, error: _error, ...rest } = delivery
  const at = attempt.at.toISOString()
  const after = new Date(attempt.at.getTime() + attempt.durationMs)
  const next = attempt.ok
    ? { status: 'succeeded' as const, finishedAt: after.toISOString() }
    : retryMs === null
      ? { status: 'failed' as const, finishedAt: after.toISOString() }
      : { status: 'pending' as const, nextAttemptAt: new Date(after.getTime() + retryMs).toISOString() }
  return {
    ...rest,
    ...next,
    attempts: delivery.attempts + 1,
    lastAttemptAt: at,
    durationMs: attempt.durationMs,
    ...defined({ responseStatus: attempt.status, error: attempt.error }),
  } as unknown as D
}

/** Records the outcome of an attempt in the delivery, and in the webhook if its endpoint started or stopped failing. */
export async function recordAttempt(app: App, id: string, attempt: Attempt): Promise<void> {
  const outcome = await app.store.transact(async (tx) => {
    const delivery = await tx.get(deliveries, id)
    const webhook = delivery && (await tx.get(webhooks, delivery.webhook))
    if (!webhook) return null
    const retryMs = attempt.lost ? null : retryDelay(delivery.attempts + 1, attempt.retryAfterMs)
    await tx.replace(deliveries, withAttempt(delivery, attempt, retryMs))
    if (!attempt.lost) await recordEndpointState(app, tx, webhook, attempt, id)
    return attempt.ok ? 'succeeded' : retryMs === null ? 'failed' : 'retried'
  })
  if (outcome !== null) app.meters.deliveries.inc({ outcome })
}

/**
 * Records the start of an endpoint's failures. Disables the webhook if the endpoint returns 410 or has failed for days.
 */
export async function recordEndpointState(
  app: App,
  tx: Transaction,
  webhook: Document<WebhookDoc>,
  attempt: Attempt,
  delivery?: string,
): Promise<void> {
  const { failingSince, ...rest } = webhook
  if (attempt.ok) {
    if (failingSince === undefined) return
    await tx.replace(webhooks, rest)
    return makePendingDue(app, tx, webhook.id, delivery)
  }
  const since = failingSince ?? attempt.at.toISOString()
  const tooLong = attempt.at.getTime() - Date.parse(since) >= PATIENCE_MS
  if (webhook.enabled && (attempt.status === GONE || tooLong)) {
    const disabledReason =
      attempt.status === GONE
        ? 'The endpoint returned status 410 (Gone).'
        : `No delivery succeeded since ${since}. Last: ${attempt.error}`
    await tx.replace(webhooks, {
      ...webhook,
      failingSince: since,
      enabled: false,
      disabledReason,
      disabledAt: attempt.at.toISOString(),
    })
  } else if (failingSince === undefined) await tx.replace(webhooks, { ...webhook, failingSince: since })
}
