/**
 * Values that are derived from Git objects, and the keys under which they are cached. The caches themselves are created
 * at start.
 */
import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { PageFacts } from '../../content/facts.js'
import type { IdOverrides } from '../../content/identity.js'
import type { LfsPointer } from '../../content/lfs-pointer.js'
import type { LinkGraph } from '../../content/links/link-graph.js'
import type { OutwardLinks } from '../../content/links/outward-links.js'
import type { Outline } from '../../content/outline/outline.js'
import type { Reference } from '../../content/reference.js'
import type { VisitorPage } from '../../access/index.js'
import type { ContentStructure, PageEntry, PageSource } from '../../content/types.js'
import type { Signature } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { PartIndex } from '../../model/index.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { ComparedVersions } from '../../render/index.js'
import type { BoundedCache } from '../../kernel/memory-budget.js'

/** The facts of a markdown file. `size` is set if its text is too large to keep in memory. */
export interface KnownPage extends PageFacts {
  /** `large`: shown from the file (`content/documents.ts`). `hidden`: not shown. Absent: shown and edited as text. */
  size?: 'large' | 'hidden'
}

/** A markdown file that was read: its text and its facts. */
export interface ParsedPage {
  text: string
  source: PageSource
  /** A sentence with the reason why the text is not shown. Absent if it is shown. */
  hidden?: string
  /** A sentence with the reason why the text is shown from the file and not kept in memory. Absent if it is kept. */
  large?: string
}

/** The facts of a revision's pages, by file. */
export type KnownPages = ReadonlyMap<string, { oid: string; page: KnownPage }>

/** The pages of a revision in the form for the visitor gate, for all visitors. */
export interface GatedPages {
  known: KnownPages
  pages: ReadonlyMap<PageEntry, VisitorPage>
  /** The different conditions of the pages. */
  conditions: readonly string[]
}

/** The pages of a revision for visitors with one gate decision. */
export interface VisiblePages {
  /** The table of contents. */
  listed: PageEntry[]
  /** The pages that they may read, hidden or not, by ID. */
  readable: ReadonlyMap<string, PageEntry>
  /** IDs of the listed pages. */
  inLists: ReadonlySet<string>
}

/** Size of an image in pixels. `none` if the file is not an image. */
export type Dimensions = { width: number; height: number } | 'none'

/** The commit that deleted the file of a page. */
export interface Deletion {
  commit: CommitId
  /** The parent revision, which still contains the file. */
  parent: CommitId
  path: string
}

/** Page ID → its deletions, oldest first. */
export type Deletions = ReadonlyMap<string, readonly Deletion[]>

/**
 * Times of the first and the last change of a file on the first-parent line, in seconds since 1970, and the commit of
 * the last change.
 */
export interface FileDates {
  created: number
  updated: number
  commit: CommitId
}

/** The last change of a file: its time in seconds since 1970, and the name of its author. */
export interface LastChange {
  commit: CommitId
  seconds: number
  author: string
  /** The commit in which the author made the change: of a merge, the newest one that it merged, otherwise the commit. */
  authored: CommitId
}

/** The last change of each block of a page. */
export interface BlockChanges {
  /** The number of its last change for each block that the reader sees; -1 = it did not change lately. */
  blocks: readonly number[]
  /** The changes by number, newest first. */
  changes: Record<number, LastChange>
}

/** Dates of all files at one commit, as a chain: `own` holds the files that differ from `base`. */
export interface PageDates {
  own: Map<string, FileDates | null>
  base: PageDates | null
  depth: number
  /** Number of commits since dates were last stored (`StoredDates`). */
  sinceStored: number
}

/** A page as it was last presented in a tree: its JSON before and after the commit field, without subpages. */
export interface PresentedPage {
  before: string
  after: string
  costly: readonly Diagnostic[]
  /** Dates of the page's file. Null if it has no file. */
  dates: FileDates | null
}

/** The pages of a structure as they were last presented. */
export interface PresentedTree {
  /** The structure's number (`structureNumber`). */
  structure: number
  /** Settings of the space that the pages also depend on. */
  stamp: string
  /** Presented pages by page ID. */
  pages: ReadonlyMap<string, PresentedPage>
}

