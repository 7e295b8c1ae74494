import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { IdOverrides } from '../../content/identity.js'
import type { Reference } from '../../content/reference.js'
import type { ContentStructure, PageSource } from '../../content/types.js'
import type { Signature } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { BoundedCache } from '../../kernel/memory-budget.js'

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

/** Where the file of a page was deleted. */
export interface Deletion {
  commit: CommitId
  /** The revision before, which still has the file. */
  parent: CommitId
  path: string
}

/** By the page's ID, oldest first. */
export type Deletions = ReadonlyMap<string, readonly Deletion[]>

/** When a file came and when it last changed on the first-parent line, in seconds since 1970. */
export interface FileDates {
  created: number
  updated: number
}

/** Dates of every file at one commit: what this link knows, then its base. */
export interface PageDates {
  own: Map<string, FileDates | null>
  base: PageDates | null
  depth: number
}

/** A revision that changed a page: its file, or the table of contents. */
export interface PageRevision {
  id: CommitId
  /** What it changed for the page. */
  path: string
}

/**
 * What is derived from Git objects, keyed by the smallest input's oid, and can be deleted at any time. Keys that begin with a
 * space's ID hold what also depends on the space's adopted head.
 */
export interface ContentCache {
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
  /** Blob oid → pixels, or `none` if it is no image. */
  readonly dimensions: BoundedCache<Dimensions>
  /** `<space>:<tree>` → git paths of the files that its pages reference. */
  readonly files: BoundedCache<readonly string[]>
  /** `<space>:<commit>:<page>` → the revisions on the first-parent line up to the commit that changed the page. */
  readonly pageHistories: BoundedCache<readonly PageRevision[]>
  /** `<space>:<commit>` → the pages whose entries in the table of contents the commit changed. */
  readonly listed: BoundedCache<ReadonlySet<string>>
  /** `<space>:<commit>` → where pages that no longer exist were deleted. */
  readonly deletions: BoundedCache<Deletions>
  /** `<space>:<commit>:<path>` → who wrote what the commit brought to a file. */
  readonly writers: BoundedCache<readonly Signature[]>
  /** A cache for commits that may never be published: it reads what is known, and keeps what it learns of commits to itself. */
  scratch(): ContentCache
  /** Forgets everything: what is asked for next is derived anew. */
  clear(): void
}
