/** Sends a delivery to its endpoint, once, and says how that went. */
import { signWebhook } from '../../auth/index.js'
import { type DeliveryDoc, type EventDoc, PING, type WebhookDoc } from '../../model/index.js'
import { OutboundError } from '../../outbound/index.js'
import type { App } from '../context/app.js'
import type { Reader } from '../../store/index.js'
import { eventAt, eventJson } from '../events/event-stream.js'
import { retryAfter } from './schedule.js'
import { signingSecrets } from './secret.js'

/** How long an endpoint may take to respond. */
const TIMEOUT_MS = 15_000
/** How much of a response is read, so that the connection can be reused. Nothing of it is kept. */
const MAX_RESPONSE_BYTES = 64 * 1024

/** The outcome of an attempt. */
export interface Attempt {
  ok: boolean
  at: Date
  durationMs: number
  status?: number
  /** A sentence for the administrator; absent if `ok`. */
  error?: string
  /** Milliseconds that the endpoint asks to wait before the next attempt. */
  retryAfterMs?: number
  /** The event is no longer kept, so there is nothing to send again. */
  lost?: boolean
}

/** The event of a delivery; null for a ping, or if the event is no longer kept. */
export async function eventOf(
  reader: Reader,
  { organization, sequence, event }: DeliveryDoc,
): Promise<EventDoc | null> {
  const found = sequence === undefined ? null : await eventAt(reader, organization, sequence)
  return found?.id === event ? found : null
}

/** The body of a delivery; null if the event is no longer kept. */
async function bodyOf(app: App, delivery: DeliveryDoc): Promise<string | null> {
  if (delivery.type === PING) {
    const { event: id, organization, createdAt: at, webhook } = delivery
    return JSON.stringify({ object: 'event', id, type: PING, at, organization, subject: {}, data: { webhook } })
  }
  const event = await eventOf(app.store, delivery)
  return event && JSON.stringify(eventJson(app, event))
}

/** Makes one attempt, without changing any document. Rejects only if `signal` aborts it. */
export async function attemptDelivery(
  app: App,
  webhook: WebhookDoc,
  delivery: DeliveryDoc,
  signal?: AbortSignal,
): Promise<Attempt> {
  const at = app.clock.now()
  const started = performance.now()
  const done = (rest: Omit<Attempt, 'at' | 'durationMs'>): Attempt => ({
    at,
    durationMs: Math.round(performance.now() - started),
    ...rest,
  })
  const body = await bodyOf(app, delivery)
  if (body === null) return done({ ok: false, lost: true, error: 'The event is no longer kept.' })
  const seconds = Math.floor(at.getTime() / 1000)
  const secrets = signingSecrets(app, webhook, at)
  if (secrets.length === 0)
    return done({
      ok: false,
      error: 'The signing key of the service was replaced: give the webhook a new secret (rotate-secret).',
    })
  try {
    const { status, headers } = await app.http.send({
      url: webhook.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': delivery.event,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signWebhook(secrets, delivery.event, seconds, body),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      longer: 'cut',
      ...(signal ? { signal } : {}),
    })
    if (status >= 200 && status <= 299) return done({ ok: true, status })
    return done({ ok: false, status, error: refusal(status), retryAfterMs: retryAfter(headers['retry-after'], at) })
  } catch (error) {
    if (signal?.aborted || !(error instanceof OutboundError)) throw error
    return done({ ok: false, error: error.message })
  }
}

const refusal = (status: number): string =>
  status >= 300 && status <= 399
    ? `The endpoint returned a redirect (${status}), which is not followed: set the URL to the new address.`
    : `The endpoint returned status ${status}; 200 to 299 is expected.`
