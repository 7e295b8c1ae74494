/** What the renderer is given and returns, and the shapes that its parts share. */
import type { Element, ElementContent } from 'hast'
import type { BlockNode, InlineNode, TextNode } from '../content/types.js'

/** Where a link leads. */
export interface LinkTarget {
  href: string
  /** Title of the page or name of the file, for cards and mentions. */
  title?: string
}

/** What the caller knows of the targets that a page names, as they are written there. */
export interface Targets {
  /** Null = nothing that can be linked to: the text is shown without a link. */
  link(url: string): LinkTarget | null
  /** The address to load the image from; null = it is not shown, and its text and a link take its place. */
  image(url: string): string | null
}

/** How a page is rendered. */
export interface RenderOptions {
  targets: Targets
  /** Put before the IDs of headings and anchors, so that several pages can be in one document. */
  idPrefix: string
  /** Language of the content. Absent = unknown. */
  lang?: string
  /** Show what readers would have to open. For paper. */
  layOpen?: boolean
  /** Whether blocks with a condition are shown (with the condition) or left out. */
  conditional: 'show' | 'hide'
  /** Mark blocks with their place in the source: `data-source="start-end"`, in UTF-16 units of the markdown. */
  positions?: boolean
  /** Leave out a first-level heading at the beginning, and return it as the title. */
  takeTitle?: boolean
}

/** A heading of a rendered page. */
interface RenderedHeading {
  id: string
  level: number
  text: string
}

/** A rendered page. */
export interface Rendered {
  html: string
  headings: RenderedHeading[]
  /** The first heading, if it was to be taken; else null. */
  title: string | null
}

export type Inline = InlineNode | TextNode
export type Html = ElementContent
export type HtmlElement = Element
export type Data = Record<string, unknown>

/** What the functions for single types of blocks work with. */
export interface RenderContext {
  options: RenderOptions
  headings: RenderedHeading[]
  /** IDs that are taken, to make others unique. */
  ids: Set<string>
  notes: Notes
  /** Characters of code that may still be highlighted. */
  highlight: { left: number }
  blocks(nodes: BlockNode['nodes']): Html[]
  inlines(nodes: readonly Inline[]): Html[]
}

/** Makes the HTML of a type of block. */
export type BlockRenderer = (node: BlockNode, context: RenderContext) => Html[]

/** Footnotes of a page, numbered in the order in which they are referred to. */
export interface Notes {
  number(label: string): number
  add(label: string, content: Html[]): void
  list(): { label: string; number: number; content: Html[] }[]
}

/** A member of a block's data if it is a text; else ''. */
export const textOf = (data: Data, name: string): string =>
  typeof data[name] === 'string' ? (data[name] as string) : ''

/** The URL in a reference of a block, as written. */
export function urlOf(data: Data, name = 'ref'): string {
  const ref = data[name]
  return typeof ref === 'object' && ref !== null && typeof (ref as { url?: unknown }).url === 'string'
    ? (ref as { url: string }).url
    : ''
}
