/** Counts the memory of responses that clients have not read yet, and disconnects clients that read too slowly. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { BudgetMessages, Share } from './byte-budget.js'
import { FREE_BYTES } from './byte-budget.js'

export const RESPONSES: BudgetMessages = {
  all: 'The service is overloaded: too many responses are waiting to be read.',
  caller: 'Too many of your responses are waiting to be read.',
}

/** Time to read a response, in milliseconds, plus one second for each MIN_BYTES_PER_SECOND bytes. */
const GRACE_MS = 60_000
const MIN_BYTES_PER_SECOND = 16 * 1024
const LOOK_MS = 5_000

/**
 * Decides whether a client reads a stream too slowly. After each minute that the service has waited for it, the client
 * must have read a minute's worth of bytes.
 */
export class StreamPace {
  #waitedMs = 0
  #from = 0

  /**
   * Records one check of the connection.
   * @param elapsedMs since the last check
   * @param waits whether bytes are waiting for the client
   * @param taken bytes that the client has read so far
   * @returns false if the client is too slow
   */
  isKept(elapsedMs: number, waits: boolean, taken: number): boolean {
    if (waits) this.#waitedMs += elapsedMs
    if (this.#waitedMs < GRACE_MS) return true
    const enough = taken - this.#from >= (this.#waitedMs / 1000) * MIN_BYTES_PER_SECOND
    this.#waitedMs = 0
    this.#from = taken
    return enough
  }
}

/** The memory that one response uses from the budget of all responses, until it is read or its connection closes. */
export class ResponseMemory {
  #share: Share | undefined
  #counted = 0
  #over = false
  #deadline: NodeJS.Timeout | undefined
  #looks: NodeJS.Timeout | undefined

  constructor(
    private readonly res: ServerResponse,
    private readonly open: () => Share,
  ) {
    res.once('close', () => this.#end())
  }

  /** Reserves bytes for the response before it is built. Throws 429, 503. */
  reserve(bytes: number): void {
    if (bytes <= FREE_BYTES || this.#over) return
    this.#share ??= this.open()
    this.#share.take(bytes)
    this.#counted += bytes
  }

  /** Counts the complete response, and closes the connection if it is not read in time. Throws 429, 503. */
  track(body: unknown): void {
    if (body instanceof Readable && !this.#over) this.#watch()
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : Buffer.isBuffer(body) ? body.length : 0
    if (bytes > this.#counted) this.reserve(bytes - this.#counted)
    if (bytes > FREE_BYTES && !this.#over)
      this.#deadline = setTimeout(() => this.res.destroy(), GRACE_MS + (bytes / MIN_BYTES_PER_SECOND) * 1000).unref()
  }

  #watch(): void {
    const { res } = this
    const pace = new StreamPace()
    const before = res.socket?.bytesWritten ?? 0
    this.#looks = setInterval(() => {
      const { socket } = res
      if (!socket) return
      const waiting = socket.writableLength
      if (!pace.isKept(LOOK_MS, waiting > 0, socket.bytesWritten - waiting - before)) res.destroy()
    }, LOOK_MS).unref()
  }

  #end(): void {
    this.#over = true
    clearTimeout(this.#deadline)
    clearInterval(this.#looks)
    this.#share?.release()
  }
}
