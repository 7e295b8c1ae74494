import { ServiceError } from '../../kernel/errors.js'

/** Of each body or answer so much is free, so that those who need much keep nobody from an ordinary request. */
export const FREE_BYTES = 64 * 1024
const RETRY_SECONDS = '5'

/** What one request holds of the budget. */
export interface Share {
  /** Counts more bytes of it. Throws 429 where its caller holds half of the budget elsewhere, 503 where all is taken. */
  take(bytes: number): void
  /** Gives all back, once. */
  release(): void
}

/** What is told to who comes on top: where all is taken, and where he has half of it himself. */
export interface Refusals {
  all: string
  his: string
}

/**
 * One bound, in bytes, on what all requests together hold: bodies from their first byte until they are answered, answers
 * until they are taken. What stands alone passes, however large: it has limits of its own.
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
        const his = this.#byCaller.get(caller) ?? 0
        if (this.#total + more > this.limit && this.#total > held) throw refusal('unavailable', this.refusals.all)
        if (his + more > this.limit / 2 && his > held) throw refusal('too-many-requests', this.refusals.his)
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
    const his = (this.#byCaller.get(caller) ?? 0) + bytes
    if (his > 0) this.#byCaller.set(caller, his)
    else this.#byCaller.delete(caller)
  }
}

const refusal = (kind: 'unavailable' | 'too-many-requests', why: string): ServiceError =>
  new ServiceError(kind, `${why} Try again in ${RETRY_SECONDS} s.`, { headers: { 'Retry-After': RETRY_SECONDS } })
