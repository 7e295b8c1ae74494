/** Places of the pages that a visitor sees in lists: what is above, before and after each. */
import type { PageEntry } from '../content/types.js'
import type { VisitorPages } from '../domain/sites/visitor-pages.js'
import { Slices } from '../kernel/slices.js'

interface Place {
  entry: PageEntry
  above: PageEntry | null
  /** The position of the first page with text at or after the entry. */
  order: number
  /** The position after the last page within the entry. */
  end: number
}

/** The listed pages of a space, for look-ups that do not depend on their number. */
export interface PageTree {
  /** The pages with text, in reading order. */
  order: readonly PageEntry[]
  /** Returns an entry that the visitor sees in lists. */
  find(id: string): PageEntry | undefined
  /** Returns the entries above an entry, from the top. */
  above(id: string): PageEntry[]
  /** Returns the first page with text that is the entry or below it. */
  firstWithin(entry: PageEntry): PageEntry | undefined
  /** Returns the pages before and after a page in reading order. */
  around(id: string): { previous?: PageEntry; next?: PageEntry }
}

// bound: the page trees that are in memory
const trees = new WeakMap<readonly PageEntry[], Promise<PageTree>>()

/** Returns the places of the pages. They are computed once for each tree of pages. */
export function treeOf({ listed }: Pick<VisitorPages, 'listed'>): Promise<PageTree> {
  const known = trees.get(listed) ?? build(listed)
  trees.set(listed, known)
  return known
}

export const hasText = ({ type }: PageEntry): boolean => type === 'document' || type === 'generated'

async function build(listed: readonly PageEntry[]): Promise<PageTree> {
  const places = new Map<string, Place>()
  const order: PageEntry[] = []
  const slices = new Slices()
  const add = async (entries: readonly PageEntry[], above: PageEntry | null): Promise<void> => {
    for (const entry of entries) {
      if (slices.due) await slices.rest()
      const place: Place = { entry, above, order: order.length, end: order.length }
      places.set(entry.id, place)
      if (hasText(entry)) order.push(entry)
      if (entry.pages.length > 0) await add(entry.pages, entry)
      place.end = order.length
    }
  }
  await add(listed, null)
  return {
    order,
    find: (id) => places.get(id)?.entry,
    above: (id) => {
      const path: PageEntry[] = []
      for (let at = places.get(id)?.above; at; at = places.get(at.id)?.above) path.unshift(at)
      return path
    },
    firstWithin: ({ id }) => {
      const place = places.get(id)
      return place && place.order < place.end ? order[place.order] : undefined
    },
    around: (id) => {
      const place = places.get(id)
      if (!place || !hasText(place.entry)) return {}
      const [previous, next] = [order[place.order - 1], order[place.order + 1]]
      return { ...(previous ? { previous } : {}), ...(next ? { next } : {}) }
    },
  }
}
