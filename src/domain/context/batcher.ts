import type { Lease } from '../../kernel/lease.js'
import type { KeyedMutex } from './keyed-mutex.js'

/**
 * How long a batch waits for those who have just been served by the one before it, in milliseconds: they often come back at once, and would
 * otherwise make a batch of their own, in turns with the others.
 */
const GATHER_MS = 3

/** Items of a key that wait for its lock. */
interface Waiting {
  items: unknown[]
  /** Called when an item is added. */
  added: () => void
}

/** Collects items while a key's lock is held by others, so that one turn of the lock handles them all. */
export class Batcher {
  // bound: requests in progress
  readonly #waiting = new Map<string, Waiting>()
  /** How many items the last batch of a key had, if the next one waited for it. */
  // bound: batches that wait
  readonly #served = new Map<string, number>()

  constructor(
    readonly locks: KeyedMutex,
    /** Most items in one batch. */
    readonly maxItems: number,
  ) {}

  /** Adds an item to the batch of a key. `work` gets the whole batch, under the lock; it must not reject. */
  add<T>(key: string, item: T, work: (items: readonly T[], lease: Lease) => Promise<void>): void {
    const batch = this.#waiting.get(key)
    if (batch && batch.items.length < this.maxItems) {
      batch.items.push(item)
      batch.added()
      return
    }
    const items = [item]
    const mine: Waiting = { items, added: () => {} }
    this.#waiting.set(key, mine)
    void this.locks.run(key, async (lease) => {
      await this.#gather(mine, this.#served.get(key) ?? 0)
      this.#served.delete(key)
      if (this.#waiting.get(key) === mine) this.#waiting.delete(key)
      await work(items, lease)
      if (this.#waiting.has(key)) this.#served.set(key, items.length)
    })
  }

  /** Waits until so many more items have come, but not for long. */
  async #gather(batch: Waiting, more: number): Promise<void> {
    const enough = Math.min(batch.items.length + more, this.maxItems)
    if (batch.items.length >= enough) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS)
      batch.added = () => {
        if (batch.items.length < enough) return
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
