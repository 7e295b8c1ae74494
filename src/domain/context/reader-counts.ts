/**
 * Counts what readers of sites do, without data about the readers. The counts of the last minute are in memory, and a
 * crash loses them. An address of a client is in memory only as a digest with a salt that changes every day: to count one
 * search once while it is typed, and to keep a text only after several addresses have sent it.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../kernel/clock.js'

/** Number of different addresses that must have sent a text before it is kept. */
export const MIN_ADDRESSES = 3
/** Time in milliseconds in which longer and shorter forms of a query from one address are the same search. */
const TYPING_MS = 30_000
const MAX_PENDING_TEXTS = 5_000
const MAX_COMMON_TEXTS = 5_000
const MAX_TYPED = 2_000
/** Maximum number of pages and of texts whose counts wait for the next write. Beyond it, counts are dropped. */
const MAX_PAGES = 20_000
const MAX_TEXTS = 2_000
const MAX_TEXT_LENGTH = 100
const DAY_MS = 86_400_000

/** The kinds of texts: queries without results, addresses of no page, and old addresses. */
export type TextKind = 'searches' | 'missing' | 'redirected'
const TEXT_KINDS = ['searches', 'missing', 'redirected'] as const

/** The counts of one site since the last write. */
export class SiteCounts {
  reads = 0
  searches = 0
  emptySearches = 0
  missing = 0
  redirected = 0
  /** Reads by `<site space>:<page>`. */
  // bound: MAX_PAGES
  readonly pages = new Map<string, number>()
  // bound: MAX_TEXTS
  readonly texts: Record<TextKind, Map<string, number>> = {
    searches: new Map(),
    missing: new Map(),
    redirected: new Map(),
  }
}

interface TypedSearch {
  site: string
  query: string
  isEmpty: boolean
  address: string
  at: number
}

const add = (counts: Map<string, number>, key: string, by: number, max: number): void => {
  if (counts.size < max || counts.has(key)) counts.set(key, (counts.get(key) ?? 0) + by)
}

/** The counts of all sites of this process. */
export class ReaderCounts {
  // bound: the sites that were read since the last write
  #sites = new Map<string, SiteCounts>()
  #salt = randomBytes(32)
  #saltDay = 0
  // bound: MAX_PENDING_TEXTS; each value has fewer than MIN_ADDRESSES members
  readonly #pending = new LRUCache<string, Set<string>>({ max: MAX_PENDING_TEXTS })
  // bound: MAX_COMMON_TEXTS
  readonly #common = new LRUCache<string, true>({ max: MAX_COMMON_TEXTS })
  // bound: MAX_TYPED
  readonly #typed = new LRUCache<string, TypedSearch>({
    max: MAX_TYPED,
    dispose: (search, _, reason) => reason === 'evict' && this.#settle(search),
  })

  constructor(private readonly clock: Clock) {}

  /** Counts a read of a page. */
  read(site: string, page: string): void {
    const counts = this.#of(site)
    counts.reads++
    add(counts.pages, page, 1, MAX_PAGES)
  }

  /** Counts a request for an address of no page, or for an old address. */
  address(site: string, kind: 'missing' | 'redirected', path: string, ip: string): void {
    this.#of(site)[kind]++
    this.#note(site, kind, path, this.#digest(ip))
  }

  /** Counts a search. The queries of a search that is being typed count once, with the last one. */
  search(site: string, query: string, isEmpty: boolean, ip: string): void {
    const address = this.#digest(ip)
    const key = `${site} ${address}`
    const at = this.clock.now().getTime()
    const before = this.#typed.get(key)
    const isSame =
      before !== undefined &&
      at - before.at < TYPING_MS &&
      (query.startsWith(before.query) || before.query.startsWith(query))
    if (before && !isSame) this.#settle(before)
    this.#typed.set(key, { site, query, isEmpty, address, at })
  }

  /** Returns the counts since the last call, and starts again from zero. @param all also of searches being typed */
  take(all = false): Map<string, SiteCounts> {
    const now = this.clock.now().getTime()
    for (const [key, search] of [...this.#typed])
      if (all || now - search.at >= TYPING_MS) {
        this.#settle(search)
        this.#typed.delete(key)
      }
    const taken = this.#sites
    this.#sites = new Map()
    return taken
  }

  #of(site: string): SiteCounts {
    const counts = this.#sites.get(site) ?? new SiteCounts()
    this.#sites.set(site, counts)
    return counts
  }

  #settle({ site, query, isEmpty, address }: TypedSearch): void {
    const counts = this.#of(site)
    counts.searches++
    if (!isEmpty) return
    counts.emptySearches++
    this.#note(site, 'searches', query.toLowerCase(), address)
  }

  /** Keeps a text once enough addresses have sent it. */
  #note(site: string, kind: TextKind, raw: string, address: string): void {
    const text = raw.replace(/\p{C}/gu, '').slice(0, MAX_TEXT_LENGTH)
    if (text === '') return
    const key = `${site}\n${kind}\n${text}`
    const counts = this.#of(site).texts[kind]
    if (this.#common.get(key)) {
      add(counts, text, 1, MAX_TEXTS)
      return
    }
    const addresses = this.#pending.get(key) ?? new Set<string>()
    addresses.add(address)
    this.#pending.set(key, addresses)
    if (addresses.size < MIN_ADDRESSES) return
    this.#pending.delete(key)
    this.#common.set(key, true)
    add(counts, text, MIN_ADDRESSES, MAX_TEXTS)
  }

  #digest(ip: string): string {
    const day = Math.floor(this.clock.now().getTime() / DAY_MS)
    if (day !== this.#saltDay) {
      this.#saltDay = day
      this.#salt = randomBytes(32)
      this.#pending.clear()
    }
    return createHmac('sha256', this.#salt).update(ip).digest('base64url').slice(0, 16)
  }
}

/** Whether counts contain nothing. */
export const isNothing = (counts: SiteCounts): boolean =>
  counts.reads + counts.searches + counts.missing + counts.redirected === 0 &&
  TEXT_KINDS.every((kind) => counts.texts[kind].size === 0)
