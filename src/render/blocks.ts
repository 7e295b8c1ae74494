/** The renderers of all block types. Blocks of running text are rendered here. */
import { anchorOf } from '../content/outline/anchors.js'
import { positionIn } from '../content/blocks/block.js'
import type { BlockNode } from '../content/types.js'
import { plainText, inlinesIn } from '../content/blocks/node.js'
import { apiBlocks } from './api-blocks.js'
import { joinHtml, type Piece } from './author-html.js'
import { codeBlock } from './code.js'
import { containerBlocks } from './container-blocks.js'
import { h, holder, textIn } from './element.js'
import { formula } from './math.js'
import { mediaBlocks } from './media-blocks.js'
import { marked } from './site/history.js'
import { tableBlock } from './tables.js'
import { type BlockRenderer, type Html, type HtmlElement, type Inline, type RenderContext, textOf } from './types.js'

const childrenOf = (node: BlockNode, context: RenderContext): Html[] => context.blocks(node.nodes)
const inlinesOf = (node: BlockNode, context: RenderContext): Html[] => context.inlines(inlinesIn(node))

/** The block types in print. */
export const printBlocks: ReadonlyMap<string, BlockRenderer> = new Map<string, BlockRenderer>(
  Object.entries({
    paragraph: (node, context) => paragraph(inlinesOf(node, context)),
    blockquote: (node, context) => [holder('blockquote', {}, childrenOf(node, context))],
    divider: () => [h('hr')],
    code: codeBlock,
    math: (node) => [formula(textOf(node.data, 'formula'), true)],
    table: tableBlock,
    'list-unordered': (node, context) => [holder('ul', {}, childrenOf(node, context))],
    'list-ordered': orderedList,
    'list-tasks': (node, context) => [holder('ul', { className: ['tasks'] }, childrenOf(node, context))],
    'list-item': listItem,
    ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`heading-${level}`, heading(level)])),
    footnote(node, context) {
      context.notes.add(textOf(node.data, 'label'), childrenOf(node, context))
      return []
    },
    definition: () => [],
    raw: source,
    'unknown-block': (node, context) => childrenOf(node, context),
    ...containerBlocks,
    ...mediaBlocks,
    ...apiBlocks,
  } satisfies Record<string, BlockRenderer>),
)

/** Renders a list of blocks. HTML as written is joined with the blocks between its tags. */
export function renderBlocks(nodes: BlockNode['nodes'], context: RenderContext): Html[] {
  const pieces: Piece[] = []
  let loose: Inline[] = []
  const flush = (): void => {
    if (loose.length > 0) pieces.push({ nodes: context.medium.paragraph(context.inlines(loose), context) })
    loose = []
  }
  for (const node of nodes) {
    if (node.object !== 'block') {
      loose.push(node)
      continue
    }
    flush()
    if (node.type === 'html') {
      if (node.data['comment'] !== true) pieces.push({ html: textOf(node.data, 'html') })
    } else pieces.push({ nodes: renderPiece(node, context) })
  }
  flush()
  return joinHtml(pieces, context)
}

function renderPiece(node: BlockNode, context: RenderContext): Html[] {
  const plain = (context.medium.blocks.get(node.type) ?? unlisted)(node, context)
  const change = changeOf(node)
  const rendered = change === null ? plain : plain.map((one) => withChange(one, change))
  const history = context.changes.get(node)
  const noted = history === undefined ? rendered : marked(rendered, history, context)
  const number = context.numbers.get(node)
  const made = number === undefined ? noted : noted.map((one) => withNumber(one, number))
  const { start, end } = positionIn(node)
  if (!context.options.positions || start === undefined) return made
  return made.map((one) =>
    one.type === 'element' ? { ...one, properties: { ...one.properties, dataSource: `${start}-${end}` } } : one,
  )
}

const CHANGES = new Set(['added', 'removed', 'changed'])

