import type { Lease } from '../../kernel/lease.js'
import type { KeyedMutex } from './keyed-mutex.js'

/** Collects items while a key's lock is held by others, so that one turn of the lock handles them all. */
export class Batcher {
  // bound: requests in progress
  readonly #waiting = new Map<string, unknown[]>()

  constructor(
    readonly locks: KeyedMutex,
    /** Most items in one batch. */
    readonly maxItems: number,
  ) {}

  /** Adds an item to the batch of a key. `work` gets the whole batch, under the lock; it must not reject. */
  add<T>(key: string, item: T, work: (items: readonly T[], lease: Lease) => Promise<void>): void {
    const batch = this.#waiting.get(key)
    if (batch && batch.length < this.maxItems) {
      batch.push(item)
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
