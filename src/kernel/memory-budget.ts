// One budget of bytes for all caches together.
import { LRUCache } from 'lru-cache'
import { defined } from './defined.js'

/** A cache that evicts entries when memory is short. Any entry may be missing at the next `get`. */
export interface BoundedCache<V> {
  get(key: string): V | undefined
  has(key: string): boolean
  /** @param bytes the result of `weigh`, if the caller already knows it */
  set(key: string, value: V, bytes?: number): void
  delete(key: string): void
  clear(): void
}

interface CacheOptions<V> {
  /**
   * Returns the memory of a value in bytes, without its key and its base. `test/kernel/estimates.test.ts` compares it
   * with the heap.
   */
  weigh(value: V): number
  /** Returns another value that this one refers to, and so keeps in memory; null if there is none. */
  base?(value: V): (V & object) | null
  /** Larger values are not cached. */
  maxEntryBytes?: number
  /** Whether an entry is evicted with the last of its dependents, because only they used it. */
  goesWithLast?: boolean
}

/** Memory that a slice may keep alive in a larger buffer, as a share of its size. */
const SLACK = 1 / 4

/**
 * Copies bytes out of a much larger buffer. `inflate`, for example, returns slices of 16 KiB buffers, so
 * a cache of 2 KiB slices would keep all of each buffer.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length * (1 + SLACK)) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

interface Entry {
  readonly value: unknown
  /** Key of the entry whose size includes the shared memory. */
  readonly dependsOn?: string
  readonly goesWithLast: boolean
}

/** Overhead of an entry: its key, its slots in the LRU list and map, and the object itself. */
const ENTRY_BYTES = 250
/** Maximum share of the budget for one entry. Otherwise a huge value would evict all others. */
const MAX_ENTRY_SHARE = 1 / 4

/**
 * One limit, in bytes, for all caches together. The least recently used entry of any cache is evicted first.
 * A value that is cached under several keys, or that other values refer to, counts once, for one entry. The others
 * depend on
 * that entry: they are evicted with it, and each use of them counts as a use of it.
 */
export class MemoryBudget {
  // bound: `bytes`
  readonly #entries: LRUCache<string, Entry>
  /** Value → key of the entry whose size includes it. */
  // bound: the entries
  readonly #charged = new Map<unknown, string>()
  // bound: the entries
  /** Key of an entry → keys of the entries that depend on it. */
  readonly #dependents = new Map<string, Set<string>>()
  #caches = 0

  constructor(readonly bytes: number) {
    this.#entries = new LRUCache({
      maxSize: bytes,
      maxEntrySize: Math.max(1, Math.floor(bytes * MAX_ENTRY_SHARE)),
      disposeAfter: this.#gone,
    })
  }

  /** Estimated total size of all entries, in bytes. */
  get used(): number {
    return this.#entries.calculatedSize
  }

  /** Creates a cache within this budget. */
  cache<V>(options: CacheOptions<V>): BoundedCache<V> {
    const prefix = `${(this.#caches++).toString(36)}:`
    return {
      get: (key) => this.#get(prefix + key) as V | undefined,
      has: (key) => this.#entries.has(prefix + key),
      set: (key, value, bytes) =>
        this.#set(prefix + key, value, bytes === undefined ? options : { ...options, weigh: () => bytes }),
      delete: (key) => void this.#entries.delete(prefix + key),
      clear: () => {
        for (const key of [...this.#entries.keys()]) if (key.startsWith(prefix)) this.#entries.delete(key)
      },
    }
  }

  #get(key: string): unknown {
    const found = this.#entries.get(key)
    for (let at = found?.dependsOn; at !== undefined; ) at = this.#entries.get(at)?.dependsOn
    return found?.value
  }

  #set<V>(
    key: string,
    value: V,
    { weigh, base, maxEntryBytes = Number.POSITIVE_INFINITY, goesWithLast = false }: CacheOptions<V>,
  ): void {
    this.#entries.delete(key)
    const shared = this.#charged.get(value)
    let dependsOn = shared
    let bytes = shared === undefined ? weigh(value) : 0
    for (let below = base?.(value) ?? null; dependsOn === undefined && below !== null; below = base?.(below) ?? null) {
      dependsOn = this.#charged.get(below)
      if (dependsOn === undefined) bytes += weigh(below)
    }
    if (bytes > maxEntryBytes) return
    // Marks it as used, so that it is not evicted to make room for this entry.
    if (dependsOn !== undefined) this.#get(dependsOn)
    this.#entries.set(
      key,
      { value, goesWithLast, ...defined({ dependsOn }) },
      { size: Math.ceil(bytes) + key.length + ENTRY_BYTES },
    )
    if (!this.#entries.has(key)) return
    if (shared === undefined && typeof value === 'object' && value !== null) this.#charged.set(value, key)
    if (dependsOn !== undefined) this.#addDependent(key, dependsOn)
  }

  #addDependent(key: string, on: string): void {
    if (!this.#entries.has(on)) {
      this.#entries.delete(key)
      return
    }
    const dependents = this.#dependents.get(on)
    if (dependents) dependents.add(key)
    else this.#dependents.set(on, new Set([key]))
  }

  readonly #gone = ({ value, dependsOn }: Entry, key: string): void => {
    if (this.#charged.get(value) === key) this.#charged.delete(value)
    if (dependsOn !== undefined) {
      const others = this.#dependents.get(dependsOn)
      others?.delete(key)
      if (others?.size === 0) {
        this.#dependents.delete(dependsOn)
        if (this.#entries.peek(dependsOn)?.goesWithLast) this.#entries.delete(dependsOn)
      }
    }
    const dependents = this.#dependents.get(key)
    this.#dependents.delete(key)
    for (const one of dependents ?? []) this.#entries.delete(one)
  }
}
