/** Walks the tree of a page's markdown in reading order: headings, lines of text, and IDs. */
import { parseAttributes } from '../blocks/attributes.js'
import type { Tag } from '../blocks/tag.js'
import { type Item, toItems } from '../blocks/items.js'
import { MAX_DEPTH } from '../blocks/limits.js'
import { parseMarkdown } from '../blocks/markdown.js'
import { partOf, type Region } from '../blocks/region.js'
import { findTag } from '../blocks/tags.js'
import type { Markdown } from '../gfm/tree.js'
import { anchorOf } from './anchors.js'
import { type AddAnchor, htmlText, inlineText, readHeading } from './inline-text.js'

/** Receives the results, in order. */
interface WalkResult {
  heading(level: number, title: string, id?: string): void
  /** Text on a separate line or several lines. Its white space is as in the source. */
  text(text: string): void
  anchor: AddAnchor
}

/** Attributes of tags that readers see. */
const SHOWN = ['title', 'date', 'name', 'method', 'path', 'summary', 'description'] as const
/** Tags whose attributes contain only addresses. */
const SILENT: ReadonlySet<string> = new Set([
  'openapi',
  'openapi-operation',
  'openapi-schemas',
  'openapi-webhook',
  'content-ref',
  'page-ref',
  'embed',
  'include',
  'if',
])

/**
 * Reports to `found` what readers see of the nodes of a region. Omits tags, except for their titles. Tags that the
 * format does not define are shown as text. Omits content that is nested too deeply.
 */
export function walk(nodes: readonly Markdown[], region: Region, visitor: WalkResult, depth = 0): void {
  if (depth > MAX_DEPTH) return
  const items = toItems(nodes, region.text)
  for (const [at, item] of items.entries()) {
    // The body of a card stands for the title of its target, which may be hidden from a reader of the text.
    const isCard = isOfCard(items[at - 1], 'open') && isOfCard(items[at + 1], 'close')
    if (!isCard) visit(item, region, visitor, depth)
  }
}

const isOfCard = (item: Item | undefined, kind: 'open' | 'close'): boolean =>
  item?.kind === kind && item.name === 'content-ref'

function visit(item: Item, region: Region, visitor: WalkResult, depth: number): void {
  if (item.kind === 'node') visitNode(item.node, region, visitor, depth)
  else if (item.kind === 'summary') {
    // GitBook gives an expandable section an ID, like a heading, and its exports link to that ID.
    const title = htmlText(region.text.slice(item.inner.start, item.inner.end), visitor.anchor)
    visitor.text(title)
    if (title.trim() !== '') visitor.anchor(anchorOf(title))
  } else if (item.kind === 'part') {
    const part = partOf(region, item.start, item.end)
    walk(parseMarkdown(part).children ?? [], part, visitor, depth + 1)
  } else if (item.tag) visitTag(item.tag, region.text.slice(item.start, item.end), visitor)
  // An element may have an ID. Its text follows in other nodes.
  else htmlText(region.text.slice(item.start, item.end), visitor.anchor)
}

function visitTag(tag: Tag, source: string, visitor: WalkResult): void {
  if (findTag(tag.name) === null) visitor.text(source)
  else if (!tag.closing && !SILENT.has(tag.name)) {
    const { named } = parseAttributes(tag.body)
    const shown = SHOWN.flatMap((name) => (typeof named[name] === 'string' ? [named[name]] : []))
    if (shown.length > 0) visitor.text(shown.join(' '))
  }
}

function visitNode(node: Markdown, region: Region, visitor: WalkResult, depth: number): void {
  const children = node.children ?? []
  if (node.type === 'heading') {
    const { title, id } = readHeading(children, visitor.anchor)
    visitor.heading(node.depth ?? 1, title, id)
  } else if (node.type === 'paragraph') visitor.text(inlineText(children, visitor.anchor))
  else if (node.type === 'html') visitor.text(htmlText(node.value ?? '', visitor.anchor))
  else if (node.type === 'table')
    for (const row of children)
      visitor.text((row.children ?? []).map((cell) => inlineText(cell.children ?? [], visitor.anchor)).join(' '))
  else if (node.type === 'list') for (const entry of children) walk(entry.children ?? [], region, visitor, depth + 1)
  else if (node.type === 'blockquote' || node.type === 'footnoteDefinition') walk(children, region, visitor, depth + 1)
  else if (node.value !== undefined)
    visitor.text(node.type === 'code' ? codeText(node) : node.value.replace(/\$\$/g, ''))
}

function codeText({ meta, value }: Markdown): string {
  const title = meta?.includes('title') ? parseAttributes(meta).named['title'] : undefined
  return typeof title === 'string' ? `${title}\n${value ?? ''}` : (value ?? '')
}
