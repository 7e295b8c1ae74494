// Bounds the memory that bodies and responses of all requests take together.
import { ServiceError } from '../../kernel/errors.js'

/** Bytes of each body or response that are not counted, so that callers with large ones do not keep others from ordinary requests. */
export const FREE_BYTES = 64 * 1024
const RETRY_SECONDS = '5'

/** What one request holds of the budget. */
export interface Share {
  /** Counts more bytes. Throws 429 if the caller holds half of the budget in other requests, 503 if all of it is taken. */
  take(bytes: number): void
  /** Gives all of it back. */
  release(): void
}

/** Messages of the refusals: when the whole budget is taken, and when the caller alone holds half of it. */
export interface Refusals {
  all: string
  caller: string
}

/**
 * Bounds the bytes that all requests together hold: bodies from their first byte until the response, responses until they
 * are read. A request that is alone passes, however large: it has limits of its own.
 */
export class ByteBudget {
  // bound: requests under way
  readonly #byCaller = new Map<string, number>()
  #total = 0

  constructor(
    private readonly limit: number,
    private readonly refusals: Refusals,
  ) {}

  /** Bytes that are held now. */
  get total(): number {
    return this.#total
  }

  /** @param caller what the token, or the address, of the request is known by */
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
