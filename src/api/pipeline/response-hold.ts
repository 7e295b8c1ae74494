/** Counts the memory of responses that clients have not read yet, and cuts off clients that read too slowly. */
import type { ServerResponse } from 'node:http'
import type { Refusals, Share } from './byte-budget.js'
import { FREE_BYTES } from './byte-budget.js'

export const RESPONSES: Refusals = {
  all: 'The service is overloaded: too many responses are waiting to be read.',
  caller: 'Too many of your responses are waiting to be read.',
}

/** Time to read a response, plus a second for this many bytes. */
const GRACE_MS = 60_000
const LEAST_PACE = 16 * 1024

/** What one response holds of the budget of all responses, from before it is made until it is read or its connection ends. */
export class ResponseHold {
  #share: Share | undefined
  #counted = 0
  #over = false
  #deadline: NodeJS.Timeout | undefined

  constructor(
    private readonly res: ServerResponse,
    private readonly open: () => Share,
  ) {
    res.once('close', () => this.#end())
  }

  /** Reserves the bytes that the response will need. Throws 429, 503. */
  reserve(bytes: number): void {
    if (bytes <= FREE_BYTES || this.#over) return
    this.#share ??= this.open()
    this.#share.take(bytes)
    this.#counted += bytes
  }

  /** Counts the response as it is, and ends the connection if it is not read in time. Throws 429, 503. */
  holds(body: unknown): void {
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : Buffer.isBuffer(body) ? body.length : 0
    if (bytes > this.#counted) this.reserve(bytes - this.#counted)
    if (bytes > FREE_BYTES && !this.#over) this.#deadline = setTimeout(() => this.res.destroy(), GRACE_MS + (bytes / LEAST_PACE) * 1000).unref()
  }

  #end(): void {
    this.#over = true
    clearTimeout(this.#deadline)
    this.#share?.release()
  }
}
