/** Sends a delivery to its endpoint once and returns the outcome. */
import { signWebhook } from '../../auth/index.js'
import { type DeliveryDoc, type EventDoc, PING, type WebhookDoc } from '../../model/index.js'
import { OutboundError } from '../../outbound/index.js'
import type { App } from '../context/app.js'
import type { Reader } from '../../store/index.js'
import { eventAt, eventJson } from '../events/event-stream.js'
import { retryAfter } from './schedule.js'
import { signingSecrets } from './secret.js'

/** Time limit for the response of an endpoint in milliseconds. */
const TIMEOUT_MS = 15_000
/** Maximum number of bytes read from a response, so that the connection can be reused. They are discarded. */
const MAX_RESPONSE_BYTES = 64 * 1024

/** The outcome of an attempt. */
export interface Attempt {
  ok: boolean
  at: Date
  durationMs: number
  status?: number
  /** A sentence for the administrator. Absent if `ok`. */
  error?: string
  /** Delay in milliseconds that the endpoint requests before the next attempt. */
  retryAfterMs?: number
  /** Whether the event is no longer stored and cannot be sent again. */
  lost?: boolean
}

/** Finds the event of a delivery. Null for a ping, or if the event is no longer stored. */
export async function eventOf(
  reader: Reader,
  { organization, sequence, event }: DeliveryDoc,
): Promise<EventDoc | null> {
  const found = sequence === undefined ? null : await eventAt(reader, organization, sequence)
  return found?.id === event ? found : null
}

/** Returns the body of a delivery. Null if the event is no longer stored. */
async function bodyOf(app: App, delivery: DeliveryDoc): Promise<string | null> {
  if (delivery.type === PING) {
    const { event: id, organization, createdAt: at, webhook } = delivery
    return JSON.stringify({ object: 'event', id, type: PING, at, organization, subject: {}, data: { webhook } })
  }
  const event = await eventOf(app.store, delivery)
  return event && JSON.stringify(eventJson(app, event))
}

/** Makes one attempt without changing any document. Rejects only if `signal` aborts it. */
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
  if (body === null) return done({ ok: false, lost: true, error: 'The event is no longer stored.' })
  const seconds = Math.floor(at.getTime() / 1000)
  const secrets = signingSecrets(app, webhook, at)
  if (secrets.length === 0)
    return done({
      ok: false,
      error: 'The signing key of the service was replaced. Create a new secret for the webhook (rotate-secret).',
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
    ? `The endpoint returned a redirect (${status}), which is not followed. Set the URL to the new address.`
    : `The endpoint returned status ${status} instead of 200 to 299.`
