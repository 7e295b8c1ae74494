// Limits the memory that the bodies or responses of all requests use together.
import { ServiceError } from '../../kernel/errors.js'

/**
 * Bytes of each body or response that are not counted. Ordinary requests still work when callers with large ones use up
 * the budget.
 */
export const FREE_BYTES = 64 * 1024
const RETRY_SECONDS = '5'

/** Error messages for the budget of request bodies. */
export const BODIES: BudgetMessages = {
  all: 'The service is overloaded: its memory for request bodies is in use.',
  caller: 'You are sending too many large request bodies at the same time.',
}

/** The part of the budget that one request uses. */
export interface Share {
  /**
   * Counts more bytes. Throws 429 if the caller's other requests use half of the budget, 503 if all of it is in use.
   */
  take(bytes: number): void
  /** Returns all of it to the budget. */
  release(): void
}

/** Error messages for an exhausted budget, and for a caller that alone uses half of it. */
export interface BudgetMessages {
  all: string
  caller: string
}

/**
 * Limits the bytes that all requests use together: bodies from their first byte until the response, responses until the
 * client has read them.
 * A request that is alone always passes. Other limits apply to its size.
 */
export class ByteBudget {
  // bound: requests under way
  readonly #byCaller = new Map<string, number>()
  #total = 0

  constructor(
    private readonly limit: number,
    private readonly refusals: BudgetMessages,
  ) {}

  /** Bytes in use. */
  get total(): number {
    return this.#total
  }

  /** @param caller key of the request's token or address */
  share(caller: string): Share {
    let received = 0
    let held = 0
    return {
      take: (bytes) => {
        received += bytes
        const more = Math.max(0, received - FREE_BYTES) - held
        if (more === 0) return
        const own = this.#byCaller.get(caller) ?? 0
        if (this.#total + more > this.limit && this.#total > held) throw refusal('unavailable', this.refusals.all)
        if (own + more > this.limit / 2 && own > held) throw refusal('too-many-requests', this.refusals.caller)
        held += more
        this.#add(caller, more)
      },
      release: () => {
        this.#add(caller, -held)
        held = 0
        received = 0
      },
    }
  }

  #add(caller: string, bytes: number): void {
    if (bytes === 0) return
    this.#total += bytes
    const own = (this.#byCaller.get(caller) ?? 0) + bytes
    if (own > 0) this.#byCaller.set(caller, own)
    else this.#byCaller.delete(caller)
  }
}

const refusal = (kind: 'unavailable' | 'too-many-requests', why: string): ServiceError =>
  new ServiceError(kind, `${why} Try again in ${RETRY_SECONDS} s.`, { headers: { 'Retry-After': RETRY_SECONDS } })
