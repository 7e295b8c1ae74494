/** The input and output of the renderer, and the types that its parts share. */
import type { Element, ElementContent } from 'hast'
import type { BlockNode, InlineNode, TextNode } from '../content/types.js'
import type { ShownModel, ShownOperation } from '../model/index.js'
import type { BlockWords } from './site/words.js'

/** The target of a link. */
export interface LinkTarget {
  href: string
  /** The title of the page or the name of the file, for cards and mentions. */
  title?: string
  /** The description of the page. */
  about?: string
  /** The size of the file in bytes. */
  size?: number
}

/** Resolves the targets in a page, as written there. */
export interface Targets {
  /** Returns null if nothing can be linked to. The text is then shown without a link. */
  link(url: string): LinkTarget | null
  /** Returns the address for loading the image. Returns null if it is not shown; its text and a link replace it. */
  image(url: string): string | null
  /** Returns the size of an image in pixels, if it is known. */
  sizeOf(url: string): ImageSize | null
}

export interface ImageSize {
  width: number
  height: number
}

/** A change of a page, in the words of the interface. */
export interface ShownChange {
  /** The day as ISO 8601, in short ("Nov 12"), and in full. */
  date: string
  day: string
  fullDay: string
  /** The name of the author; '' if Git has none. */
  author: string
  /** The text before and after the day: "Changed Nov 12 by Ada Okafor". */
  around: { before: string; after: string }
  /** The start of the commit's ID, and its label. */
  commit: string
  commitLabel: string
  /** The address of the commit at the host of the repository. */
  address?: string
  /** Whether it is much older than the last change of the page. */
  isOld: boolean
}

/** The kind of a change, in the words of the interface, where its time and author are not shown. */
export interface ShownMark {
  label: string
}

/** The changes of a page that its margin shows. */
export interface PageHistory {
  /** The number of the last change of each block that the reader sees, in order; -1 = none that is shown. */
  blocks: readonly number[]
  /** The changes by number. */
  changes: Readonly<Record<string, ShownChange | ShownMark>>
}

/** The options for pages of sites. */
export interface SiteOptions {
  /** The words in the language of the interface. Absent = English. */
  words?: Partial<BlockWords>
  /** The language of dates if that of the content is unknown. */
  locale?: string
  /** Whether links to other sites open a new window. */
  newWindow?: boolean
  /** Whether to mark broken links, for previews. Otherwise they are text. */
  markBroken?: boolean
  /** The changes that the margin shows. Absent = none. Only together with claims. */
  history?: PageHistory
  /** Whether blocks have their number (`data-b`), for suggestions. Only together with claims. */
  numbered?: boolean
}

/** The options for rendering a page. */
export interface RenderOptions {
  targets: Targets
  /** The prefix for the IDs of headings and anchors, so that several pages can be in one document. */
  idPrefix: string
  /** The language of the content. Absent = unknown. */
  lang?: string
  /** Whether to show content that readers would have to expand, for print. */
  layOpen?: boolean
  /**
   * Whether blocks with a condition are shown (with the condition) or omitted, or the claims of the visitor for whom they
   * are evaluated.
   */
  conditional: 'show' | 'hide' | { claims: Readonly<Record<string, unknown>> }
  /** The medium: printed books (the default), or pages of sites, whose style sheet and script expect other markup. */
  medium?: 'print' | 'site'
  /** Whether to add the source position to blocks: `data-source="start-end"`, in UTF-16 units of the markdown. */
  positions?: boolean
  /** Whether to omit a first-level heading at the start, and return it as the title. */
  takeTitle?: boolean
  /** Only for the medium `site`. */
  site?: SiteOptions
  /** Operations and schemas of specifications, by the target that a block names (`targetOf`). Only for `site`. */
  parts?: Readonly<Record<string, readonly (ShownOperation | ShownModel)[]>>
}

/** A heading of a rendered page. */
interface RenderedHeading {
  id: string
  level: number
  text: string
  /** Whether its section changed with the last changes of the page. Only of sites. */
  isChanged?: true
}

/** A rendered page. */
export interface Rendered {
  html: string
  headings: RenderedHeading[]
  /** The first heading if `takeTitle` is set; else null. */
  title: string | null
  /** The ID that links to this title refer to. Only of sites. */
  titleId?: string
  /** The icons that the page shows: names of the interface, and `fa~` with a Font Awesome name. Only of sites. */
  icons?: string[]
  /** The origins to which readers can send requests from the page. Only of sites. */
  origins?: string[]
}

export type Inline = InlineNode | TextNode
export type Html = ElementContent
export type HtmlElement = Element
export type Data = Record<string, unknown>

/** The context of the block and inline renderers. */
export interface RenderContext {
  options: RenderOptions
  headings: RenderedHeading[]
  /** IDs that are already used. */
  ids: Set<string>
  /** The expandable sections and their titles. Links may refer to them like to headings. */
  expandables: { element: HtmlElement; title: string }[]
  notes: Notes
  /** The number of code characters that may still be highlighted. */
  highlight: { left: number }
  /** The names of icons that the page shows. */
  icons: Set<string>
  /** The origins to which readers can send requests from the page. */
  origins: Set<string>
  /** The number of the last change of each block of the page that the margin marks. */
  changes: ReadonlyMap<unknown, number>
  /** The number of each block of the page, if blocks have numbers. */
  numbers: ReadonlyMap<unknown, number>
  /** The level of the last heading in the HTML. */
  level: number
  medium: Medium
  blocks(nodes: BlockNode['nodes']): Html[]
  inlines(nodes: readonly Inline[]): Html[]
}

/** The parts of the renderer in which print and sites differ. */
export interface Medium {
  blocks: ReadonlyMap<string, BlockRenderer>
  inlines: ReadonlyMap<string, InlineRenderer>
  paragraph(content: Html[], context: RenderContext): Html[]
  /** Renders a mark that gives text a color. */
  color(data: Data, content: Html): Html
  /** Renders the end of a page: its footnotes. */
  end(context: RenderContext): Html[]
}

/** Renders an inline node of one type. */
export type InlineRenderer = (node: InlineNode, context: RenderContext) => Html[]

/** Renders a block of one type. */
export type BlockRenderer = (node: BlockNode, context: RenderContext) => Html[]

/** The footnotes of a page, numbered in the order of their references. */
export interface Notes {
  number(label: string): number
  add(label: string, content: Html[]): void
  list(): { label: string; number: number; content: Html[] }[]
}

/** Returns a member of a block's data if it is a text; else ''. */
export const textOf = (data: Data, name: string): string => (typeof data[name] === 'string' ? data[name] : '')

/** Returns the URL in a block's reference, as written. */
export function urlOf(data: Data, name = 'ref'): string {
  const ref = data[name]
  return typeof ref === 'object' && ref !== null && 'url' in ref && typeof ref.url === 'string' ? ref.url : ''
}
