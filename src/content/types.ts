import type { Diagnostic } from '../kernel/diagnostic.js'

/** One entry of a folder as `content/` sees it. */
export interface ReaderEntry {
  /** Path from the repository's root. */
  path: string
  mode: string
  oid: string
}

/** The only door through which `content/` reads a repository. A Git snapshot fits it. */
export interface TreeReader {
  entry(path: string): Promise<ReaderEntry | null>
  list(path: string): Promise<ReaderEntry[] | null>
  /** All blobs below a folder. */
  walk(prefix?: string): Promise<ReaderEntry[]>
  /** A blob's bytes. Throws an `ObjectTooLarge` where there are more than `maxBytes`. */
  read(oid: string, maxBytes?: number): Promise<Uint8Array>
}

/** What has an identity of its own. `path` of its key: see `identity.ts`. */
export type EntryKind = 'page' | 'file' | 'group' | 'link' | 'computed' | 'reusable-content'

/** Answers the stable ID of the entry that has this key. */
export type IdOf = (kind: EntryKind, key: string) => string

/** `.gitbook.yaml`, read. Paths are from the repository's root, normalised, without leading or trailing slash. */
export interface ContentConfig {
  /** Effective root; '' = the repository's root. */
  root: string
  /** Root page. */
  readme: string
  /** Table of contents. */
  summary: string
  /** Old path (as written, without leading slash) → page file from the repository's root. */
  redirects: Record<string, string>
}

interface EntryBase {
  /** Stable ID. */
  id: string
  /** What the ID hangs on: for a page its file's path below the effective root; see `identity.ts`. */
  key: string
  title: string
  slug: string
  /** Slugs of group, ancestors and self, joined by `/`. */
  path: string
  /** Subpages. */
  pages: PageEntry[]
  /** 1-based line of its entry in SUMMARY.md; absent where the tree was inferred. */
  line?: number
}

/** A markdown file listed in the table of contents. */
export interface DocumentEntry extends EntryBase {
  type: 'document'
  /** The file, from the repository's root. Its bytes are not part of the structure: ask the tree by path. */
  gitPath: string
}
/** A heading of the table of contents. */
export interface GroupEntry extends EntryBase {
  type: 'group'
}
export interface LinkEntry extends EntryBase {
  type: 'link'
  /** URL, `file.md#anchor` or '' (a draft) as written. */
  href: string
  /** The page that the link names, where it names one: its file from the root, and the anchor. */
  target?: { gitPath: string; anchor?: string }
}
export interface ComputedEntry extends EntryBase {
  type: 'computed'
  computed: { type: string; props: Record<string, unknown>; dependencies: Record<string, unknown> }
}
export type PageEntry = DocumentEntry | GroupEntry | LinkEntry | ComputedEntry

export interface FilePlace {
  id: string
  key: string
  /** Base name. */
  name: string
  gitPath: string
}
export interface ReusableContentPlace {
  id: string
  key: string
  gitPath: string
  title: string
}

/**
 * The shape of a revision: everything that follows from the configuration, the table of contents and the names of files,
 * and nothing that follows from a page's own text. It is shared by all revisions that differ in page text alone.
 */
export interface ContentStructure {
  config: ContentConfig
  /** Whether the tree comes from a table of contents (false: inferred from folders). */
  listed: boolean
  pages: PageEntry[]
  /** `.gitbook/assets/**`; the files that pages reference are added by the reader of pages. */
  assets: FilePlace[]
  reusableContents: ReusableContentPlace[]
  variables: Record<string, string>
  diagnostics: Diagnostic[]
  /** By ID, by git path, by path: the same entries. */
  byId: Map<string, PageEntry>
  byGitPath: Map<string, DocumentEntry>
  byPath: Map<string, PageEntry>
}

/** Front matter, read. Unknown keys stay in the file and are not repeated here. */
export interface PageAttributes {
  title?: string
  description?: string
  icon?: string
  emoji?: string
  hidden?: boolean
  noIndex?: boolean
  noRobotsIndex?: boolean
  condition?: string
  cover?: { ref?: string; refDark?: string; yPos?: number; height?: number }
  layout?: {
    width?: string
    cover?: boolean
    coverSize?: string
    title?: boolean
    description?: boolean
    tableOfContents?: boolean
    outline?: boolean
    pagination?: boolean
    metadata?: boolean
  }
  variables?: Record<string, string>
  tags?: string[]
  metaLinks?: { canonical?: string; alternates?: string[] }
}

/** A markdown file taken apart. */
export interface PageSource {
  attributes: PageAttributes
  /** The bytes after the front matter, as text. */
  markdown: string
  /** Offset (UTF-16 units) in the whole text at which `markdown` begins. */
  bodyStart: number
  diagnostics: Diagnostic[]
}

/** A block tree: `document` format. Types are in `blocks/`. */
export interface DocumentNode {
  object: 'document'
  data: { schemaVersion: number } & Record<string, unknown>
  nodes: BlockNode[]
}
export interface BlockNode {
  object: 'block'
  type: string
  key: string
  isVoid: boolean
  data: Record<string, unknown>
  nodes: Array<BlockNode | InlineNode | TextNode>
}
export interface InlineNode {
  object: 'inline'
  type: string
  key: string
  isVoid: boolean
  data: Record<string, unknown>
  nodes: Array<InlineNode | TextNode>
}
export interface TextNode {
  object: 'text'
  key: string
  leaves: Array<{ object: 'leaf'; text: string; marks: Array<{ object: 'mark'; type: string; data: Record<string, unknown> }> }>
}

/** A change of files, as `content/edit` answers it. */
export type PlannedChange =
  | { path: string; content: string | Uint8Array; mode?: string }
  | { path: string; oid: string; mode?: string }
  | { path: string; delete: true }

/** One line of the table of contents, with all that is nested in it. Offsets are UTF-16 units into the text. */
export interface SummaryNode {
  /** `group`: a heading; `entry`: a list item; `computed`: a list item that holds a fenced yaml block. */
  type: 'group' | 'entry' | 'computed'
  /** Text of the heading or item, markup removed, escapes resolved. */
  title: string
  /** The link's target: escapes and angle brackets resolved, percent-encoding as written; '' for an empty target; null where there is no link. */
  href: string | null
  /** Slug stored in a group's anchor. */
  slug?: string
  /** 1-based line. */
  line: number
  /** Where the node's own line begins, and where it and everything nested in it ends (after the line feed). */
  start: number
  end: number
  children: SummaryNode[]
  computed?: { type: string; props: Record<string, unknown>; dependencies: Record<string, unknown> }
}

/** SUMMARY.md, read. */
export interface Summary {
  /** Top-level entries and groups in order; entries after a thematic break are top level again. */
  nodes: SummaryNode[]
  diagnostics: Diagnostic[]
}

/** Something done, or why it cannot be, in words for the client. */
export type Outcome<T> = { done: T } | { refused: string; tooLarge?: true }
