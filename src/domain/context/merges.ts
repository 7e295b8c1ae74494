// Shares the merges of files by Git fairly among organizations.
import { ServiceError } from '../../kernel/errors.js'
import { Slots } from '../../kernel/slots.js'

/** Git needs minutes of processor time for two hostile versions of one file. */
const RULES = { slots: 12, share: 3 }
/** Maximum number of merges that wait, in total and for one organization. */
const MAX_WAITING = { total: 400, share: 100 }
const RETRY_SECONDS = '10'

interface Waiting {
  organization: string
  createdAt: string
  start(): void
}

/** Runs merges in slots. A free slot goes to the organization with the fewest merges in progress. */
export class Merges {
  readonly #slots = new Slots(RULES, () => {})
  // bound: MAX_WAITING
  readonly #waiting: Waiting[] = []

  /** Runs a merge when it is its turn. Throws 503 if too many merges wait. A merge must not wait for another one. */
  async run<T>(organization: string, work: () => Promise<T>): Promise<T> {
    const own = this.#waiting.filter((one) => one.organization === organization)
    if (this.#waiting.length >= MAX_WAITING.total || own.length >= MAX_WAITING.share)
      throw new ServiceError('unavailable', 'Too many merges are in progress. Try again in a few seconds.', {
        headers: { 'Retry-After': RETRY_SECONDS },
      })
    return new Promise((resolve) => {
      const start = (): void => resolve(this.#slots.run({ organization }, work).finally(() => this.#startSome()))
      this.#waiting.push({ organization, createdAt: '', start })
      this.#startSome()
    })
  }

  #startSome(): void {
    for (let next = this.#slots.next(this.#waiting); next; next = this.#slots.next(this.#waiting)) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      next.start()
    }
  }
}
