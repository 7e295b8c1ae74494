/** Bounds how many Git processes serve clients at once, with a queue in front. */
import { ServiceError } from '../../kernel/errors.js'

/** What is served at once, and how much of it for one caller. */
const AT_ONCE = 8
const AT_ONCE_PER_CALLER = 4
const MOST_WAITING = 256
const WAIT_MS = 120_000
const RETRY_SECONDS = '10'

interface Waiting {
  caller: string
  begin(): void
}

/** Gives turns in the order in which they were asked for, but passes over callers that have their share. */
export class Turns {
  // bound: AT_ONCE
  readonly #running = new Map<string, number>()
  // bound: MOST_WAITING
  readonly #waiting: Waiting[] = []
  #open = 0

  /** Waits for a turn; returns the function that ends it, which may be called more than once. Throws 503 if that takes too long. */
  async take(caller: string): Promise<() => void> {
    if (!this.#hasRoom(caller)) await this.#wait(caller)
    else this.#begin(caller)
    let over = false
    return () => {
      if (over) return
      over = true
      this.#end(caller)
    }
  }

  #hasRoom(caller: string): boolean {
    return this.#open < AT_ONCE && (this.#running.get(caller) ?? 0) < AT_ONCE_PER_CALLER
  }

  #begin(caller: string): void {
    this.#open++
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1)
  }

  #wait(caller: string): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) throw overloaded()
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        caller,
        begin: () => {
          clearTimeout(timer)
          this.#begin(caller)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(overloaded())
      }, WAIT_MS)
      this.#waiting.push(waiting)
    })
  }

  #end(caller: string): void {
    this.#open--
    const left = (this.#running.get(caller) ?? 1) - 1
    if (left > 0) this.#running.set(caller, left)
    else this.#running.delete(caller)
    const next = this.#waiting.findIndex((one) => this.#hasRoom(one.caller))
    if (next >= 0) this.#waiting.splice(next, 1)[0]?.begin()
  }
}

const overloaded = (): ServiceError =>
  new ServiceError('unavailable', 'The service is serving as many Git clients as it can. Try again in a moment.', { headers: { 'Retry-After': RETRY_SECONDS } })
