/** What is derived from Git objects and cached, and under which keys. The caches themselves are made at start. */
import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { IdOverrides } from '../../content/identity.js'
import type { Reference } from '../../content/reference.js'
import type { ContentStructure, PageSource } from '../../content/types.js'
import type { Signature } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { BoundedCache } from '../../kernel/memory-budget.js'

/** A parsed markdown file: its text and what was found in it. */
export interface ParsedPage {
  text: string
  source: PageSource
  /** A sentence that says why the text is not shown; absent if it is shown. */
  hidden?: string
  /** A sentence that says why the text is not kept in memory but shown from the file (`content/documents.ts`); absent if it is kept. */
  large?: string
}

/** Pixels of an image; `none` = the file is not an image. */
export type Dimensions = { width: number; height: number } | 'none'

/** Where the file of a page was deleted. */
export interface Deletion {
  commit: CommitId
  /** The revision before, which still contains the file. */
  parent: CommitId
  path: string
}

/** Page ID → its deletions, oldest first. */
export type Deletions = ReadonlyMap<string, readonly Deletion[]>

/** When a file was created and last changed on the first-parent line, in seconds since 1970. */
export interface FileDates {
  created: number
  updated: number
}

/** Dates of every file at one commit, as a chain: `own` holds the files that differ from `base`. */
export interface PageDates {
  own: Map<string, FileDates | null>
  base: PageDates | null
  depth: number
}

/** A revision that changed a page: its file, or the table of contents. */
export interface PageRevision {
  id: CommitId
  /** The file that it changed. */
  path: string
}

/**
 * Everything that is derived from Git objects, by the object ID of the smallest input. Any entry may be deleted at any time.
 * Where a key begins with a space's ID, the value also depends on the head of the history that the space was adopted from.
 */
export interface ContentCache {
  /** `<space>:<commit>` → IDs that differ from the default ones. */
  readonly overrides: BoundedCache<IdOverrides>
  /** `<space>:<adopted head>` → whether a Bindery server wrote that history. */
  readonly ownHistories: BoundedCache<boolean>
  /** `<space>:<commit>` → structure (page tree) of the revision. */
  readonly structures: BoundedCache<ContentStructure>
  /** Blob oid → page. Its diagnostics name the first file that was read with this content. */
  readonly pages: BoundedCache<ParsedPage>
  /** Blob oid → the references in it. */
  readonly references: BoundedCache<readonly Reference[]>
  /** Blob oid → the places in a page that can be commented on. */
  readonly places: BoundedCache<readonly CommentTarget[]>
  /** `<space>:<commit>` → dates of files. */
  readonly dates: BoundedCache<PageDates>
  /** Blob oid → pixels, or `none` if it is not an image. */
  readonly dimensions: BoundedCache<Dimensions>
  /** `<space>:<tree>` → Git paths of the files that its pages reference. */
  readonly files: BoundedCache<readonly string[]>
  /** `<space>:<commit>:<page>` → the revisions on the first-parent line up to the commit that changed the page. */
  readonly pageHistories: BoundedCache<readonly PageRevision[]>
  /** `<space>:<commit>` → the pages whose entries in the table of contents the commit changed. */
  readonly listed: BoundedCache<ReadonlySet<string>>
  /** `<space>:<commit>` → where pages that no longer exist were deleted. */
  readonly deletions: BoundedCache<Deletions>
  /** `<space>:<commit>:<path>` → the authors of what the commit changed in a file. */
  readonly writers: BoundedCache<readonly Signature[]>
  /** A cache for commits that may never be published: it reads from this one, and keeps what it derives from commits to itself. */
  scratch(): ContentCache
  /** Empties the cache. */
  clear(): void
}
