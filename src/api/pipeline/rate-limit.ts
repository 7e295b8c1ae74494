/** Limits how many requests per minute one address or token may make. */
import { required } from '../../kernel/defined.js'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../kernel/errors.js'

const WINDOW_MS = 60_000
/** Maximum number of keys that are counted. Beyond it, the least recently used key starts again from zero. */
const MAX_KEYS = 50_000

export type RateLimitHeaders = { 'RateLimit-Policy': string; RateLimit: string }

/** The number of counted requests of a key in the current window. */
interface Window {
  count: number
  /** In milliseconds of `performance.now()`. */
  endsAt: number
}

/**
 * Counts requests in windows of one minute. A window starts with the first request of a key after its previous window.
 */
export class RateLimit {
  // Limited by size, not by number: with a number, the cache would allocate lists of that length at every start.
  readonly #windows = new LRUCache<string, Window>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 })
  readonly #policy: string
  /** Requests by key that were not yet exchanged with other processes; null = there are no other processes. */
  #changes: LRUCache<string, number> | null = null

  /** @param name name in the RateLimit header fields */
  constructor(
    readonly name: string,
    private readonly perMinute: number,
  ) {
    this.#policy = `"${name}";q=${perMinute};w=${WINDOW_MS / 1000}`
  }

  /** Returns the window that counts a request of this key now; null if the request would be rejected. */
  room(key: string, now: number): Window | null {
    const window = this.#windows.get(key)
    if (window === undefined || window.endsAt <= now) {
      const next = { count: 0, endsAt: now + WINDOW_MS }
      this.#windows.set(key, next)
      return next
    }
    return window.count < this.perMinute ? window : null
  }

  /** Returns the headers for a response after its request was counted in a window. */
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

  /** Counts a request. Returns the headers to send, or throws 429 with them. */
  count(key: string): RateLimitHeaders {
    return this.headers(this.take(key), performance.now())
  }

  /** Counts a request without making headers. Throws 429 with the headers to send. */
  take(key: string): Window {
    const now = performance.now()
    const room = this.room(key, now)
    const window = room ?? required(this.#windows.get(key))
    this.add(key, window)
    if (room) return room
    const again = String(Math.max(1, Math.ceil((window.endsAt - now) / 1000)))
    throw new ServiceError(
      'too-many-requests',
      `You sent too many requests: the limit is ${this.perMinute} per minute. Try again in ${again} s.`,
      {
        headers: { ...this.headers(window, now), 'Retry-After': again },
      },
    )
  }

  /** Starts recording counts for other processes that share the limit. */
  share(): void {
    this.#changes = new LRUCache({ max: MAX_KEYS })
  }

  /** Returns the requests counted since the last call, by key. */
  takeChanges(): ReadonlyMap<string, number> {
    const changes = new Map(this.#changes?.entries())
    this.#changes?.clear()
    return changes
  }

  /** Sets the count of all processes for a key. Requests recorded here since `takeChanges` are added. */
  adopt(key: string, { count, leftMs }: { count: number; leftMs: number }): void {
    this.#windows.set(key, { count: count + (this.#changes?.get(key) ?? 0), endsAt: performance.now() + leftMs })
  }
}

/** Creates a limit of `perMinute` requests per key; null = no limit. */
export const rateLimit = (name: string, perMinute: number): RateLimit | null =>
  perMinute <= 0 ? null : new RateLimit(name, perMinute)
