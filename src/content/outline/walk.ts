/** Walks the tree of a page's markdown in the order of reading: headings, lines of text, and IDs. */
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

/** Gets what is found, in order. */
interface WalkResult {
  heading(level: number, title: string, id?: string): void
  /** Text of its own line or lines. White space in it is as in the source. */
  text(text: string): void
  anchor: AddAnchor
}

/** Attributes of tags that readers see. */
const SHOWN = ['title', 'date', 'name', 'method', 'path', 'summary', 'description'] as const
/** Tags whose attributes only say where something is. */
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
 * Tells `found` what readers see of the nodes of a region. Tags are left out, except their titles and those that the format does not
 * know, which are shown as text. What is nested too deeply is left out.
 */
export function walk(nodes: readonly Markdown[], region: Region, found: WalkResult, depth = 0): void {
  if (depth > MAX_DEPTH) return
  for (const item of toItems(nodes, region.text)) visit(item, region, found, depth)
}

function visit(item: Item, region: Region, found: WalkResult, depth: number): void {
  if (item.kind === 'node') visitNode(item.node, region, found, depth)
  else if (item.kind === 'summary') {
    // GitBook gives what can be unfolded an ID, as it does headings, and its exports link to it.
    const title = htmlText(region.text.slice(item.inner.start, item.inner.end), found.anchor)
    found.text(title)
    if (title.trim() !== '') found.anchor(anchorOf(title))
  } else if (item.kind === 'part') {
    const part = partOf(region, item.start, item.end)
    walk(parseMarkdown(part).children ?? [], part, found, depth + 1)
  } else if (item.tag) visitTag(item.tag, region.text.slice(item.start, item.end), found)
  // An element has an ID; its text is beside it.
  else htmlText(region.text.slice(item.start, item.end), found.anchor)
}

function visitTag(tag: Tag, source: string, found: WalkResult): void {
  if (findTag(tag.name) === null) found.text(source)
  else if (!tag.closing && !SILENT.has(tag.name)) {
    const { named } = parseAttributes(tag.body)
    const shown = SHOWN.flatMap((name) => (typeof named[name] === 'string' ? [named[name]] : []))
    if (shown.length > 0) found.text(shown.join(' '))
  }
}

function visitNode(node: Markdown, region: Region, found: WalkResult, depth: number): void {
  const children = node.children ?? []
  if (node.type === 'heading') {
    const { title, id } = readHeading(children, found.anchor)
    found.heading(node.depth ?? 1, title, id)
  } else if (node.type === 'paragraph') found.text(inlineText(children, found.anchor))
  else if (node.type === 'html') found.text(htmlText(node.value ?? '', found.anchor))
  else if (node.type === 'table')
    for (const row of children)
      found.text((row.children ?? []).map((cell) => inlineText(cell.children ?? [], found.anchor)).join(' '))
  else if (node.type === 'list') for (const entry of children) walk(entry.children ?? [], region, found, depth + 1)
  else if (node.type === 'blockquote' || node.type === 'footnoteDefinition') walk(children, region, found, depth + 1)
  else if (node.value !== undefined) found.text(node.type === 'code' ? codeText(node) : node.value.replace(/\$\$/g, ''))
}

function codeText({ meta, value }: Markdown): string {
  const title = meta?.includes('title') ? parseAttributes(meta).named['title'] : undefined
  return typeof title === 'string' ? `${title}\n${value ?? ''}` : (value ?? '')
}
