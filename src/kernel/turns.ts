// Turns for work that takes much memory.
import { ServiceError } from './errors.js'

/** Limits how many callers do something at a time that takes much memory; the others wait in the order in which they came. */
export class TurnQueue {
  #running = 0
  // bound: `limits.waiting`
  readonly #waiting: (() => void)[] = []

  constructor(private readonly limits: { atOnce: number; waiting: number }) {}

  /** Runs `work` when its turn comes. Throws 503 if too many callers are waiting. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.limits.atOnce) {
      if (this.#waiting.length >= this.limits.waiting)
        throw new ServiceError(
          'unavailable',
          'The service has too many large files to read at the moment. Try again in a few seconds.',
        )
      // The one that ends next passes its place on.
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
