/** Reads bodies of any content that a handler receives in pieces. All bytes that a handler holds are counted. */
import type { Context } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import type { RequestInfo } from '../declaration.js'
import { tooLarge } from './body.js'
import { ByteBudget, type Share } from './byte-budget.js'
import { receive } from './incoming.js'

/**
 * Maximum number of bytes of such bodies in memory, half of it for one caller. It is separate from the budget of other
 * bodies.
 */
const HELD_BYTES = 16 * 1024 * 1024
const budget = {
  all: 'The service is overloaded: its memory for large requests is in use.',
  caller: 'You are sending too many large requests at the same time.',
}
/** Bytes that are not held need no memory. */
const PASSING: Share = { take: () => {}, release: () => {} }

/** Limits the memory of raw bodies. */
export class RawBodies {
  readonly #held = new ByteBudget(HELD_BYTES, budget)

  /** Opens the body of one request. @param caller key of the request's token or address */
  open(ctx: Context, limit: number, caller: string): Pick<RequestInfo, 'receive' | 'mayHold'> & { release(): void } {
    const share = this.#held.share(caller)
    return {
      receive: (take) => receive(ctx, { limit, tooLarge: tooLarge(limit), share: PASSING }, take),
      mayHold: (bytes) => {
        try {
          share.take(bytes)
          return true
        } catch (error) {
          if (error instanceof ServiceError) return false
          throw error
        }
      },
      release: () => share.release(),
    }
  }
}
