/** Bodies that a handler receives itself, piece by piece: any bytes, from anybody, so none of them is held without being counted. */
import type { Context } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import type { RequestInfo } from '../declaration.js'
import { tooLarge } from './body.js'
import { ByteBudget, type Share } from './byte-budget.js'
import { receive } from './incoming.js'

/** What all handlers together may hold of such bodies, in bytes; half of it those of one caller. Apart from other bodies, which it must not keep out. */
const HELD_BYTES = 16 * 1024 * 1024
const budget = {
  all: 'The service is handling as many large requests as it can hold.',
  caller: 'You are sending too many large requests at once.',
}
/** Bytes that pass need no share of the memory. */
const PASSING: Share = { take: () => {}, release: () => {} }

/** The memory of raw bodies. */
export class RawBodies {
  readonly #held = new ByteBudget(HELD_BYTES, budget)

  /** The body of one request. @param caller what the token, or the address, of the request is known by */
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
