// Limits the number of concurrent previews of remotes.
import { ServiceError } from '../../kernel/errors.js'
import { Slots } from '../../kernel/slots.js'

/** Limits of concurrent previews. Each runs Git processes and fetches to the disk while its request waits. */
const RULES = { slots: 16, share: 8, stalled: { total: 48, share: 8 } }
const MAX_PER_USER = 4
const RETRY_SECONDS = '10'

const limitError = (reason: string): ServiceError =>
  new ServiceError('unavailable', `${reason} Try again in a moment.`, { headers: { 'Retry-After': RETRY_SECONDS } })

/** Counts the previews of remotes in progress and rejects those beyond the limits. */
export class Previews {
  // bound: the slots, and stalled previews
  readonly #byUser = new Map<string, number>()
  readonly #slots = new Slots(RULES, () => {})

  /** Runs a preview. Throws 503 if the user, the organization or the service has reached its limit. */
  async run<T>({ user, organization }: { user: string; organization: string }, work: () => Promise<T>): Promise<T> {
    const running = this.#byUser.get(user) ?? 0
    if (running >= MAX_PER_USER) throw limitError(`You have ${MAX_PER_USER} previews in progress, which is the limit.`)
    if (!this.#slots.next([{ organization, createdAt: '' }]))
      throw limitError('Your organization, or the service, has too many previews in progress.')
    this.#byUser.set(user, running + 1)
    try {
      return await this.#slots.run({ organization }, work)
    } finally {
      const left = (this.#byUser.get(user) ?? 1) - 1
      if (left > 0) this.#byUser.set(user, left)
      else this.#byUser.delete(user)
    }
  }
}