/** A revision that changed the file of a page or its entry in the table of contents. */
export interface PageRevision {
  id: CommitId
  /** Path of the changed file. */
  path: string
}

/**
 * Types of the cached values, by cache name. If a key starts with a space ID, the value also depends on the head of the
 * adopted history.
 */
interface CachedValues {
  /** `<space>:<commit>` → page ID overrides. */
  overrides: IdOverrides
  /** `<space>:<adopted head>` → whether a Bindery server wrote that history. */
  ownHistories: boolean
  /** `<space>:<commit>` → structure (page tree) of the revision. */
  structures: ContentStructure
  /** `<space>:<commit>:<versions of specifications>` → the structure with the pages that computed entries yield. */
  computed: ContentStructure
  /** File hash of a specification version → index of its parts. */
  partIndexes: PartIndex
  /** Blob oid → facts of the page. */
  pages: KnownPage
  /** Blob oid → references of the page. */
  references: readonly Reference[]
  /** Blob oid → headings and anchors of the page. */
  outlines: Outline
  /** Blob oid → the text of the page. */
  texts: string
  /** Blob oid → parts of the page that can be commented on. */
  places: readonly CommentTarget[]
  /** `<space>:<with metadata>` → the pages as they were last presented. */
  trees: PresentedTree
  /** `<space>:<commit>` → dates of files. */
  dates: PageDates
  /** Blob oid, or `lfs:` and the hash of a Git LFS object → size in pixels, or `none` if it is not an image. */
  dimensions: Dimensions
  /** Blob oid → the Git LFS pointer that it contains, or `none`. */
  pointers: LfsPointer | 'none'
  /** `<space>:<tree>` → Git paths of the files that its pages reference. */
  files: readonly string[]
  /** `<space>:<commit>` → all links of the revision. */
  links: LinkGraph
  /** `<space>:<commit>` → the addresses that its pages link to. */
  addresses: OutwardLinks
  /** `<space>:<commit>:<page>` → the revisions on the first-parent line up to the commit that changed the page. */
  pageHistories: readonly PageRevision[]
  /** `<space>:<commit>` → the pages whose entries in the table of contents the commit changed. */
  listed: ReadonlySet<string>
  /** `<space>:<commit>` → the commits that deleted pages. */
  deletions: Deletions
  /** `<space>:<commit>:<structure number>` → the pages for the visitor gate. */
  gatedPages: GatedPages
  /** `<key of gatedPages>:<outcome of the gate>` → the pages that visitors with this outcome see. */
  visiblePages: VisiblePages
  /** `<space>:<main>:<head of a change request>` → the commit of their merge for previews, or `conflicts`. */
  previewMerges: CommitId | 'conflicts'
  /** Digest of a page's text, its targets and its audience → the result of the task `render`. */
  renderings: Buffer
  /** `<space>:<commit>` → the first-parent line of the commit, newest first. */
  mainLines: readonly CommitId[]
  /** `<space>:<commit>:<path>` → authors of the commit's changes to a file. */
  writers: readonly Signature[]
  /** `<space>:<commit>:<path>` → the change that the commit made to a file. */
  lastChanges: LastChange
  /** `<space>:<commit>:<path>:<digest of the text and of claims>` → the last change of each block of a page. */
  blockChanges: BlockChanges
  /** Digest of two texts of a page and of claims → the changes between the texts. */
  comparedVersions: ComparedVersions
  /** `<space>:<commit>:<commit>` → the number of pages whose files differ. */
  changedPages: number
  /** `<space>:<sync log>:<commit>` → the commit of the linked repository with the same content, or `none`. */
  remoteCommits: CommitId | 'none'
  /** `<space>:<commit>` → the paths that pages had before, and their IDs. */
  formerPaths: ReadonlyMap<string, string>
}

/** One bounded cache for each kind of value. */
export type Caches = { readonly [Name in keyof CachedValues]: BoundedCache<CachedValues[Name]> }

/**
 * Everything that is derived from Git objects, by the object ID of the smallest input. Any entry may be deleted at any
 * time.
 */
export interface ContentCache extends Caches {
  /**
   * Returns a cache for commits that may never be published. It reads from this cache and keeps its own additions to
   * itself.
   */
  scratch(): ContentCache
  /** Empties the cache. */
  clear(): void
}
