import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { IdOverrides } from '../../content/identity.js'
import type { Reference } from '../../content/reference.js'
import type { ContentStructure } from '../../content/types.js'
import type { Signature } from '../../git/index.js'
import { type BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import { atOnce } from '../../kernel/slices.js'
import type { ContentCache, Deletions, Dimensions, PageDates, PageRevision, ParsedPage } from '../context/content-cache.js'
import * as weights from './weights.js'

const DEFAULT_BYTES = 256 * 1024 * 1024

/** The caches of `ContentCache`. All their values together stay within one memory budget. */
export class RevisionCache implements ContentCache {
  readonly overrides: BoundedCache<IdOverrides>
  readonly ownHistories: BoundedCache<boolean>
  readonly structures: BoundedCache<ContentStructure>
  readonly pages: BoundedCache<ParsedPage>
  readonly references: BoundedCache<readonly Reference[]>
  readonly places: BoundedCache<readonly CommentTarget[]>
  readonly dates: BoundedCache<PageDates>
  readonly dimensions: BoundedCache<Dimensions>
  readonly files: BoundedCache<readonly string[]>
  readonly pageHistories: BoundedCache<readonly PageRevision[]>
  readonly listed: BoundedCache<ReadonlySet<string>>
  readonly deletions: BoundedCache<Deletions>
  readonly writers: BoundedCache<readonly Signature[]>

  constructor(readonly budget: MemoryBudget = new MemoryBudget(DEFAULT_BYTES)) {
    this.overrides = budget.cache({ weigh: weights.ofOverrides })
    this.ownHistories = budget.cache({ weigh: () => 0 })
    this.structures = budget.cache({ weigh: (structure) => atOnce(weights.ofStructure(structure)) })
    this.pages = budget.cache({ weigh: weights.ofPage })
    this.references = budget.cache({ weigh: weights.ofReferences })
    this.places = budget.cache({ weigh: weights.ofPlaces })
    this.dates = budget.cache<PageDates>({ weigh: weights.ofDates, base: (dates) => dates.base })
    this.dimensions = budget.cache({ weigh: weights.ofDimensions })
    this.files = budget.cache<readonly string[]>({ weigh: weights.ofPaths })
    this.pageHistories = budget.cache({ weigh: weights.ofPageHistory })
    this.listed = budget.cache<ReadonlySet<string>>({ weigh: weights.ofPaths })
    this.deletions = budget.cache({ weigh: weights.ofDeletions })
    this.writers = budget.cache({ weigh: weights.ofWriters })
  }

  /**
   * A cache for commits that may never be published (a preview). It reads from this cache and shares what is keyed by blob; what it learns of
   * commits stays in itself.
   */
  scratch(): RevisionCache {
    const scratch = new RevisionCache(this.budget)
    const { pages, references, places, dimensions } = this
    const overrides = layered(this.overrides, scratch.overrides)
    const structures = layered(this.structures, scratch.structures)
    return Object.assign(scratch, { pages, references, places, dimensions, overrides, structures })
  }

  /** Empties all caches. Their content is derived again when it is needed. */
  clear(): void {
    for (const cache of [
      this.overrides,
      this.ownHistories,
      this.structures,
      this.pages,
      this.references,
      this.places,
      this.dates,
      this.dimensions,
      this.files,
      this.pageHistories,
      this.listed,
      this.deletions,
      this.writers,
    ])
      cache.clear()
  }
}

/** Reads from `own`, then from `below`. Writes only to `own`. */
const layered = <V>(below: BoundedCache<V>, own: BoundedCache<V>): BoundedCache<V> => ({
  get: (key) => own.get(key) ?? below.get(key),
  has: (key) => own.has(key) || below.has(key),
  set: (key, value, bytes) => own.set(key, value, bytes),
  delete: (key) => own.delete(key),
  clear: () => own.clear(),
})
