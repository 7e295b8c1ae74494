/** Finds the pages whose addresses are most similar to a missing one, in bounded time. */
import type { PageEntry } from '../content/types.js'
import { Slices } from '../kernel/slices.js'
import { addressOfEntry, type OpenSpace } from './navigation.js'
import { hasText, pageTree } from '../domain/revisions/page-tree.js'
import type { Visit } from './visit.js'

/** A page with a similar address. */
export interface NearPage {
  title: string
  href: string
  path: string
}

/** Number of pages that are suggested. */
const SHOWN = 5
/** Maximum number of pages per word, and of pages that are compared. */
const MAX_PER_WORD = 200
const MAX_COMPARED = 1_000
/** Maximum number of characters and words of a path that are compared. */
const MAX_LENGTH = 300
const MAX_WORDS = 12
/** Minimum similarity of the best suggestion, and of the others relative to it. */
const MIN_SIMILARITY = 0.35
const MIN_OF_BEST = 0.6

/** Page by word of its path. */
type Words = ReadonlyMap<string, readonly PageEntry[]>

// bound: the page trees that are in memory
const indexes = new WeakMap<readonly PageEntry[], Promise<Words>>()

/** Returns the listed pages whose paths are most similar to a path, best first. */
export async function nearestPages(visit: Visit, space: OpenSpace, path: string): Promise<NearPage[]> {
  const wanted = path.slice(0, MAX_LENGTH).toLowerCase()
  const found: { entry: PageEntry; similarity: number }[] = []
  const slices = new Slices()
  for (const entry of await candidates(space, wanted)) {
    if (slices.due) await slices.rest()
    const similarity = similarityOf(wanted, entry.path.slice(0, MAX_LENGTH).toLowerCase())
    if (similarity >= MIN_SIMILARITY) found.push({ entry, similarity })
  }
  found.sort((a, b) => b.similarity - a.similarity || (a.entry.path < b.entry.path ? -1 : 1))
  const least = MIN_OF_BEST * (found[0]?.similarity ?? 0)
  return found
    .filter(({ similarity }) => similarity >= least)
    .slice(0, SHOWN)
    .flatMap(({ entry }) => {
      const href = addressOfEntry(visit, space, entry)
      return href === undefined ? [] : [{ title: entry.title, href, path: entry.path }]
    })
}

/** Returns the words of a path. */
export const wordsOfPath = (path: string): string[] => [...new Set(path.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]

async function candidates({ pages }: OpenSpace, path: string): Promise<Set<PageEntry>> {
  const index = indexes.get(pages.listed) ?? indexOf(pages)
  indexes.set(pages.listed, index)
  const words = await index
  const tree = await pageTree(pages.listed)
  const found = new Set<PageEntry>()
  for (const word of wordsOfPath(path).slice(0, MAX_WORDS))
    for (const entry of [...(words.get(word) ?? []), ...(words.get(word.slice(0, 4)) ?? [])]) found.add(entry)
  // The pages next to the missing one: below the nearest page above it.
  const parts = path.split('/').filter(Boolean)
  for (let length = parts.length - 1; length >= 0; length--) {
    const above = pages.revision.structure.byPath.get(parts.slice(0, length).join('/'))
    const listed = length === 0 ? pages.listed : above && tree.find(above.id)?.pages
    if (!listed) continue
    for (const entry of listed.slice(0, MAX_COMPARED)) if (hasText(entry)) found.add(entry)
    break
  }
  return new Set([...found].slice(0, MAX_COMPARED))
}

async function indexOf(pages: OpenSpace['pages']): Promise<Words> {
  const words = new Map<string, PageEntry[]>()
  const slices = new Slices()
  for (const entry of (await pageTree(pages.listed)).order) {
    if (slices.due) await slices.rest()
    const own = wordsOfPath(entry.path.slice(-MAX_LENGTH)).slice(-MAX_WORDS)
    for (const word of new Set(own.flatMap((one) => [one, one.slice(0, 4)]))) {
      const known = words.get(word)
      if (!known) words.set(word, [entry])
      else if (known.length < MAX_PER_WORD) known.push(entry)
    }
  }
  return words
}

/** Returns the similarity of two paths, from 0 to 1: mostly that of their last parts. */
function similarityOf(a: string, b: string): number {
  const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
  return 0.65 * dice(lastOf(a), lastOf(b)) + 0.35 * dice(a, b)
}

/** Returns the share of pairs of characters that two texts have in common. */
function dice(a: string, b: string): number {
  if (a === b) return 1
  const pairs = new Map<string, number>()
  for (let i = 0; i + 1 < a.length; i++) {
    const pair = a.slice(i, i + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  let shared = 0
  for (let i = 0; i + 1 < b.length; i++) {
    const pair = b.slice(i, i + 2)
    const left = pairs.get(pair) ?? 0
    if (left > 0) {
      shared++
      pairs.set(pair, left - 1)
    }
  }
  return (2 * shared) / Math.max(1, a.length + b.length - 2)
}
