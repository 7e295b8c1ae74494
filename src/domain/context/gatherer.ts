import type { Lease } from '../../kernel/lease.js'
import type { KeyedMutex } from './keyed-mutex.js'

/** Gathers what is asked for while others hold a key's lock, so that all of it is done at once when its turn comes. */
export class Gatherer {
  // bound: requests under way
  readonly #waiting = new Map<string, unknown[]>()

  constructor(
    readonly locks: KeyedMutex,
    /** How much is done at once, at most. */
    readonly most: number,
  ) {}

  /** Adds an item of a key; `work` gets it with those before and after it, under the lock. It must not reject. */
  add<T>(key: string, item: T, work: (items: readonly T[], lease: Lease) => Promise<void>): void {
    const gathering = this.#waiting.get(key)
    if (gathering && gathering.length < this.most) {
      gathering.push(item)
      return
    }
    const items = [item]
    this.#waiting.set(key, items)
    void this.locks.run(key, async (lease) => {
      if (this.#waiting.get(key) === items) this.#waiting.delete(key)
      await work(items, lease)
    })
  }
}
