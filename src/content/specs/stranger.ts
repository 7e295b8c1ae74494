/**
 * Parses untrusted markdown, such as descriptions in specifications: text formatting is preserved, everything else
 * becomes plain text.
 */
import { mark, plainText, text, blocksIn, inlinesIn } from '../blocks/node.js'
import { parseDocument } from '../blocks/parse.js'
import { pageLimit, SMALL_WEIGHT } from '../blocks/weight.js'
import type { BlockNode, TextNode } from '../types.js'
import { fence, type Inline, paragraph, plain, words } from './nodes.js'

/** Matches text that may contain markup. Other texts are plain. */
const MARKUP = /[\\`*_[\]<>{}#|~&$!:@]|^\s*[-+=\d]|\n\s*\n|www\./m
const KEPT_BLOCKS = new Set(['list-ordered', 'list-unordered', 'list-item', 'blockquote'])
const KEPT_MARKS = new Set(['bold', 'italic', 'strikethrough', 'code'])
const ADDRESS = /^(?:https?:\/\/|mailto:)[^\s<>"'\\]+$/i
/** Maximum number of cells in a table. Larger tables become text. */
const MAX_CELLS = 500

/**
 * Returns the blocks of a description. Links may point only to http, https and mailto addresses, and nothing in it
 * refers to a file, a page or a block of this service.
 */
export function untrustedBlocks(markdown: string): BlockNode[] {
  if (!MARKUP.test(markdown)) return markdown.trim() === '' ? [] : [paragraph(words(markdown.trim()))]
  if (pageLimit(markdown, SMALL_WEIGHT) !== null) return [paragraph(words(markdown.trim()))]
  return keptBlocks(parseDocument(markdown).nodes)
}

const keptBlocks = (nodes: readonly BlockNode['nodes'][number][]): BlockNode[] =>
  nodes.flatMap((node) => (node.object === 'block' ? keptBlock(node) : []))

function keptBlock(node: BlockNode): BlockNode[] {
  if (node.type === 'paragraph') return paragraphOf(keptInlines(inlinesIn(node)))
  if (node.type.startsWith('heading-')) return paragraphOf([text(tidy(plainText(node.nodes)), [mark('bold')])])
  if (node.type === 'code') return [fence(plainText(node.nodes).slice(0, 4_000), syntaxOf(node))]
  if (node.type === 'table') return tableOf(node)
  if (node.type === 'html' || node.type === 'raw') return asText(plainText(node.nodes))
  const inner = keptBlocks(node.nodes)
  if (!KEPT_BLOCKS.has(node.type)) return inner.length > 0 ? inner : asText(plainText(node.nodes))
  if (inner.length === 0) return []
  const start = node.data['start']
  return [plain(node.type, node.type === 'list-ordered' && typeof start === 'number' ? { start } : {}, inner)]
}

/** Returns the text of HTML and of dropped nodes. */
const asText = (source: string): BlockNode[] => paragraphOf([words(source.replace(/<[^<>]{0,2000}>/g, ' '))])

const tidy = (value: string): string => value.replace(/\s+/g, ' ').trim()

function syntaxOf({ data }: BlockNode): string | undefined {
  const { syntax } = data
  return typeof syntax === 'string' && /^[\w+#.-]{1,30}$/.test(syntax) ? syntax : undefined
}

const paragraphOf = (nodes: Inline[]): BlockNode[] => (plainText(nodes).trim() === '' ? [] : [paragraph(...nodes)])

function keptInlines(nodes: readonly Inline[]): Inline[] {
  return nodes.flatMap((node): Inline[] => {
    if (node.object === 'text') return keptLeaves(node)
    if (node.type === 'hard-break') return [{ ...node, data: {} }]
    if (node.type === 'inline-image')
      return typeof node.data['alt'] === 'string' && node.data['alt'].trim() !== '' ? [words(node.data['alt'])] : []
    if (node.type === 'html-inline') return []
    const inner = keptInlines(node.nodes)
    const address = node.type === 'link' ? addressOf(node.data) : null
    return address !== null && plainText(inner).trim() !== ''
      ? [{ ...node, data: { ref: { kind: 'url', url: address } }, nodes: inner }]
      : inner
  })
}

function keptLeaves({ leaves, ...node }: TextNode): TextNode[] {
  const kept = leaves.map((leaf) => ({
    ...leaf,
    marks: leaf.marks.filter(({ type }) => KEPT_MARKS.has(type)).map((one) => ({ ...one, data: {} })),
  }))
  return kept.length === 0 ? [] : [{ ...node, leaves: kept }]
}

function addressOf({ ref }: Record<string, unknown>): string | null {
  const url = typeof ref === 'object' && ref !== null && 'url' in ref ? ref.url : null
  return typeof url === 'string' && url.length <= 2_000 && ADDRESS.test(url) ? url : null
}

/** Converts a markdown table. Other tables and large ones become text. */
function tableOf(node: BlockNode): BlockNode[] {
  const rows = blocksIn(node)
  const cells = rows.reduce((sum, row) => sum + row.nodes.length, 0)
  if (node.data['format'] !== 'markdown' || cells > MAX_CELLS || rows.length < 2)
    return rows.flatMap((row) => asText(plainText(row.nodes)))
  const kept = rows.map((row) =>
    plain(
      'table-row',
      { header: row.data['header'] === true },
      blocksIn(row).map((cell) =>
        plain(
          'table-cell',
          {},
          keptInlines(inlinesIn(cell)).filter((one) => one.object === 'text' || one.type !== 'hard-break'),
        ),
      ),
    ),
  )
  return [plain('table', { view: 'grid', format: 'markdown' }, kept)]
}
