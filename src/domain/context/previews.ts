// Limits how many previews of a remote run at a time.
import { ServiceError } from '../../kernel/errors.js'

/** Most previews at once. Each runs Git processes and fetches to the disk while its request waits. */
const MAX_PREVIEWS = 16
const MAX_PER_USER = 4
const RETRY_SECONDS = '10'

const refusal = (reason: string): ServiceError =>
  new ServiceError('unavailable', `${reason} Try again in a moment.`, { headers: { 'Retry-After': RETRY_SECONDS } })

/** Counts the previews of remotes in progress, and refuses those beyond the limits. */
export class Previews {
  // bound: MAX_PREVIEWS
  readonly #byUser = new Map<string, number>()
  #open = 0

  /** Runs a preview for a user. Throws 503 if the user, or all users together, have as many in progress as allowed. */
  async run<T>(user: string, work: () => Promise<T>): Promise<T> {
    const running = this.#byUser.get(user) ?? 0
    if (running >= MAX_PER_USER) throw refusal(`You have ${MAX_PER_USER} previews in progress, which is the limit.`)
    if (this.#open >= MAX_PREVIEWS) throw refusal(`The service has ${MAX_PREVIEWS} previews in progress, which is the limit.`)
    this.#open++
    this.#byUser.set(user, running + 1)
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
