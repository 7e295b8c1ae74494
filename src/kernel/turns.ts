// Limits the concurrency of work.
import { ServiceError } from './errors.js'

/** Limits the number of concurrent callers of work that needs much memory. Others wait in order of arrival. */
export class TurnQueue {
  #running = 0
  // bound: `limits.waiting`
  readonly #waiting: (() => void)[] = []

  constructor(private readonly limits: { atOnce: number; waiting: number }) {}

  /** Runs `work` when it is its turn. Throws 503 if too many callers are waiting. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.limits.atOnce) {
      if (this.#waiting.length >= this.limits.waiting)
        throw new ServiceError(
          'unavailable',
          'The service is reading too many large files right now. Try again in a few seconds.',
        )
      // The next call that ends hands its place over.
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

/** Runs work one after another, in the order of the calls. */
export class Sequence {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` after all earlier work has ended, successfully or not. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Resolves when the work so far has ended. */
  async idle(): Promise<void> {
    await this.#last
  }
}
