/** An item in the queue. */
import { required } from '../kernel/defined.js'
export interface Queued {
  /** The owner that is charged for it: a space or an organization. */
  owner: string
  /** The number of bytes that it keeps in memory while it waits. */
  bytes: number
}

/** Time after which used processing time counts half as much. */
const HALF_LIFE_MS = 10_000

/**
 * A bounded queue that is fair between owners. The next item is the oldest one of the owner that recently used the
 * least time. An owner with a lot of costly work therefore waits for the others, and the others do not wait for it.
 */
export class FairQueue<T extends Queued> {
  readonly #items = new Map<string, T[]>()
  readonly #used = new Map<string, { ms: number; at: number }>()
  #count = 0
  #bytes = 0

  /** @param max items and bytes in the queue; one owner may use a quarter of each */
  constructor(
    private readonly max: { items: number; bytes: number },
    private readonly now: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.#count
  }

  /** Adds the item. Returns false if there is no room for it. */
  offer(item: T): boolean {
    const own = this.#items.get(item.owner) ?? []
    const share = { items: Math.ceil(this.max.items / 4), bytes: this.max.bytes / 4 }
    const ownBytes = own.reduce((sum, one) => sum + one.bytes, 0)
    if (this.#count >= this.max.items || own.length >= share.items) return false
    if (this.#bytes + item.bytes > this.max.bytes || (own.length > 0 && ownBytes + item.bytes > share.bytes))
      return false
    this.#items.set(item.owner, [...own, item])
    this.#count++
    this.#bytes += item.bytes
    return true
  }

  /** Removes and returns the next item; undefined if the queue is empty. */
  take(): T | undefined {
    let next: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const owner of this.#items.keys()) {
      const used = this.#usedBy(owner)
      if (used < least) [next, least] = [owner, used]
    }
    if (next === undefined) return undefined
    const own = required(this.#items.get(next))
    const item = required(own.shift())
    // Move the owner to the end, so that owners with the same used time alternate.
    this.#items.delete(next)
    if (own.length > 0) this.#items.set(next, own)
    this.#count--
    this.#bytes -= item.bytes
    return item
  }

  /** Records the time that an owner's work took. */
  charge(owner: string, ms: number): void {
    this.#used.set(owner, { ms: this.#usedBy(owner) + ms, at: this.now() })
    if (this.#used.size > 1_000) for (const one of this.#used.keys()) if (this.#usedBy(one) < 1) this.#used.delete(one)
  }

  /** Removes and returns all items. */
  drain(): T[] {
    const all = [...this.#items.values()].flat()
    this.#items.clear()
    this.#count = 0
    this.#bytes = 0
    return all
  }

  #usedBy(owner: string): number {
    const used = this.#used.get(owner)
    return used ? used.ms * 0.5 ** ((this.now() - used.at) / HALF_LIFE_MS) : 0
  }
}
