// Compares the tables of contents of two revisions: created, deleted and moved pages.
import { required } from '../kernel/defined.js'
import { inSlices } from '../kernel/slices.js'
import { keptOrder } from './kept-order.js'
import type { ContentStructure, PageEntry } from './types.js'

/** The position of a page in a tree. */
export interface TreeLocation {
  path: string
  parent: string | null
  /** The index among its siblings, from 0. */
  position: number
  gitPath: string | null
}

/** A page that exists in both revisions. */
interface KeptPage {
  before: PageEntry
  after: PageEntry
  /** null if the page did not move. */
  moved: { from: TreeLocation; to: TreeLocation } | null
}

interface PagesDifference {
  created: PageEntry[]
  deleted: PageEntry[]
  kept: KeptPage[]
}

type Locations = Map<string, { entry: PageEntry; location: TreeLocation }>

const gitPathOf = (entry: PageEntry): string | null => (entry.type === 'document' ? entry.gitPath : null)

function* locationsOf(structure: ContentStructure): Generator<void, Locations> {
  const locations: Locations = new Map()
  const work: { entry: PageEntry; parent: string | null; position: number }[] = []
  const push = (pages: readonly PageEntry[], parent: string | null): void => {
    for (let position = pages.length - 1; position >= 0; position--)
      work.push({ entry: required(pages[position]), parent, position })
  }
  push(structure.pages, null)
  for (let next = work.pop(); next; next = work.pop()) {
    yield
    const { entry, parent, position } = next
    if (!locations.has(entry.id))
      locations.set(entry.id, { entry, location: { path: entry.path, parent, position, gitPath: gitPathOf(entry) } })
    push(entry.pages, entry.id)
  }
  return locations
}

/**
 * Compares the pages of two revisions by ID. A page has moved if its path, parent or file differs, or if it was
 * reordered among its siblings. The smallest possible number of siblings counts as reordered. Runs in slices.
 */
export const comparePages = (before: ContentStructure, after: ContentStructure): Promise<PagesDifference> =>
  inSlices(compareInSteps(before, after))

function* compareInSteps(before: ContentStructure, after: ContentStructure): Generator<void, PagesDifference> {
  const old = yield* locationsOf(before)
  const now = yield* locationsOf(after)
  const reordered = yield* findReordered(old, now)
  const difference: PagesDifference = { created: [], kept: [], deleted: [] }
  for (const [id, { entry, location }] of now) {
    yield
    const was = old.get(id)
    if (!was) {
      difference.created.push(entry)
      continue
    }
    const from = was.location
    const moved =
      from.path !== location.path ||
      from.parent !== location.parent ||
      from.gitPath !== location.gitPath ||
      reordered.has(id)
    difference.kept.push({ before: was.entry, after: entry, moved: moved ? { from, to: location } : null })
  }
  for (const [id, { entry }] of old) {
    yield
    if (!now.has(id)) difference.deleted.push(entry)
  }
  return difference
}

function* findReordered(old: Locations, now: Locations): Generator<void, Set<string>> {
  const siblings = new Map<string | null, { id: string; was: number }[]>()
  for (const [id, { location }] of now) {
    yield
    const was = old.get(id)?.location
    if (!was || was.parent !== location.parent) continue
    const row = siblings.get(location.parent)
    if (row) row.push({ id, was: was.position })
    else siblings.set(location.parent, [{ id, was: was.position }])
  }
  const reordered = new Set<string>()
  for (const row of siblings.values()) {
    yield
    const before = [...row].sort((a, b) => a.was - b.was).map(({ id }) => id)
    const after = row.map(({ id }) => id)
    const kept = keptOrder(before, after)
    for (const id of after) if (!kept.has(id)) reordered.add(id)
  }
  return reordered
}
