// Sends the deliveries of webhooks when they are due.
import type { App } from '../domain/context/app.js'
import { eachInOrder } from '../domain/context/in-order.js'
import { claimDeliveries } from '../domain/webhooks/claim.js'
import { recordAttempt } from '../domain/webhooks/outcome.js'
import { attemptDelivery } from '../domain/webhooks/send.js'
import { Passes } from '../kernel/passes.js'
import { type DeliveryDoc, events, webhooks } from '../model/index.js'
import { orIfDamaged } from '../store/index.js'

/** Maximum number of concurrent deliveries per webhook. Webhooks do not wait for each other. */
const AT_ONCE = 4
/**
 * Pause after a webhook's documents could not be written, and before the webhooks are read again after a failure, in
 * milliseconds.
 */
const REST_MS = 30_000
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
  readonly #passes: Passes

  constructor(
    readonly app: App,
    readonly id: string,
    readonly signal: AbortSignal,
    readonly forget: () => void,
  ) {
    this.#passes = new Passes({
      pass: () => this.#claim(),
      failed: (error) => app.log.error({ error, webhook: id }, 'Due deliveries could not be read.'),
      restMs: REST_MS,
    })
  }

  /** Starts due deliveries. If called during a pass, another pass follows. */
  look(): void {
    this.#passes.wake()
  }

  /** Returns the milliseconds until the next delivery is due, or null if only an event or the end of one can tell. */
  async #claim(): Promise<number | null> {
    const { due, wakeAt, gone } = await claimDeliveries(
      this.app,
      this.id,
      new Set(this.#active.keys()),
      AT_ONCE - this.#active.size,
    )
    if (gone) {
      this.forget()
      return null
    }
    for (const delivery of due) this.#active.set(delivery.id, this.#deliver(delivery))
    // If there is no room left, the end of a delivery starts the next pass.
    return wakeAt !== null && this.#active.size < AT_ONCE ? wakeAt - this.app.clock.now().getTime() : null
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
      this.#passes.wakeIn(REST_MS)
    }
  }

  async idle(): Promise<void> {
    while (this.#passes.isBusy || this.#active.size > 0)
      await Promise.all([this.#passes.idle(), ...this.#active.values()])
  }

  stop(): Promise<void> {
    return this.#passes.stop()
  }
}

class Sender implements WebhookSender {
  // bound: webhooks, 50 per organization
  readonly #lanes = new Map<string, Lane>()
  readonly #cut = new AbortController()
  readonly #poll: NodeJS.Timeout | undefined
  #isStopping = false
  readonly #passes: Passes
  /** The organizations whose webhooks the next pass reads; null = all. */
  // bound: organizations
  #woken: Set<string> | null = null

  constructor(
    readonly app: App,
    restMs: number,
    pollMs: number | null,
  ) {
    this.#passes = new Passes({
      pass: () => this.#find(),
      failed: (error) => {
        this.#woken = null
        app.log.error({ error }, 'The webhooks could not be read.')
      },
      restMs,
    })
    this.#passes.wake()
    if (pollMs !== null)
      this.#poll = setInterval(
        () => void findBehind(app, (id) => this.#isStopping || this.#laneOf(id).look()),
        pollMs,
      ).unref()
  }

  wake(organization: string): void {
    this.#woken?.add(organization)
    this.#passes.wake()
  }

  async idle(): Promise<void> {
    await this.#passes.idle()
    for (const lane of this.#lanes.values()) await lane.idle()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#poll)
    await this.#passes.stop()
    for (const lane of this.#lanes.values()) void lane.stop()
    const timer = setTimeout(() => this.#cut.abort(), GRACE_MS)
    for (const lane of this.#lanes.values()) await lane.idle()
    clearTimeout(timer)
  }

  #laneOf(id: string): Lane {
    const known = this.#lanes.get(id)
    if (known) return known
    const lane = new Lane(this.app, id, this.#cut.signal, () => void this.#lanes.delete(id))
    this.#lanes.set(id, lane)
    return lane
  }

  /** Starts due deliveries of the webhooks of the woken organizations. */
  async #find(): Promise<null> {
    const { store } = this.app
    const woken = this.#woken
    this.#woken = new Set()
    if (woken === null)
      for await (const { id } of eachInOrder(store, webhooks, 'organization', 'enabled')) this.#laneOf(id).look()
    for (const organization of woken ?? [])
      for (const { id, enabled } of await store.find(webhooks, 'organization', organization))
        if (enabled) this.#laneOf(id).look()
    return null
  }
}

/** Starts the delivery of events to webhooks. Deliveries that the previous process did not finish are repeated. */
export const startWebhookSender = (app: App, { restMs = REST_MS, pollMs = null }: SenderOptions = {}): WebhookSender =>
  new Sender(app, restMs, pollMs)

/** Calls `found` with the webhooks that have not processed all events. */
async function findBehind(app: App, found: (id: string) => unknown): Promise<void> {
  try {
    let last: { organization: string; end: number } | undefined
    for await (const { id, organization, next } of eachInOrder(app.store, webhooks, 'organization', 'enabled')) {
      if (last?.organization !== organization) {
        const end = await app.store.extent(events, organization).then(({ next }) => next, orIfDamaged(0))
        last = { organization, end }
      }
      if (next < last.end) found(id)
    }
  } catch (error) {
    app.log.error({ error }, 'The webhooks could not be read.')
  }
}
