/** Limits how many requests per minute one address or token may make. */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../kernel/errors.js'

const WINDOW_MS = 60_000
/** Keys that are counted at a time: of more, the one that was silent for the longest begins anew. */
const MAX_KEYS = 50_000

export type RateLimitHeaders = { 'RateLimit-Policy': string; RateLimit: string }

/** How many requests of a key were counted since when. */
interface Window {
  count: number
  /** Milliseconds, by `performance.now()`. */
  endsAt: number
}

/** Counts requests in windows of a minute, each beginning with the first request of a key after the one before. */
export class RateLimit {
  // By size, not by number: for a number, the cache would fill lists of that length at every start.
  readonly #windows = new LRUCache<string, Window>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 })
  readonly #policy: string
  /** Requests by key that were not exchanged with other processes yet; null = there are none to exchange with. */
  #changes: LRUCache<string, number> | null = null

  /** @param name as the headers call it (RateLimit header fields for HTTP) */
  constructor(
    readonly name: string,
    private readonly perMinute: number,
  ) {
    this.#policy = `"${name}";q=${perMinute};w=${WINDOW_MS / 1000}`
  }

  /** The window of a key in which a request would be counted that arrives now; null if it would be refused. */
  room(key: string, now: number): Window | null {
    const window = this.#windows.get(key)
    if (window === undefined || window.endsAt <= now) {
      const next = { count: 0, endsAt: now + WINDOW_MS }
      this.#windows.set(key, next)
      return next
    }
    return window.count < this.perMinute ? window : null
  }

  /** The headers to send after a request was counted in a window. */
  headers(window: Window, now: number): RateLimitHeaders {
    const seconds = Math.ceil((window.endsAt - now) / 1000)
    return {
      'RateLimit-Policy': this.#policy,
      RateLimit: `"${this.name}";r=${Math.max(0, this.perMinute - window.count)};t=${seconds}`,
    }
  }

  /** Counts a request in the window that `room` returned. */
  add(key: string, window: Window): void {
    window.count++
    this.#changes?.set(key, (this.#changes.get(key) ?? 0) + 1)
  }

  /** Counts a request; returns the headers to send, or throws 429 with them. */
  count(key: string): RateLimitHeaders {
    const now = performance.now()
    const room = this.room(key, now)
    const window = room ?? (this.#windows.get(key) as Window)
    this.add(key, window)
    const headers = this.headers(window, now)
    if (room) return headers
    const again = String(Math.max(1, Math.ceil((window.endsAt - now) / 1000)))
    throw new ServiceError(
      'too-many-requests',
      `Too many requests: at most ${this.perMinute} per minute. Try again in ${again} s.`,
      {
        headers: { ...headers, 'Retry-After': again },
      },
    )
  }

  /** Begins to note what is counted, for other processes that count the same keys. */
  share(): void {
    this.#changes = new LRUCache({ max: MAX_KEYS })
  }

  /** What was counted since the last call, by key. */
  takeChanges(): ReadonlyMap<string, number> {
    const changes = new Map(this.#changes?.entries())
    this.#changes?.clear()
    return changes
  }

  /** Sets what all processes counted for a key, without what was noted here since `takeChanges`. */
  adopt(key: string, { count, leftMs }: { count: number; leftMs: number }): void {
    this.#windows.set(key, { count: count + (this.#changes?.get(key) ?? 0), endsAt: performance.now() + leftMs })
  }
}

/** A limit of `perMinute` requests per key; null = no limit. */
export const rateLimit = (name: string, perMinute: number): RateLimit | null =>
  perMinute <= 0 ? null : new RateLimit(name, perMinute)
