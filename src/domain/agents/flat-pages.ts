/** Lists a table of contents as one list in reading order. */
import type { PageEntry } from '../../content/types.js'
import { Slices } from '../../kernel/slices.js'

/** An entry of a table of contents with its place. */
export interface FlatPage {
  entry: PageEntry
  /** The number of entries above it. */
  depth: number
  /** The number of entries below it. They follow it in the list. */
  below: number
}

// bound: the tables of contents that are in memory
const lists = new WeakMap<readonly PageEntry[], Promise<readonly FlatPage[]>>()

/** Returns all entries, parents first. The list is made once for each table of contents. */
export function flatPages(pages: readonly PageEntry[]): Promise<readonly FlatPage[]> {
  const known = lists.get(pages) ?? flatten(pages)
  lists.set(pages, known)
  return known
}

async function flatten(pages: readonly PageEntry[]): Promise<readonly FlatPage[]> {
  const slices = new Slices()
  const flat: FlatPage[] = []
  const add = async (entries: readonly PageEntry[], depth: number): Promise<void> => {
    for (const entry of entries) {
      if (slices.due) await slices.rest()
      const one: FlatPage = { entry, depth, below: 0 }
      const at = flat.push(one)
      if (entry.pages.length > 0) await add(entry.pages, depth + 1)
      one.below = flat.length - at
    }
  }
  await add(pages, 0)
  return flat
}

/** Returns an entry and all below it, with depths from 0. Null if the list does not have the entry. */
export function subtreeOf(pages: readonly FlatPage[], id: string): readonly FlatPage[] | null {
  const at = pages.findIndex(({ entry }) => entry.id === id)
  const top = pages[at]
  if (!top) return null
  return pages.slice(at, at + top.below + 1).map((one) => ({ ...one, depth: one.depth - top.depth }))
}
