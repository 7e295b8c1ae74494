/**
 * The time limit for attempts to connect. An attempt that starts during a network outage may never get a response, even
 * after the network is back. A caller that waits for it would use up its whole time, although a second attempt would
 * succeed at once.
 */

/**
 * Minimum time of an attempt in milliseconds, and the factor by which it may exceed the duration of the last successful
 * one.
 */
const MIN_MS = 1_500
const TIMES = 3
/**
 * If no attempt has succeeded for this time, the database may just be slow: attempts then get the maximum time. In
 * milliseconds.
 */
const SLOW_MS = 10_000

export class Patience {
  readonly #mostMs: number
  #tookMs = 0
  /** Start of the first failed attempt since the last success. */
  #failingSince: number | null = null

  /** @param mostMs maximum time of an attempt in milliseconds */
  constructor(mostMs: number) {
    this.#mostMs = mostMs
  }

  /** Returns the maximum time of the next attempt in milliseconds. */
  forNext(): number {
    const slow = this.#failingSince !== null && performance.now() - this.#failingSince > SLOW_MS
    return slow ? this.#mostMs : Math.min(this.#mostMs, Math.max(MIN_MS, TIMES * this.#tookMs))
  }

  /** Records that an attempt that started at `since` (by `performance.now()`) succeeded. */
  succeeded(since: number): void {
    this.#tookMs = performance.now() - since
    this.#failingSince = null
  }

  /** Records that an attempt that started at `since` timed out. */
  failed(since: number): void {
    this.#failingSince ??= since
  }
}