const withNumber = (one: Html, number: number): Html =>
  one.type === 'element' ? { ...one, properties: { ...one.properties, dataB: number } } : one

/** Returns the change of a nested block, if two versions of a page are shown. */
export const changeOf = ({ data }: BlockNode): string | null =>
  CHANGES.has(textOf(data, 'change')) ? textOf(data, 'change') : null

const withChange = (one: Html, change: string): Html =>
  one.type === 'element' ? { ...one, properties: { ...one.properties, dataChange: change } } : one

/** Renders only the content of a block type that is not in the table. */
const unlisted: BlockRenderer = (node, context) => childrenOf(node, context)

function source(node: BlockNode): Html[] {
  return [h('p', { className: ['source'], dir: 'auto' }, plainText(node.nodes))]
}

/** Elements that must not be in a paragraph. */
export const NOT_IN_PARAGRAPH = new Set([
  'div',
  'p',
  'ul',
  'ol',
  'table',
  'pre',
  'blockquote',
  'details',
  'figure',
  'section',
  'hr',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
])

/** Renders a paragraph. Content that must not be in a paragraph gets another element. */
export function paragraph(content: Html[]): Html[] {
  if (content.length === 0) return []
  const flow = content.some((one) => one.type === 'element' && NOT_IN_PARAGRAPH.has(one.tagName))
  return [h(flow ? 'div' : 'p', { dir: 'auto', ...(flow ? { className: ['paragraph'] } : {}) }, content)]
}

function heading(level: number): BlockRenderer {
  return (node, context) => {
    const content = inlinesOf(node, context)
    const text = textIn(content).trim()
    const id = uniqueId(headingId(node, text), context)
    context.headings.push({ id, level, text })
    return [h(`h${level}`, { id, dir: 'auto' }, content)]
  }
}

/** Returns the explicit ID of a heading, or the one that is derived from its text. */
export const headingId = ({ data }: BlockNode, text: string): string => textOf(data, 'id') || anchorOf(text)

/** Returns an ID that no other heading of the page has. */
export function uniqueId(wanted: string, { ids, options }: RenderContext): string {
  const base = options.idPrefix + wanted.slice(0, 200).replace(/[\s"'<>`\u0000-\u001f]+/g, '-')
  let id = base
  for (let n = 1; ids.has(id); n++) id = `${base}-${n}`
  ids.add(id)
  return id
}

function orderedList(node: BlockNode, context: RenderContext): Html[] {
  const start = node.data['start']
  return [holder('ol', { start: typeof start === 'number' && start !== 1 ? start : null }, childrenOf(node, context))]
}

function listItem(node: BlockNode, context: RenderContext): Html[] {
  const content = childrenOf(node, context)
  const first = content[0]
  // A single paragraph becomes the text of the item itself.
  const only =
    content.length > 0 && first?.type === 'element' && first.tagName === 'p' && isTight(content) ? first.children : null
  const inner = only ? [...only, ...content.slice(1)] : content
  const { checked } = node.data
  if (typeof checked !== 'boolean') return [h('li', { dir: 'auto' }, inner)]
  return [h('li', { dir: 'auto' }, h('input', { type: 'checkbox', disabled: true, checked }), ' ', inner)]
}

const isTight = (content: readonly Html[]): boolean =>
  content.every(
    (one, index) =>
      index === 0 ||
      (one.type === 'element' && (one.tagName === 'ul' || one.tagName === 'ol' || one.tagName === 'div')),
  )

/** Renders the footnotes at the end of a page. */
export function footnotes({ notes, options }: RenderContext): HtmlElement[] {
  const list = notes.list()
  if (list.length === 0) return []
  const items = list.map((note) =>
    h('li', { id: `${options.idPrefix}note-${note.number}`, value: String(note.number), dir: 'auto' }, note.content),
  )
  return [h('section', { className: ['footnotes'] }, h('ol', {}, items))]
}
