/** What waits for its turn. */
export interface Waiting {
  /** Who pays for it: a space, an organization. */
  owner: string
  /** Bytes that it holds while it waits. */
  bytes: number
}

/** Time that somebody used counts half as much after so many milliseconds. */
const HALF_LIFE_MS = 10_000

/**
 * A bounded queue that serves owners by what they had: next is the oldest item of the one who used least time of late. So
 * whoever sends costly work waits for everybody else's, however much of it he sends.
 */
export class FairQueue<T extends Waiting> {
  readonly #items = new Map<string, T[]>()
  readonly #used = new Map<string, { ms: number; at: number }>()
  #count = 0
  #bytes = 0

  /** @param max items; one owner has at most a quarter of them and of the bytes */
  constructor(
    private readonly max: { items: number; bytes: number },
    private readonly now: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.#count
  }

  /** Whether there was room for the item. */
  offer(item: T): boolean {
    const own = this.#items.get(item.owner) ?? []
    const share = { items: Math.ceil(this.max.items / 4), bytes: this.max.bytes / 4 }
    const ownBytes = own.reduce((sum, one) => sum + one.bytes, 0)
    if (this.#count >= this.max.items || own.length >= share.items) return false
    if (this.#bytes + item.bytes > this.max.bytes || (own.length > 0 && ownBytes + item.bytes > share.bytes)) return false
    this.#items.set(item.owner, [...own, item])
    this.#count++
    this.#bytes += item.bytes
    return true
  }

  /** The next item; undefined where none waits. */
  take(): T | undefined {
    let next: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const owner of this.#items.keys()) {
      const used = this.#usedBy(owner)
      if (used < least) [next, least] = [owner, used]
    }
    if (next === undefined) return undefined
    const own = this.#items.get(next) as T[]
    const item = own.shift() as T
    // Behind everybody else, for those who used the same.
    this.#items.delete(next)
    if (own.length > 0) this.#items.set(next, own)
    this.#count--
    this.#bytes -= item.bytes
    return item
  }

  /** Counts time that an owner's work took. */
  charge(owner: string, ms: number): void {
    this.#used.set(owner, { ms: this.#usedBy(owner) + ms, at: this.now() })
    if (this.#used.size > 1_000) for (const one of this.#used.keys()) if (this.#usedBy(one) < 1) this.#used.delete(one)
  }

  /** Takes everything out. */
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
