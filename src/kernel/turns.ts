import { ServiceError } from './errors.js'

/** Lets few at a time do what takes much memory; the others wait in the order in which they came. */
export class Turns {
  #running = 0
  // bound: `most.waiting`
  readonly #waiting: (() => void)[] = []

  constructor(private readonly most: { atOnce: number; waiting: number }) {}

  /** Does the work when its turn comes. Throws 503 where too many wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.most.atOnce) {
      if (this.#waiting.length >= this.most.waiting)
        throw new ServiceError('unavailable', 'The service has too many large files to read at the moment. Try again in a few seconds.')
      // Whoever ends hands its place on.
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
