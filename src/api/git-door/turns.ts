/** Distributes the slots for Git clients among organizations and users, with a queue. */
import { ServiceError } from '../../kernel/errors.js'

const MAX_WAIT_MS = 120_000
const RETRY_SECONDS = '10'

/** The user who needs a slot, and the organization of the space. */
export interface TurnTaker {
  user: string
  organization: string
}

/** Limits for the slots and for the queue. */
export interface TurnLimits {
  atOnce: number
  /** The last slots, which are reserved for users and organizations without one. */
  kept: number
  ofOrganization: number
  ofUser: number
  /** Maximum length of the queue. An organization may use half of it, a user a quarter. */
  waiting: number
}

interface Waiting extends TurnTaker {
  start(): void
}

/**
 * Assigns slots to the waiting request with the fewest: by organization, then by user, then in order of arrival.
 * Several tokens of one user
 * share that user's slots, and no organization can use all of them.
 */
export class GitDoorTurns {
  // bound: limits.atOnce
  readonly #running: TurnTaker[] = []
  // bound: limits.waiting
  readonly #waiting: Waiting[] = []

  constructor(readonly limits: TurnLimits) {}

  /**
   * Waits for a slot. Returns the function that frees it, which may be called more than once.
   * Throws 503 if the wait takes too long or the queue is full, 429 if too many queued requests belong to the same user
   * or organization,
   * and the reason of `gone` if it is aborted.
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
        'Too many of your Git clients are waiting. Try again when some of them have finished.',
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
  refusal('unavailable', 'The service is at its limit of Git clients. Try again in a moment.')
