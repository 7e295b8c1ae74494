// Sends the deliveries of webhooks when they are due.
import { AsyncResource } from 'node:async_hooks'
import type { App } from '../domain/context/app.js'
import { claimDeliveries } from '../domain/webhooks/claim.js'
import { recordAttempt } from '../domain/webhooks/outcome.js'
import { attemptDelivery } from '../domain/webhooks/send.js'
import { type DeliveryDoc, events, webhooks } from '../model/index.js'

/** Maximum number of concurrent deliveries per webhook. Webhooks do not wait for each other. */
const AT_ONCE = 4
/**
 * Pause after a webhook's documents could not be written, and before the webhooks are read again after a failure, in
 * milliseconds.
 */
const REST_MS = 30_000
const MIN_TIMER_MS = 10
/** Timers end before Node's limit. A pass without due work sets the next one. */
const MAX_TIMER_MS = 60 * 60 * 1000
/**
 * Maximum time for running deliveries when the service stops, in milliseconds. Aborted deliveries are repeated after
 * the next start.
 */
const GRACE_MS = 5_000

export interface WebhookSender {
  /**
   * Reports that deliveries may be due for an organization's webhooks. May be called in a transaction: it takes effect
   * after the commit.
   */
  wake(organization: string): void
  /** Resolves when no delivery is running or due. */
  idle(): Promise<void>
  /** Starts no more deliveries, and resolves when running ones have ended. */
  stop(): Promise<void>
}

interface SenderOptions {
  restMs?: number
  /** Interval of the search for events without a wake-up, in milliseconds. Default: never. */
  pollMs?: number | null
}

/** The deliveries of one webhook. */
class Lane {
  // bound: AT_ONCE
  readonly #active = new Map<string, Promise<void>>()
  #looking: Promise<void> | null = null
  #again = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    readonly app: App,
    readonly id: string,
    readonly signal: AbortSignal,
    readonly isStopping: () => boolean,
    readonly forget: () => void,
  ) {}

  /** Starts due deliveries. If called during a pass, another pass follows. */
  look(): void {
    if (this.isStopping()) return
    if (this.#looking) {
      this.#again = true
      return
    }
    clearTimeout(this.#timer)
    this.#looking = this.#claim()
      .catch((error: unknown) => {
        this.app.log.error({ error, webhook: this.id }, 'Due deliveries could not be read.')
        this.#lookIn(REST_MS)
      })
      .then(() => {
        this.#looking = null
        if (this.#again) {
          this.#again = false
          this.look()
        }
      })
  }

  async #claim(): Promise<void> {
    const { due, wakeAt, gone } = await claimDeliveries(
      this.app,
      this.id,
      new Set(this.#active.keys()),
      AT_ONCE - this.#active.size,
    )
    if (gone) return this.forget()
    for (const delivery of due) this.#active.set(delivery.id, this.#deliver(delivery))
    // If there is no room left, the end of a delivery starts the next pass.
    if (wakeAt !== null && this.#active.size < AT_ONCE) this.#lookIn(wakeAt - this.app.clock.now().getTime())
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.look(), Math.min(Math.max(ms, MIN_TIMER_MS), MAX_TIMER_MS)).unref()
  }

  async #deliver(delivery: DeliveryDoc): Promise<void> {
    try {
      const webhook = await this.app.store.get(webhooks, this.id)
      if (webhook)
        await recordAttempt(this.app, delivery.id, await attemptDelivery(this.app, webhook, delivery, this.signal))
      this.#active.delete(delivery.id)
      this.look()
    } catch (error) {
      this.#active.delete(delivery.id)
      if (this.signal.aborted) return
      this.app.log.error(
        { error, delivery: delivery.id },
        'The result of a delivery could not be recorded. The delivery will be repeated.',
      )
      this.#lookIn(REST_MS)
    }
  }

  async idle(): Promise<void> {
    while (this.#looking || this.#active.size > 0) await Promise.all([this.#looking, ...this.#active.values()])
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

class Sender implements WebhookSender {
  // bound: webhooks, 50 per organization
  readonly #lanes = new Map<string, Lane>()
  readonly #cut = new AbortController()
  readonly #poll: NodeJS.Timeout | undefined
  #stopping = false
  #finding: Promise<void> = Promise.resolve()
  #again: NodeJS.Timeout | undefined

  constructor(
    readonly app: App,
    readonly restMs: number,
    pollMs: number | null,
  ) {
    this.#find(null)
    if (pollMs !== null)
      this.#poll = setInterval(
        () => void findBehind(app, (id) => this.#stopping || this.#laneOf(id).look()),
        pollMs,
      ).unref()
  }

  // Bound to the context of the start. In the context of a caller's transaction, another transaction would be rejected.
  readonly wake = AsyncResource.bind((organization: string) => this.#find(organization))

  async idle(): Promise<void> {
    await this.#finding
    for (const lane of this.#lanes.values()) await lane.idle()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#poll)
    await this.#finding
    clearTimeout(this.#again)
    for (const lane of this.#lanes.values()) lane.stop()
    const timer = setTimeout(() => this.#cut.abort(), GRACE_MS)
    for (const lane of this.#lanes.values()) await lane.idle()
    clearTimeout(timer)
  }

  #laneOf(id: string): Lane {
    const known = this.#lanes.get(id)
    if (known) return known
    const isStopping = () => this.#stopping
    const lane = new Lane(this.app, id, this.#cut.signal, isStopping, () => void this.#lanes.delete(id))
    this.#lanes.set(id, lane)
    return lane
  }

  /** Starts due deliveries of the webhooks of an organization, or of all organizations. */
  #find(organization: string | null): void {
    if (this.#stopping) return
    this.#finding = this.#finding
      .then(async () => {
        const { store } = this.app
        const found =
          organization === null ? await store.all(webhooks) : await store.find(webhooks, 'organization', organization)
        for (const { id, enabled } of found) if (enabled) this.#laneOf(id).look()
      })
      .catch((error: unknown) => {
        this.app.log.error({ error }, 'The webhooks could not be read.')
        clearTimeout(this.#again)
        // Reads all organizations: other requests may have been skipped in the meantime.
        if (!this.#stopping) this.#again = setTimeout(() => this.#find(null), this.restMs).unref()
      })
  }
}

/** Starts the delivery of events to webhooks. Deliveries that the previous process did not finish are repeated. */
export const startWebhookSender = (app: App, { restMs = REST_MS, pollMs = null }: SenderOptions = {}): WebhookSender =>
  new Sender(app, restMs, pollMs)

/** Calls `found` with the webhooks that have not processed all events. */
async function findBehind(app: App, found: (id: string) => unknown): Promise<void> {
  try {
    const ends = new Map<string, number>()
    for (const { id, enabled, organization, next } of await app.store.all(webhooks)) {
      if (!enabled) continue
      const end = ends.get(organization) ?? (await app.store.extent(events, organization)).next
      ends.set(organization, end)
      if (next < end) found(id)
    }
  } catch (error) {
    app.log.error({ error }, 'The webhooks could not be read.')
  }
}
