/** The positions of entries in a table of contents: the entries above, below, before and after each. */
import type { PageEntry } from '../../content/types.js'
import { Slices } from '../../kernel/slices.js'

/** An entry with its position. */
export interface PlacedPage {
  entry: PageEntry
  above: PlacedPage | null
  /** The number of entries above it. */
  depth: number
  /** Its position in the list of all entries. */
  at: number
  /** The number of entries below it. They follow it in the list. */
  below: number
  /** The position of the first page with text at or after it. */
  order: number
}

/** A table of contents, for look-ups that do not depend on its length. */
export interface PageTree {
  /** All entries in reading order, parents first. */
  all: readonly PlacedPage[]
  /** The pages with text, in reading order. */
  order: readonly PageEntry[]
  find(id: string): PageEntry | undefined
  /** Returns the entries above an entry, from the top. */
  above(id: string): PageEntry[]
  /** Returns an entry and all below it, with depths from 0. Null if there is no such entry. */
  subtree(id: string): readonly Pick<PlacedPage, 'entry' | 'depth'>[] | null
  /** Returns the first page with text that is the entry or below it. */
  firstWithin(entry: PageEntry): PageEntry | undefined
  /** Returns the pages before and after a page in reading order. */
  around(id: string): { previous?: PageEntry; next?: PageEntry }
}

// bound: the tables of contents that are in memory
const trees = new WeakMap<readonly PageEntry[], Promise<PageTree>>()

/** Returns the positions of all entries. They are computed once for each table of contents. */
export function pageTree(pages: readonly PageEntry[]): Promise<PageTree> {
  const known = trees.get(pages) ?? build(pages)
  trees.set(pages, known)
  return known
}

export const hasText = ({ type }: PageEntry): boolean => type === 'document' || type === 'generated'

async function build(pages: readonly PageEntry[]): Promise<PageTree> {
  const all: PlacedPage[] = []
  const byId = new Map<string, PlacedPage>()
  const order: PageEntry[] = []
  const slices = new Slices()
  const add = async (entries: readonly PageEntry[], above: PlacedPage | null): Promise<void> => {
    const depth = above ? above.depth + 1 : 0
    for (const entry of entries) {
      if (slices.due) await slices.rest()
      const place: PlacedPage = { entry, above, depth, at: all.length, below: 0, order: order.length }
      all.push(place)
      byId.set(entry.id, place)
      if (hasText(entry)) order.push(entry)
      if (entry.pages.length > 0) await add(entry.pages, place)
      place.below = all.length - place.at - 1
    }
  }
  await add(pages, null)
  const find = (id: string): PlacedPage | undefined => byId.get(id)
  return {
    all,
    order,
    find: (id) => find(id)?.entry,
    above: (id) => {
      const path: PageEntry[] = []
      for (let place = find(id)?.above; place; place = place.above) path.unshift(place.entry)
      return path
    },
    subtree: (id) => {
      const top = find(id)
      if (!top) return null
      const within = all.slice(top.at, top.at + top.below + 1)
      return within.map(({ entry, depth }) => ({ entry, depth: depth - top.depth }))
    },
    firstWithin: ({ id }) => {
      const place = find(id)
      if (!place) return undefined
      const after = all[place.at + place.below + 1]?.order ?? order.length
      return place.order < after ? order[place.order] : undefined
    },
    around: (id) => {
      const place = find(id)
      if (!place || !hasText(place.entry)) return {}
      const [previous, next] = [order[place.order - 1], order[place.order + 1]]
      return { ...(previous ? { previous } : {}), ...(next ? { next } : {}) }
    },
  }
}
