import { LRUCache } from 'lru-cache'

/** What is kept under keys as long as there is room: any of it may be gone at the next look. */
export interface BoundedCache<V> {
  get(key: string): V | undefined
  has(key: string): boolean
  /** @param bytes what `weigh` would say, where it was found out before */
  set(key: string, value: V, bytes?: number): void
  delete(key: string): void
  clear(): void
}

export interface CacheOptions<V> {
  /** What a value keeps in memory, in bytes, without its key and its base. Held against the heap by `test/kernel/estimates.test.ts`. */
  weigh(value: V): number
  /** Another value that this one keeps alive, such as the one that it only adds to. */
  base?(value: V): (V & object) | null
  /** Values that weigh more are not kept. */
  maxEntryBytes?: number
}

interface Entry {
  readonly value: unknown
  /** Key of the entry that is charged with what this one shares. */
  readonly leansOn?: string
}

/** Key, slots of the list and its map, and the entry itself. */
const ENTRY_BYTES = 250
/** No entry may take more than this part of the budget: one reading of a giant would drive out everything else. */
const LARGEST_PART = 1 / 4

/**
 * One bound, in bytes, for all caches together; of all that they hold, what was not used for the longest time goes first.
 * A value under several keys is charged once, and so is one that another adds to: who leans on an entry goes with it, and
 * using him counts as a use of it.
 */
export class MemoryBudget {
  // bound: `bytes`
  readonly #entries: LRUCache<string, Entry>
  /** Value → the entry that is charged with it. */
  // bound: the entries
  readonly #charged = new Map<unknown, string>()
  // bound: the entries
  readonly #leaning = new Map<string, Set<string>>()
  #caches = 0

  constructor(
    /** The bound, in bytes. */
    readonly bytes: number,
  ) {
    this.#entries = new LRUCache({ maxSize: bytes, maxEntrySize: Math.max(1, Math.floor(bytes * LARGEST_PART)), disposeAfter: this.#gone })
  }

  /** Bytes that are held now, as estimated. */
  get used(): number {
    return this.#entries.calculatedSize
  }

  /** A cache within this budget. */
  cache<V>(options: CacheOptions<V>): BoundedCache<V> {
    const prefix = `${(this.#caches++).toString(36)}:`
    return {
      get: (key) => this.#get(prefix + key) as V | undefined,
      has: (key) => this.#entries.has(prefix + key),
      set: (key, value, bytes) => this.#set(prefix + key, value, bytes === undefined ? options : { ...options, weigh: () => bytes }),
      delete: (key) => void this.#entries.delete(prefix + key),
      clear: () => {
        for (const key of [...this.#entries.keys()]) if (key.startsWith(prefix)) this.#entries.delete(key)
      },
    }
  }

  #get(key: string): unknown {
    const found = this.#entries.get(key)
    for (let at = found?.leansOn; at !== undefined; ) at = this.#entries.get(at)?.leansOn
    return found?.value
  }

  #set<V>(key: string, value: V, { weigh, base, maxEntryBytes = Number.POSITIVE_INFINITY }: CacheOptions<V>): void {
    this.#entries.delete(key)
    const shared = this.#charged.get(value)
    let leansOn = shared
    let bytes = shared === undefined ? weigh(value) : 0
    for (let below = base?.(value) ?? null; leansOn === undefined && below !== null; below = base?.(below) ?? null) {
      leansOn = this.#charged.get(below)
      if (leansOn === undefined) bytes += weigh(below)
    }
    if (bytes > maxEntryBytes) return
    // Before, so that it is not what goes to make room for this one.
    if (leansOn !== undefined) this.#get(leansOn)
    this.#entries.set(key, leansOn === undefined ? { value } : { value, leansOn }, { size: Math.ceil(bytes) + key.length + ENTRY_BYTES })
    if (!this.#entries.has(key)) return
    if (shared === undefined && typeof value === 'object' && value !== null) this.#charged.set(value, key)
    if (leansOn !== undefined) this.#lean(key, leansOn)
  }

  #lean(key: string, on: string): void {
    if (!this.#entries.has(on)) {
      this.#entries.delete(key)
      return
    }
    const leaning = this.#leaning.get(on)
    if (leaning) leaning.add(key)
    else this.#leaning.set(on, new Set([key]))
  }

  readonly #gone = ({ value, leansOn }: Entry, key: string): void => {
    if (this.#charged.get(value) === key) this.#charged.delete(value)
    if (leansOn !== undefined) {
      const others = this.#leaning.get(leansOn)
      others?.delete(key)
      if (others?.size === 0) this.#leaning.delete(leansOn)
    }
    const leaning = this.#leaning.get(key)
    this.#leaning.delete(key)
    for (const one of leaning ?? []) this.#entries.delete(one)
  }
}
