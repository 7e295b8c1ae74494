/** Shares the places for Git clients among organizations and users, with a queue in front. */
import { ServiceError } from '../../kernel/errors.js'

const MAX_WAIT_MS = 120_000
const RETRY_SECONDS = '10'

/** The user who asks for a turn, and the organization of the space. */
export interface TurnTaker {
  user: string
  organization: string
}

/** Limits for the turns at once, and for the requests that wait. */
export interface TurnLimits {
  atOnce: number
  /** The last turns, which go only to users and organizations that have none. */
  kept: number
  ofOrganization: number
  ofUser: number
  /** Waiting requests in all. An organization has at most half of these places, a user at most a quarter. */
  waiting: number
}

interface Waiting extends TurnTaker {
  start(): void
}

/**
 * Gives turns to those who have the fewest: first by organization, then by user, then in order of arrival. Several tokens of one user
 * share that user's turns, and no organization can take all of them.
 */
export class GitDoorTurns {
  // bound: limits.atOnce
  readonly #running: TurnTaker[] = []
  // bound: limits.waiting
  readonly #waiting: Waiting[] = []

  constructor(readonly limits: TurnLimits) {}

  /**
   * Waits for a turn. Returns the function that ends it, which may be called more than once. Throws 503 if the wait takes too long or too many
   * requests wait, 429 if too many of them belong to the same user or organization, and the reason of `gone` if that is aborted.
   */
  async take({ user, organization }: TurnTaker, gone?: AbortSignal): Promise<() => void> {
    gone?.throwIfAborted()
    const taker = { user, organization }
    if (this.#hasRoom(taker)) this.#running.push(taker)
    else await this.#wait(taker, gone)
    return () => {
      const at = this.#running.indexOf(taker)
      if (at < 0) return
      this.#running.splice(at, 1)
      this.#startNext()
    }
  }

  #hasRoom({ user, organization }: TurnTaker): boolean {
    const { atOnce, kept, ofOrganization, ofUser } = this.limits
    const byOrganization = countOf(this.#running, { organization })
    const byUser = countOf(this.#running, { user })
    const open = byOrganization + byUser === 0 ? atOnce : atOnce - kept
    return this.#running.length < open && byOrganization < ofOrganization && byUser < ofUser
  }

  #wait(taker: TurnTaker, gone: AbortSignal | undefined): Promise<void> {
    this.#requirePlace(taker)
    return new Promise((resolve, reject) => {
      const leave = (error: unknown): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        settle()
        reject(error)
      }
      const left = (): void => leave(gone?.reason)
      const timer = setTimeout(() => leave(overloaded()), MAX_WAIT_MS)
      const settle = (): void => {
        clearTimeout(timer)
        gone?.removeEventListener('abort', left)
      }
      const waiting: Waiting = {
        ...taker,
        start: () => {
          settle()
          this.#running.push(taker)
          resolve()
        },
      }
      gone?.addEventListener('abort', left)
      this.#waiting.push(waiting)
    })
  }

  #requirePlace({ user, organization }: TurnTaker): void {
    const { waiting } = this.limits
    if (this.#waiting.length >= waiting) throw overloaded()
    if (countOf(this.#waiting, { organization }) >= waiting / 2 || countOf(this.#waiting, { user }) >= waiting / 4)
      throw refusal(
        'too-many-requests',
        'Too many Git clients of yours are waiting. Try again when some of them have ended.',
      )
  }

  #startNext(): void {
    const [next] = this.#waiting
      .filter((one) => this.#hasRoom(one))
      .map((one) => ({
        one,
        had: countOf(this.#running, { organization: one.organization }),
        own: countOf(this.#running, { user: one.user }),
      }))
      .sort((a, b) => a.had - b.had || a.own - b.own)
    if (!next) return
    this.#waiting.splice(this.#waiting.indexOf(next.one), 1)
    next.one.start()
  }
}

function countOf(all: readonly TurnTaker[], { user, organization }: Partial<TurnTaker>): number {
  let count = 0
  for (const one of all) if (user === undefined ? one.organization === organization : one.user === user) count++
  return count
}

const refusal = (kind: 'unavailable' | 'too-many-requests', message: string): ServiceError =>
  new ServiceError(kind, message, { headers: { 'Retry-After': RETRY_SECONDS } })
const overloaded = (): ServiceError =>
  refusal('unavailable', 'The service is serving as many Git clients as it can. Try again in a moment.')
