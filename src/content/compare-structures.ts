import { inSlices } from '../kernel/slices.js'
import type { ContentStructure, PageEntry } from './types.js'

/** Where a page stands in a tree. */
export interface TreePosition {
  path: string
  parent: string | null
  /** Among its siblings, from 0. */
  position: number
  gitPath: string | null
}

/** A page that both revisions have. */
export interface KeptPage {
  before: PageEntry
  after: PageEntry
  /** Set where its place differs. */
  moved: { from: TreePosition; to: TreePosition } | null
}

export interface PagesDifference {
  created: PageEntry[]
  deleted: PageEntry[]
  kept: KeptPage[]
}

type Places = Map<string, { entry: PageEntry; place: TreePosition }>

const gitPathOf = (entry: PageEntry): string | null => (entry.type === 'document' ? entry.gitPath : null)

function* placesOf(structure: ContentStructure): Generator<void, Places> {
  const places: Places = new Map()
  const work: { entry: PageEntry; parent: string | null; position: number }[] = []
  const push = (pages: readonly PageEntry[], parent: string | null): void => {
    for (let position = pages.length - 1; position >= 0; position--) work.push({ entry: pages[position] as PageEntry, parent, position })
  }
  push(structure.pages, null)
  for (let next = work.pop(); next; next = work.pop()) {
    yield
    const { entry, parent, position } = next
    if (!places.has(entry.id)) places.set(entry.id, { entry, place: { path: entry.path, parent, position, gitPath: gitPathOf(entry) } })
    push(entry.pages, entry.id)
  }
  return places
}

/**
 * How the pages of two revisions differ, by ID. A page has moved where its path, parent or file differs, or where it went
 * past siblings that stayed: of the pages that both revisions have under a parent, as few as can be. Done in slices.
 */
export const comparePages = (before: ContentStructure, after: ContentStructure): Promise<PagesDifference> => inSlices(compareInSteps(before, after))

function* compareInSteps(before: ContentStructure, after: ContentStructure): Generator<void, PagesDifference> {
  const old = yield* placesOf(before)
  const now = yield* placesOf(after)
  const reordered = yield* findReordered(old, now)
  const found: PagesDifference = { created: [], kept: [], deleted: [] }
  for (const [id, { entry, place }] of now) {
    yield
    const was = old.get(id)
    if (!was) {
      found.created.push(entry)
      continue
    }
    const from = was.place
    const moved = from.path !== place.path || from.parent !== place.parent || from.gitPath !== place.gitPath || reordered.has(id)
    found.kept.push({ before: was.entry, after: entry, moved: moved ? { from, to: place } : null })
  }
  for (const [id, { entry }] of old) {
    yield
    if (!now.has(id)) found.deleted.push(entry)
  }
  return found
}

function* findReordered(old: Places, now: Places): Generator<void, Set<string>> {
  const siblings = new Map<string | null, { id: string; was: number }[]>()
  for (const [id, { place }] of now) {
    yield
    const was = old.get(id)?.place
    if (!was || was.parent !== place.parent) continue
    const row = siblings.get(place.parent)
    if (row) row.push({ id, was: was.position })
    else siblings.set(place.parent, [{ id, was: was.position }])
  }
  const reordered = new Set<string>()
  for (const row of siblings.values()) {
    yield
    for (const { id } of outOfOrder(row)) reordered.add(id)
  }
  return reordered
}

/** What is left when the longest run that kept its order is taken away. */
function outOfOrder<T extends { was: number }>(row: readonly T[]): T[] {
  if (row.every((one, i) => i === 0 || (row[i - 1] as T).was < one.was)) return []
  // Patience sorting: `ends[n]` is where the run of n + 1 with the smallest end ends.
  const ends: number[] = []
  const previous: number[] = []
  for (const [at, { was }] of row.entries()) {
    let low = 0
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((row[ends[middle] as number] as T).was < was) low = middle + 1
      else high = middle
    }
    previous[at] = low > 0 ? (ends[low - 1] as number) : -1
    ends[low] = at
  }
  const stayed = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) stayed.add(at)
  return row.filter((_, at) => !stayed.has(at))
}
