import { ServiceError } from '../../kernel/errors.js'

/** Previews at once: each has Git processes, and room on the disk for what it fetches, while its request waits. */
const MOST = 16
const MOST_OF_ONE = 4
const RETRY_SECONDS = '10'

const refusal = (why: string): ServiceError => new ServiceError('unavailable', `${why} Try again in a moment.`, { headers: { 'Retry-After': RETRY_SECONDS } })

/** The previews that are under way, by who asked for them. */
export class Previews {
  // bound: MOST
  readonly #byUser = new Map<string, number>()
  #open = 0

  /** Runs one. Throws 503 where as many are under way, of this user or of all, as may be. */
  async run<T>(user: string, work: () => Promise<T>): Promise<T> {
    const his = this.#byUser.get(user) ?? 0
    if (his >= MOST_OF_ONE) throw refusal(`${MOST_OF_ONE} previews that you asked for are under way.`)
    if (this.#open >= MOST) throw refusal(`The service makes ${MOST} previews at once, and as many are under way.`)
    this.#open++
    this.#byUser.set(user, his + 1)
    try {
      return await work()
    } finally {
      this.#open--
      const left = (this.#byUser.get(user) ?? 1) - 1
      if (left > 0) this.#byUser.set(user, left)
      else this.#byUser.delete(user)
    }
  }
}
