// Sends the deliveries of webhooks when they are due.
import { AsyncResource } from 'node:async_hooks'
import type { App } from '../domain/context/app.js'
import { claimDeliveries } from '../domain/webhooks/claim.js'
import { recordAttempt } from '../domain/webhooks/outcome.js'
import { attemptDelivery } from '../domain/webhooks/send.js'
import { type DeliveryDoc, events, webhooks } from '../model/index.js'

/** Deliveries of one webhook under way at a time. Others do not wait for it: each has its own. */
const AT_ONCE = 4
/** Pause of a webhook whose documents could not be written, and before webhooks that could not be read are read again. */
const REST_MS = 30_000
const MIN_TIMER_MS = 10
/** Timers end before Node's limit; a look that finds nothing due sets the next one. */
const MAX_TIMER_MS = 60 * 60 * 1000
/** How long deliveries under way may take when the service stops; those cut off are repeated after the next start. */
const GRACE_MS = 5_000

export interface WebhookSender {
  /** Reports that something may be due for the webhooks of an organization. May be called in a transaction: it takes effect after it. */
  wake(organization: string): void
  /** Resolves when nothing is under way or due. */
  idle(): Promise<void>
  /** Begins no more deliveries, and resolves when those under way have ended. */
  stop(): Promise<void>
}

interface SenderOptions {
  restMs?: number
  /** How often it looks for events that nobody woke it for, in milliseconds. Default: never. */
  pollMs?: number | null
}

/** One webhook at work. */
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

  /** Looks for what is due; while it looks, another call makes it look once more. */
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
    // With no room left, the end of a delivery looks again.
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
        'The result of a delivery could not be recorded; the delivery is repeated.',
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

/** Starts the delivery of events to webhooks; what was under way when the process before this one ended is made again. */
export function startWebhookSender(app: App, { restMs = REST_MS, pollMs = null }: SenderOptions = {}): WebhookSender {
  // bound: webhooks, 50 of an organization
  const lanes = new Map<string, Lane>()
  const cut = new AbortController()
  let stopping = false
  let finding: Promise<void> = Promise.resolve()
  let again: NodeJS.Timeout | undefined

  const laneOf = (id: string): Lane => {
    let lane = lanes.get(id)
    if (!lane)
      lanes.set(
        id,
        (lane = new Lane(
          app,
          id,
          cut.signal,
          () => stopping,
          () => void lanes.delete(id),
        )),
      )
    return lane
  }

  const find = (organization: string | null): void => {
    if (stopping) return
    finding = finding
      .then(async () => {
        const found =
          organization === null
            ? await app.store.all(webhooks)
            : await app.store.find(webhooks, 'organization', organization)
        for (const { id, enabled } of found) if (enabled) laneOf(id).look()
      })
      .catch((error: unknown) => {
        app.log.error({ error }, 'Webhooks could not be read.')
        clearTimeout(again)
        // Those of all organizations: others may have been asked for meanwhile.
        if (!stopping) again = setTimeout(() => find(null), restMs).unref()
      })
  }

  find(null)
  const poll =
    pollMs === null
      ? undefined
      : setInterval(() => void findBehind(app, (id) => stopping || laneOf(id).look()), pollMs).unref()
  return {
    // In the context of the start, not of the caller: in a transaction's, another transaction would be refused.
    wake: AsyncResource.bind((organization: string) => find(organization)),
    async idle() {
      await finding
      for (const lane of lanes.values()) await lane.idle()
    },
    async stop() {
      stopping = true
      clearInterval(poll)
      await finding
      clearTimeout(again)
      for (const lane of lanes.values()) lane.stop()
      const timer = setTimeout(() => cut.abort(), GRACE_MS)
      for (const lane of lanes.values()) await lane.idle()
      clearTimeout(timer)
    },
  }
}

/** Names the webhooks that have not taken all events. */
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
    app.log.error({ error }, 'Webhooks could not be read.')
  }
}
