/**
 * Creates the memory caches of values that are computed from commits (trees, pages, dates, IDs). They share one budget.
 */
import { type BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import { atOnce } from '../../kernel/slices.js'
import type { CommitId } from '../../kernel/ids.js'
import type { PartIndex } from '../../model/index.js'
import type { Caches, ContentCache, PageDates } from '../context/content-cache.js'
import * as weights from './weights.js'

const DEFAULT_BYTES = 256 * 1024 * 1024

/** Creates the caches. All values together stay within one memory budget. */
export function revisionCache(budget: MemoryBudget = new MemoryBudget(DEFAULT_BYTES)): ContentCache {
  const caches: Caches = {
    overrides: budget.cache({ weigh: weights.ofOverrides }),
    ownHistories: budget.cache({ weigh: () => 0 }),
    structures: budget.cache({ weigh: (structure) => atOnce(weights.ofStructure(structure)) }),
    computed: budget.cache({ weigh: (structure) => atOnce(weights.ofStructure(structure)) }),
    partIndexes: budget.cache<PartIndex>({
      weigh: ({ operations, webhooks, schemas }) =>
        2_000 + 600 * (operations.length + webhooks.length + schemas.length),
    }),
    pages: budget.cache({ weigh: weights.ofPage }),
    references: budget.cache({ weigh: weights.ofReferences }),
    outlines: budget.cache({ weigh: weights.ofOutline }),
    texts: budget.cache({ weigh: weights.ofText }),
    places: budget.cache({ weigh: weights.ofPlaces }),
    trees: budget.cache({ weigh: (tree) => atOnce(weights.ofTree(tree)) }),
    dates: budget.cache<PageDates>({ weigh: weights.ofDates, base: (dates) => dates.base }),
    dimensions: budget.cache({ weigh: weights.ofDimensions }),
    pointers: budget.cache({ weigh: weights.ofPointer }),
    files: budget.cache<readonly string[]>({ weigh: weights.ofPaths }),
    links: budget.cache({ weigh: (links) => atOnce(weights.ofLinks(links)) }),
    addresses: budget.cache({ weigh: weights.ofAddresses }),
    pageHistories: budget.cache({ weigh: weights.ofPageHistory }),
    listed: budget.cache<ReadonlySet<string>>({ weigh: weights.ofPaths }),
    deletions: budget.cache({ weigh: weights.ofDeletions }),
    gatedPages: budget.cache({ weigh: weights.ofGatedPages }),
    visiblePages: budget.cache({ weigh: weights.ofVisiblePages }),
    previewMerges: budget.cache({ weigh: () => 80 }),
    renderings: budget.cache<Buffer>({ weigh: (bytes) => bytes.length + 100 }),
    mainLines: budget.cache<readonly CommitId[]>({ weigh: (line) => 100 + 100 * line.length }),
    writers: budget.cache({ weigh: weights.ofWriters }),
    remoteCommits: budget.cache({ weigh: () => 64 }),
    formerPaths: budget.cache({ weigh: weights.ofOverrides }),
    blockChanges: budget.cache({
      weigh: ({ blocks, changes }) => 200 + 8 * blocks.length + 250 * Object.keys(changes).length,
    }),
    comparedVersions: budget.cache({ weigh: ({ blocks }) => 200 + 8 * blocks.length }),
    changedPages: budget.cache<number>({ weigh: () => 8 }),
    lastChanges: budget.cache({ weigh: ({ author }) => 150 + weights.ofText(author) }),
  }
  return {
    ...caches,
    scratch: () => scratchOf(caches, revisionCache(budget)),
    clear: () => {
      for (const cache of Object.values(caches)) cache.clear()
    },
  }
}

/** Creates a scratch cache. Values with blob keys are shared; values with commit keys stay in `own`. */
function scratchOf(caches: Caches, own: ContentCache): ContentCache {
  const { pages, references, outlines, texts, places, dimensions, pointers, renderings } = caches
  const overrides = layered(caches.overrides, own.overrides)
  const structures = layered(caches.structures, own.structures)
  return { ...own, pages, references, outlines, texts, places, dimensions, pointers, renderings, overrides, structures }
}

/** Reads from `own`, then from `below`. Writes only to `own`. */
const layered = <V>(below: BoundedCache<V>, own: BoundedCache<V>): BoundedCache<V> => ({
  get: (key) => own.get(key) ?? below.get(key),
  has: (key) => own.has(key) || below.has(key),
  set: (key, value, bytes) => own.set(key, value, bytes),
  delete: (key) => own.delete(key),
  clear: () => own.clear(),
})
