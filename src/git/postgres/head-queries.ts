/** Reads the heads of repositories. Requests that run at the same time share one query. */
import type { Database } from '../../postgres/index.js'
import { type Head, readHeads } from './head.js'

/** Maximum number of concurrent queries. Later requests join the next query. */
const AT_ONCE = 2
/** Maximum number of names in one query. */
const MAX_NAMES = 500

interface Waiting {
  resolve(head: Head | null): void
  reject(error: unknown): void
}

/**
 * Batches reads of heads. A query serves only requests that arrived before it started, so every request sees all writes
 * that were acknowledged before it.
 */
export class HeadQueries {
  // bound: requests and jobs under way
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0

  constructor(readonly database: Pick<Database, 'query'>) {}

  /** Returns the head of a repository; null if there is none. Throws `DatabaseAway`. */
  ask(name: string): Promise<Head | null> {
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(name)
      if (others) others.push({ resolve, reject })
      else this.#waiting.set(name, [{ resolve, reject }])
      this.#next()
    })
  }

  #next(): void {
    if (this.#running >= AT_ONCE || this.#waiting.size === 0) return
    this.#running++
    // Requests from the same turn of the event loop share the first query.
    setImmediate(() => void this.#run())
  }

  async #run(): Promise<void> {
    const asked = new Map([...this.#waiting].slice(0, MAX_NAMES))
    for (const name of asked.keys()) this.#waiting.delete(name)
    try {
      const found = asked.size === 0 ? new Map<string, Head>() : await readHeads(this.database, [...asked.keys()])
      for (const [name, all] of asked) for (const { resolve } of all) resolve(found.get(name) ?? null)
    } catch (error) {
      for (const all of asked.values()) for (const { reject } of all) reject(error)
    } finally {
      this.#running--
      this.#next()
    }
  }
}
