// The types that all of `content/` shares: a revision's files, entries, structure and diagnostics.
import type { Diagnostic } from '../kernel/diagnostic.js'
import type { PartPlace } from '../model/index.js'

/** An entry of a folder. */
export interface ReaderEntry {
  /** The path from the repository's root. */
  path: string
  mode: string
  oid: string
}

/** The interface through which `content/` reads a repository. A Git snapshot implements it. */
export interface TreeReader {
  entry(path: string): Promise<ReaderEntry | null>
  list(path: string): Promise<readonly ReaderEntry[] | null>
  /** All blobs below a folder. */
  walk(prefix?: string): Promise<readonly ReaderEntry[]>
  /**
   * Returns a blob's bytes. Throws `ObjectTooLarge` if there are more than `maxBytes`.
   * @param once whether the blob is unlikely to be read again soon, so that it need not be cached
   */
  read(oid: string, maxBytes?: number, once?: boolean): Promise<Uint8Array>
}

/**
 * The symbolic links below a folder: the final path of each link, with all links resolved; null if it does not exist
 * here.
 */
export type Symlinks = ReadonlyMap<string, string | null>

/** The kinds of entries that have a stable ID. */
export type EntryKind = 'page' | 'file' | 'group' | 'link' | 'computed' | 'reusable-content'

/** Returns the stable ID of the entry with this key. */
export type IdOf = (kind: EntryKind, key: string) => string

/**
 * The settings in `.gitbook.yaml`, or in the configuration of mdBook or HonKit. Paths start at the repository's root
 * and are normalized, without leading or trailing slash.
 */
export interface ContentConfig {
  /** The effective root; '' = the repository's root. */
  root: string
  /** The root page. */
  readme: string
  /** The table of contents: the file as the repository spells it, with symbolic links resolved. */
  summary: string
  /** The symbolic link that points to `summary`, if there is one. Entries are relative to its folder. */
  summaryLink?: string
  /** The page's file (from the repository's root), by old path (as written, without leading slash). */
  redirects: Record<string, string>
}

interface EntryBase {
  /** The stable ID. */
  id: string
  /** The input of the ID. For a page, it is its file's path below the effective root. See `EntryKey`. */
  key: string
  title: string
  slug: string
  /** The slugs of group, ancestors and self, joined by `/`. */
  path: string
  /** Subpages. */
  pages: PageEntry[]
  /** The 1-based line of its entry in SUMMARY.md; absent if the tree was inferred. */
  line?: number
  /** The offset of the entry in SUMMARY.md, which may be within a line; absent if the tree was inferred. */
  start?: number
}

/** A markdown file listed in the table of contents. */
export interface DocumentEntry extends EntryBase {
  type: 'document'
  /** The file's path from the repository's root. */
  gitPath: string
}
/** A heading of the table of contents. */
interface GroupEntry extends EntryBase {
  type: 'group'
}
interface LinkEntry extends EntryBase {
  type: 'link'
  /** URL, `file.md#anchor`, or '' (a draft), as written. */
  href: string
  /** If the link points to a page: its file from the repository's root, and the anchor. */
  target?: { gitPath: string; anchor?: string }
}
export interface ComputedEntry extends EntryBase {
  type: 'computed'
  computed: { type: string; props: Record<string, unknown>; dependencies: Record<string, unknown> }
}
/** A page that a computed entry generates. It is in the trees for readers, never in trees that are edited. */
export interface GeneratedEntry extends EntryBase {
  type: 'generated'
  description?: string
  computed: ComputedEntry['computed']
  shown: ShownParts
}
/** The content of a generated page. */
export interface ShownParts {
  /** The slug of the specification. */
  spec: string
  /** The file that contains the parts (`SpecFiles`). */
  file: string
  about?: string
  parts: readonly PartPlace[]
  /** Whether each part has a heading. */
  headed: boolean
  /** The titles of parts that are only named. */
  rest: readonly string[]
}
export type PageEntry = DocumentEntry | GroupEntry | LinkEntry | ComputedEntry | GeneratedEntry

