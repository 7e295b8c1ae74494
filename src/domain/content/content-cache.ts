import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { IdOverrides } from '../../content/identity.js'
import type { Reference } from '../../content/reference.js'
import type { ContentStructure, PageSource } from '../../content/types.js'
import type { Signature } from '../../git/index.js'
import { type BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import { atOnce } from '../../kernel/slices.js'
import type { Deletions } from './deleted-pages.js'
import type { PageDates } from './page-dates.js'
import type { PageRevision } from './page-history.js'
import * as weights from './weights.js'

/** A markdown file read: its text and what was found in it. */
export interface ParsedPage {
  text: string
  source: PageSource
  /** Why the text is not shown: a sentence; absent where it is. */
  hidden?: string
  /** Why nobody holds the text, which is shown out of the file (`content/documents.ts`): a sentence; absent where it is held. */
  large?: string
}

/** Pixels of an image, or `none` where it is none. */
export type Dimensions = { width: number; height: number } | 'none'

const DEFAULT_BYTES = 256 * 1024 * 1024

/**
 * What is derived from Git objects, keyed by the smallest input's oid, deletable at any time. Keys that begin with a
 * space's ID hold what also depends on the space's adopted head. All of it is bounded by the budget that it is given.
 */
export class ContentCache {
  /** `<space>:<commit>` → IDs that differ from the default ones. */
  readonly overrides: BoundedCache<IdOverrides>
  /** `<space>:<adopted head>` → whether a server wrote that history. */
  readonly ownHistories: BoundedCache<boolean>
  /** `<space>:<commit>` → shape of the revision. */
  readonly structures: BoundedCache<ContentStructure>
  /** Blob oid → page; its diagnostics name the file that was read first. */
  readonly pages: BoundedCache<ParsedPage>
  /** Blob oid → the references in it. */
  readonly references: BoundedCache<readonly Reference[]>
  /** Blob oid → the places in a page that can be commented on. */
  readonly places: BoundedCache<readonly CommentTarget[]>
  /** `<space>:<commit>` → dates of files. */
  readonly dates: BoundedCache<PageDates>
  /** Blob oid → pixels, or `none` where it is no image. */
  readonly dimensions: BoundedCache<Dimensions>
  /** `<space>:<tree>` → git paths of the files that its pages reference. */
  readonly files: BoundedCache<readonly string[]>
  /** `<space>:<commit>:<page>` → the revisions on the first-parent line up to the commit that changed the page. */
  readonly pageHistories: BoundedCache<readonly PageRevision[]>
  /** `<space>:<commit>` → the pages whose entries in the table of contents the commit changed. */
  readonly listed: BoundedCache<ReadonlySet<string>>
  /** `<space>:<commit>` → where pages that are no more were deleted. */
  readonly deletions: BoundedCache<Deletions>
  /** `<space>:<commit>:<path>` → who wrote what the commit brought to a file. */
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

  /** A cache for what may never be: it knows what is known, shares what is keyed by blob, and forgets what it learns of commits. */
  scratch(): ContentCache {
    const scratch = new ContentCache(this.budget)
    const { pages, references, places, dimensions } = this
    const overrides = above(this.overrides, scratch.overrides)
    const structures = above(this.structures, scratch.structures)
    return Object.assign(scratch, { pages, references, places, dimensions, overrides, structures })
  }

  /** Forgets everything: what is asked for next is derived anew. */
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

/** What `own` holds, else what `below` does; only `own` changes. */
const above = <V>(below: BoundedCache<V>, own: BoundedCache<V>): BoundedCache<V> => ({
  get: (key) => own.get(key) ?? below.get(key),
  has: (key) => own.has(key) || below.has(key),
  set: (key, value, bytes) => own.set(key, value, bytes),
  delete: (key) => own.delete(key),
  clear: () => own.clear(),
})
