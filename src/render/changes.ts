/** Renders the blocks of two versions of a page, one by one, with the changed words marked. */
import { toHtml } from 'hast-util-to-html'
import { parseDocument } from '../content/blocks/parse.js'
import { type BlockChange, type ComparedBlock, compareDocuments } from '../content/compare/compare.js'
import type { Unit } from '../content/compare/digest.js'
import { lineFinder } from '../content/blocks/region.js'
import { anchorOf } from '../content/outline/anchors.js'
import { type Inline, plainText } from '../content/blocks/node.js'
import type { BlockNode } from '../content/types.js'
import { allowed } from './allow-list.js'
import { h } from './element.js'
import { contextOf } from './page.js'
import { renderSource } from './source.js'
import type { Html, RenderContext, RenderOptions } from './types.js'
import { positionOf } from '../content/blocks/block.js'

/** The position of a block in one version of a page. */
export interface BlockPlace {
  /** The key of the block in its document. */
  node: string
  /** Equal blocks have equal digests. */
  digest: string
  /** Its first and last line in the file, from 1. */
  lines: [first: number, last: number]
  /** Its source. */
  source: string
}

/** A block that shows both versions. */
export interface RenderedChange {
  change: BlockChange
  html: string
  before?: BlockPlace
  after?: BlockPlace
}

/** One version of a page: its text, and the number of lines in its file before the text. */
export interface PageVersion {
  markdown: string
  linesBefore: number
}

/** Compares two versions of a page and renders their blocks. */
export function renderChanges(before: PageVersion, after: PageVersion, options: RenderOptions): RenderedChange[] {
  const context = contextOf({ nodes: [] }, options)
  const lines = { before: lineFinder(before.markdown), after: lineFinder(after.markdown) }
  const blocks = compareDocuments(parseDocument(before.markdown), parseDocument(after.markdown))
  return blocks.map((block) => {
    const shown = blockHtml(block, context)
    return {
      change: block.change,
      // A block without visible output, such as a comment, is shown as its source.
      html: shown === '' ? sourceOf(block, before, after) : shown,
      ...(block.before ? { before: placeOf(block.before, lines.before, before) } : {}),
      ...(block.after ? { after: placeOf(block.after, lines.after, after) } : {}),
    }
  })
}

function blockHtml({ shown, before, after }: ComparedBlock, context: RenderContext): string {
  try {
    const own = after ?? before
    const plain = withoutMarks(own ? withId(shown, own.node) : shown)
    const children = shown.type === 'footnote' ? [noteOf(plain, context)] : context.blocks([plain])
    return toHtml(allowed({ type: 'root', children }, 'site'))
  } catch (error) {
    // Too deeply nested HTML exhausted the stack.
    if (error instanceof RangeError) return renderSource(plainText([shown])).html
    throw error
  }
}

/** An author's `<ins>` and `<del>` would look like changes, so they become `<u>` and `<s>`. */
function withoutMarks<Node extends BlockNode | Inline>(node: Node): Node {
  if (node.object === 'text') return node
  const { html } = node.data
  return {
    ...node,
    data: typeof html === 'string' ? { ...node.data, html: html.replace(AUTHORS_MARK, asLook) } : node.data,
    nodes: node.nodes.map(withoutMarks),
  }
}
const AUTHORS_MARK = /(<\/?)(ins|del)(?![\w-])/gi
const asLook = (_: string, start: string, name: string): string => start + (name.toLowerCase() === 'ins' ? 'u' : 's')

/** The ID of a heading is derived from its text in one version. */
const withId = (shown: BlockNode, { nodes }: BlockNode): BlockNode =>
  shown.type.startsWith('heading-') && shown.data['id'] === undefined
    ? { ...shown, data: { ...shown.data, id: anchorOf(plainText(nodes)) } }
    : shown

/** Shows a footnote where its text is written. */
const noteOf = (node: BlockNode, context: RenderContext): Html =>
  h(
    'div',
    { className: ['flow'] },
    h('sup', { className: ['note-mark'] }, String(context.notes.number(String(node.data['label'] ?? '')))),
    context.blocks(node.nodes),
  )

function sourceOf({ before, after }: ComparedBlock, old: PageVersion, now: PageVersion): string {
  const source = after ? textOf(after, now) : before ? textOf(before, old) : ''
  return source.trim() === '' ? '' : toHtml(h('pre', { className: ['code', 'wrap'], dir: 'auto' }, source))
}

const textOf = (unit: Unit, { markdown }: PageVersion): string => {
  const { start, end } = positionOf(unit.node)
  return markdown.slice(start, end)
}

function placeOf(unit: Unit, lineAt: (offset: number) => number, version: PageVersion): BlockPlace {
  const { linesBefore } = version
  const { start, end } = positionOf(unit.node)
  return {
    node: unit.node.key,
    digest: unit.digest,
    lines: [lineAt(start) + linesBefore, lineAt(Math.max(start, end - 1)) + linesBefore],
    source: textOf(unit, version),
  }
}