export interface FileEntry {
  id: string
  key: string
  /** The base name. */
  name: string
  gitPath: string
}
export interface ReusableContentEntry {
  id: string
  key: string
  gitPath: string
  title: string
}

/**
 * The structure of a revision: everything that depends on the configuration, the table of contents and the file names,
 * but not on page text (except for page titles, if there is no table of contents). Revisions that differ only in page
 * text share one structure.
 */
export interface ContentStructure {
  config: ContentConfig
  /** Whether the tree comes from a table of contents (false: inferred from folders). */
  listed: boolean
  pages: PageEntry[]
  /** The files of `.gitbook/assets/`. Other files that pages reference are not part of the structure. */
  assets: FileEntry[]
  reusableContents: ReusableContentEntry[]
  variables: Record<string, string>
  /** The tags that `.gitbook/tags.yaml` names, in its order. */
  tags: NamedTag[]
  /** The symbolic links below the effective root, and their targets. */
  symlinks: Symlinks
  diagnostics: Diagnostic[]
  /** The same entries by ID, by file and by path. */
  byId: Map<string, PageEntry>
  byGitPath: Map<string, DocumentEntry>
  byPath: Map<string, PageEntry>
}

/** A tag of `.gitbook/tags.yaml`. */
export interface NamedTag {
  /** The tag as written in pages. */
  slug: string
  label: string
  color?: string
  emoji?: string
  icon?: string
}

/** The known keys of a page's front matter. */
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
    coverMask?: string
    title?: boolean
    description?: boolean
    tableOfContents?: boolean
    outline?: boolean
    pagination?: boolean
    metadata?: boolean
    tags?: boolean
    actions?: boolean
    anchors?: boolean
  }
  variables?: Record<string, string>
  tags?: string[]
  metaLinks?: { canonical?: string; alternates?: string[] }
  /** Files and folders of the repository that the page describes. */
  codePaths?: string[]
}

/** A markdown file, split into front matter and body. */
export interface PageSource {
  attributes: PageAttributes
  /** The text after the front matter. */
  markdown: string
  /** The offset (in UTF-16 units) of `markdown` in the whole text. */
  bodyStart: number
  diagnostics: Diagnostic[]
  /** The visibility settings (`if`, `hidden`) are present but could not be read, so no visitor sees the page. */
  doubtful?: true
}

/** A page's body as a block tree. The block types are listed in `blocks/`. */
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
  leaves: Array<{
    object: 'leaf'
    text: string
    marks: Array<{ object: 'mark'; type: string; data: Record<string, unknown> }>
  }>
}

/** A planned change of one file. */
export type PlannedChange =
  | { path: string; content: string | Uint8Array; mode?: string }
  | { path: string; oid: string; mode?: string }
  | { path: string; delete: true }

/**
 * A heading or list item of the table of contents, with everything nested in it. Offsets are UTF-16 units into the
 * text.
 */
export interface SummaryNode {
  /** `group`: a heading; `entry`: a list item; `computed`: a list item that contains a fenced yaml block. */
  type: 'group' | 'entry' | 'computed'
  /** The text of the heading or item, without markup and escapes. */
  title: string
  /**
   * The link's target without escapes and angle brackets, percent-encoding as written; '' for an empty target; null
   * without a link.
   */
  href: string | null
  /**
   * The slug in a group's anchor. An entry without a link that has a slug is a nested group, such as a folder without a
   * page.
   */
  slug?: string
  /** The 1-based line. */
  line: number
  /**
   * The start of the node (of its line, or of its link if another link precedes it on the line), and the end of
   * everything nested in it (after the line end).
   */
  start: number
  end: number
  children: SummaryNode[]
  computed?: { type: string; props: Record<string, unknown>; dependencies: Record<string, unknown> }
}

/** A parsed SUMMARY.md. */
export interface Summary {
  /** Top-level entries and groups in order. Entries after a thematic break return to the top level. */
  nodes: SummaryNode[]
  diagnostics: Diagnostic[]
}

/** A result, or the reason why there is none, worded for the client. */
export type Outcome<T> = { done: T } | { refused: string; tooLarge?: true }
