/** What is derived from Git objects and cached, and under which keys. The caches themselves are made at start. */
import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { PageFacts } from '../../content/facts.js'
import type { IdOverrides } from '../../content/identity.js'
import type { LfsPointer } from '../../content/lfs-pointer.js'
import type { LinkGraph } from '../../content/links/link-graph.js'
import type { OutwardLinks } from '../../content/links/outward-links.js'
import type { Outline } from '../../content/outline/outline.js'
import type { Reference } from '../../content/reference.js'
import type { ContentStructure, PageSource } from '../../content/types.js'
import type { Signature } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { PartIndex } from '../../model/index.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { BoundedCache } from '../../kernel/memory-budget.js'

/** The facts of a markdown file. If its text is too large to be kept in memory, `size` says what is done instead. */
export interface KnownPage extends PageFacts {
  /** `large`: it is shown from the file (`content/documents.ts`). `hidden`: it is not shown. Absent: it is shown and edited as text. */
  size?: 'large' | 'hidden'
}

/** A markdown file that is read: its text and what is known of it. */
export interface ParsedPage {
  text: string
  source: PageSource
  /** A sentence that says why the text is not shown; absent if it is shown. */
  hidden?: string
  /** A sentence that says why the text is not kept in memory but shown from the file; absent if it is kept. */
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
  /** Number of commits since these dates were last kept (`KeptDates`). */
  unkept: number
}

/** A page as it was presented in a tree: its JSON before and after the commit, without subpages. */
export interface PresentedPage {
  before: string
  after: string
  costly: readonly Diagnostic[]
  /** Of its file; null if it has none. */
  dates: FileDates | null
}

/** The pages of a structure as they were presented last. */
export interface PresentedTree {
  /** The structure's number (`structureNumber`). */
  structure: number
  /** What else they depend on besides the files: the settings of the space. */
  stamp: string
  /** By ID. */
  pages: ReadonlyMap<string, PresentedPage>
}

/** A revision that changed a page: its file, or the table of contents. */
export interface PageRevision {
  id: CommitId
  /** The file that it changed. */
  path: string
}

/** What is cached, by name. Where a key begins with a space's ID, the value also depends on the head of the history that the space was adopted from. */
interface CachedValues {
  /** `<space>:<commit>` → IDs that differ from the default ones. */
  overrides: IdOverrides
  /** `<space>:<adopted head>` → whether a Bindery server wrote that history. */
  ownHistories: boolean
  /** `<space>:<commit>` → structure (page tree) of the revision. */
  structures: ContentStructure
  /** `<space>:<commit>:<versions of specifications>` → the structure with the pages that computed entries yield. */
  computed: ContentStructure
  /** Hash of a file of a specification's version → the index of its parts. */
  partIndexes: PartIndex
  /** Blob oid → what is known of the page. */
  pages: KnownPage
  /** Blob oid → the references in it. */
  references: readonly Reference[]
  /** Blob oid → its headings and anchors. */
  outlines: Outline
  /** Blob oid → the text of the page. */
  texts: string
  /** Blob oid → the places in a page that can be commented on. */
  places: readonly CommentTarget[]
  /** `<space>:<with metadata>` → the pages as they were presented last. */
  trees: PresentedTree
  /** `<space>:<commit>` → dates of files. */
  dates: PageDates
  /** Blob oid, or `lfs:` and the hash of an object of Git LFS → pixels, or `none` if it is not an image. */
  dimensions: Dimensions
  /** Blob oid → the pointer of Git LFS in it, or `none`. */
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
  /** `<space>:<commit>` → where pages that no longer exist were deleted. */
  deletions: Deletions
  /** `<space>:<commit>:<path>` → the authors of what the commit changed in a file. */
  writers: readonly Signature[]
}

/** A cache for each of them. */
export type Caches = { readonly [Name in keyof CachedValues]: BoundedCache<CachedValues[Name]> }

/** Everything that is derived from Git objects, by the object ID of the smallest input. Any entry may be deleted at any time. */
export interface ContentCache extends Caches {
  /** A cache for commits that may never be published: it reads from this one, and keeps what it derives from commits to itself. */
  scratch(): ContentCache
  /** Empties the cache. */
  clear(): void
}
