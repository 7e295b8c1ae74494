/**
 * How long an attempt to connect may take. One that began while the network was down may never hear anything, also when the network is back: whoever
 * waited for it would wait for all the time that there is, though a second attempt would succeed at once.
 */

/** What an attempt is given at least, and how many times what the last one took that succeeded, in milliseconds. */
const MIN_MS = 1_500
const TIMES = 3
/** If none succeeded for so long, the database may be that slow: attempts are given all the time that there is. In milliseconds. */
const SLOW_MS = 10_000

export class Patience {
  readonly #mostMs: number
  #tookMs = 0
  /** Since when no attempt has succeeded, although there were some. */
  #failingSince: number | null = null

  /** @param mostMs what an attempt is given at most, in milliseconds */
  constructor(mostMs: number) {
    this.#mostMs = mostMs
  }

  /** How long the attempt that begins now may take, in milliseconds. */
  forNext(): number {
    const slow = this.#failingSince !== null && performance.now() - this.#failingSince > SLOW_MS
    return slow ? this.#mostMs : Math.min(this.#mostMs, Math.max(MIN_MS, TIMES * this.#tookMs))
  }

  /** An attempt that began at `since` (of `performance.now()`) has succeeded. */
  succeeded(since: number): void {
    this.#tookMs = performance.now() - since
    this.#failingSince = null
  }

  /** An attempt that began at `since` took longer than it was given. */
  failed(since: number): void {
    this.#failingSince ??= since
  }
}
