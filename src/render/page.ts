/** Renders the block tree of a page as HTML. The code is pure: the options provide all other data. */
import { defined, required } from '../kernel/defined.js'
import { toHtml } from 'hast-util-to-html'
import { positionIn } from '../content/blocks/block.js'
import { isVerbatimPage } from '../content/blocks/verbatim.js'
import { anchorOf } from '../content/outline/anchors.js'
import type { BlockNode, DocumentNode } from '../content/types.js'
import { allowed } from './allow-list.js'
import { footnotes, headingId, paragraph, printBlocks, renderBlocks, uniqueId } from './blocks.js'
import { MAX_CODE_OF_PAGE } from './code.js'
import { holder, textIn } from './element.js'
import { printColor, printInlines, renderInlines } from './inlines.js'
import { changesByBlock, withHistory } from './site/history.js'
import { site } from './site/medium.js'
import { placedBlocks } from './source-places.js'
import type { Html, Inline, Medium, Notes, RenderContext, Rendered, RenderOptions } from './types.js'

const print: Medium = {
  blocks: printBlocks,
  inlines: printInlines,
  paragraph,
  color: printColor,
  end: footnotes,
}

/**
 * Renders a page as HTML without scripts. Whatever its author wrote, the result contains only elements, attributes and
 * kinds of addresses from `allow-list.ts`, and every text is escaped. Throws `RangeError` if its HTML is nested deeper
 * than the stack allows.
 */
export function renderPage(document: DocumentNode, options: RenderOptions): Rendered {
  const context = contextOf(document, options)
  const [first, ...rest] = document.nodes
  const title =
    options.takeTitle && first?.type === 'heading-1' ? textIn(renderInlines(inlinesOf(first), context)).trim() : null
  const isSite = options.medium === 'site'
  // A site shows the title above the page. No other heading may have the title's ID.
  const titleId = title && first && isSite ? uniqueId(headingId(first, title), context) : undefined
  const whole = document.nodes.length === 1 && first !== undefined && isVerbatimPage(first)
  if (whole) context.highlight.left = 0
  const blocks = renderBlocks(title ? rest : document.nodes, context)
  const history = options.site?.history
  const shown = history ? withHistory(blocks, history, context) : blocks
  const content = [...shown, ...context.medium.end(context)]
  nameExpandables(context)
  const { headings } = context
  if (isSite) {
    const tree = allowed({ type: 'root', children: content }, 'site')
    return {
      html: toHtml(tree),
      headings,
      title: title || null,
      icons: [...context.icons],
      origins: [...context.origins],
      ...defined({ titleId }),
    }
  }
  const page = holder('div', { className: ['page'], lang: options.lang }, content)
  const tree = allowed({ type: 'root', children: [page] }, 'print')
  return { html: toHtml(tree, { closeSelfClosing: true }), headings, title: title || null }
}

/** The HTML of the blocks of a range. */
export interface RenderedRange {
  /** The index of the range. */
  range: number
  html: string
}

/**
 * Renders a page for the app: the HTML of each range of blocks separately. A block belongs to the last range that starts
 * before it. Elements that HTML as written opens and closes in different blocks stay in one piece, with the first block.
 * @param starts offsets at which the ranges start, ascending, in UTF-16 units
 */
export function renderRanges(
  document: DocumentNode,
  starts: readonly number[],
  options: RenderOptions,
): { blocks: RenderedRange[] } & Pick<Rendered, 'headings'> {
  const context = contextOf(document, options)
  if (document.nodes.length === 1 && document.nodes[0] && isVerbatimPage(document.nodes[0])) context.highlight.left = 0
  const groups: { range: number; nodes: BlockNode[]; open: number }[] = []
  let range = 0
  for (const node of document.nodes) {
    const { start = 0 } = positionIn(node)
    while ((starts[range + 1] ?? Number.POSITIVE_INFINITY) <= start) range++
    const last = groups.at(-1)
    const open = opened(node)
    if (last && (last.open > 0 || last.range === range)) {
      last.nodes.push(node)
      last.open = Math.max(0, last.open + open)
    } else groups.push({ range, nodes: [node], open: Math.max(0, open) })
  }
  const ranges = groups.map(({ range: at, nodes }) => ({ range: at, content: renderBlocks(nodes, context) }))
  const end = context.medium.end(context)
  if (end.length > 0) ranges.push({ range: starts.length, content: end })
  nameExpandables(context)
  const blocks = ranges.map(({ range: at, content }): RenderedRange => {
    return { range: at, html: toHtml(allowed({ type: 'root', children: content }, 'site')) }
  })
  return { blocks, headings: context.headings }
}

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i

/** Returns how many elements a block of HTML opens more than it closes. */
function opened(node: BlockNode): number {
  if (node.type !== 'html' || typeof node.data['html'] !== 'string') return 0
  let count = 0
  for (const [tag, slash, name = ''] of node.data['html'].matchAll(/<(\/?)([a-z][a-z0-9-]*)[^<>]*>/gi))
    if (!VOID.test(name) && !tag.endsWith('/>')) count += slash === '/' ? -1 : 1
  return count
}

/** Gives expandable sections the IDs that follow from their titles, unless a heading has the ID. */
function nameExpandables(context: RenderContext): void {
  for (const { element, title } of context.expandables) {
    const wanted = anchorOf(title)
    if (title !== '' && !context.ids.has(context.options.idPrefix + wanted))
      element.properties['id'] = uniqueId(wanted, context)
  }
}

/** Returns the inline nodes of a heading. */
const inlinesOf = ({ nodes }: DocumentNode['nodes'][number]): Inline[] =>
  nodes.filter((node) => node.object !== 'block')

/** Returns the context for rendering one page. */
export function contextOf({ nodes }: Pick<DocumentNode, 'nodes'>, options: RenderOptions): RenderContext {
  const history = options.site?.history
  const context: RenderContext = {
    options,
    headings: [],
    ids: new Set(),
    expandables: [],
    notes: notesOf(),
    highlight: { left: MAX_CODE_OF_PAGE },
    icons: new Set(),
    origins: new Set(),
    changes: history ? changesByBlock(nodes, history) : new Map(),
    numbers: new Map(options.site?.numbered ? placedBlocks(nodes).map(({ node }, number) => [node, number]) : []),
    level: 1,
    medium: options.medium === 'site' ? site : print,
    blocks: (nodes) => renderBlocks(nodes, context),
    inlines: (nodes) => renderInlines(nodes, context),
  }
  return context
}

function notesOf(): Notes {
  const numbers = new Map<string, number>()
  const contents = new Map<string, Html[]>()
  const number = (label: string): number => {
    if (!numbers.has(label)) numbers.set(label, numbers.size + 1)
    return required(numbers.get(label))
  }
  return {
    number,
    add(label, content) {
      if (!contents.has(label)) contents.set(label, content)
    },
    list: () =>
      [...contents]
        .map(([label, content]) => ({ label, number: number(label), content }))
        .sort((a, b) => a.number - b.number),
  }
}
