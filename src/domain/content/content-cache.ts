import { LRUCache } from 'lru-cache'
import type { Place } from '../../content/blocks/places.js'
import type { IdOverrides } from '../../content/identity.js'
import type { Reference } from '../../content/reference.js'
import type { ContentStructure, PageSource } from '../../content/types.js'
import type { Signature } from '../../git/index.js'
import type { Deletions } from './deleted-pages.js'
import type { PageDates } from './page-dates.js'
import type { PageRevision } from './page-history.js'

/** A markdown file read: its text and what was found in it. */
export interface ParsedPage {
  text: string
  source: PageSource
  /** Why the text is not shown: a sentence; absent where it is. */
  hidden?: string
}

/**
 * What is derived from Git objects, keyed by the smallest input's oid, bounded, deletable at any time. Keys that begin
 * with a space's ID hold what also depends on the space's adopted head.
 */
export class ContentCache {
  /** `<space>:<commit>` → IDs that differ from the default ones. */
  readonly overrides = new LRUCache<string, IdOverrides>({ max: 5_000 })
  /** `<space>:<adopted head>` → whether a server wrote that history. */
  readonly ownHistories = new LRUCache<string, boolean>({ max: 5_000 })
  /** `<space>:<commit>` → shape of the revision. */
  readonly structures = new LRUCache<string, ContentStructure>({ max: 500 })
  /** Blob oid → page; its diagnostics name the file that was read first. */
  readonly pages = new LRUCache<string, ParsedPage>({ maxSize: 128 * 1024 * 1024, sizeCalculation: (page) => page.text.length * 2 + 1_000 })
  /** Blob oid → the references in it. */
  readonly references = new LRUCache<string, readonly Reference[]>({ max: 50_000 })
  /** Blob oid → the places in a page that can be commented on. */
  readonly places = new LRUCache<string, readonly Place[]>({ maxSize: 100_000, sizeCalculation: (places) => places.length + 1 })
  /** `<space>:<commit>` → dates of files. */
  readonly dates = new LRUCache<string, PageDates>({ max: 500 })
  /** Blob oid → pixels, or `none` where it is no image. */
  readonly dimensions = new LRUCache<string, { width: number; height: number } | 'none'>({ max: 50_000 })
  /** `<space>:<tree>` → git paths of the files that its pages reference. */
  readonly files = new LRUCache<string, readonly string[]>({ max: 200 })
  /** `<space>:<commit>:<page>` → the revisions on the first-parent line up to the commit that changed the page. */
  readonly pageHistories = new LRUCache<string, readonly PageRevision[]>({ maxSize: 500_000, sizeCalculation: (commits) => commits.length + 1 })
  /** `<space>:<commit>` → the pages whose entries in the table of contents the commit changed. */
  readonly listed = new LRUCache<string, ReadonlySet<string>>({ maxSize: 500_000, sizeCalculation: (pages) => pages.size + 1 })
  /** `<space>:<commit>` → where pages that are no more were deleted. */
  readonly deletions = new LRUCache<string, Deletions>({ maxSize: 500_000, sizeCalculation: (pages) => pages.size + 1 })
  /** `<space>:<commit>:<path>` → who wrote what the commit brought to a file. */
  readonly writers = new LRUCache<string, readonly Signature[]>({ max: 50_000 })

  /** A cache for what may never be: it begins with what is known, shares what is keyed by blob, and forgets what it learns of commits. */
  scratch(): ContentCache {
    const { pages, references, places, dimensions } = this
    const scratch = Object.assign(new ContentCache(), { pages, references, places, dimensions })
    scratch.overrides.load(this.overrides.dump())
    scratch.structures.load(this.structures.dump())
    return scratch
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
