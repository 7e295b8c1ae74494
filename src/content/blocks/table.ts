/** Converts markdown and HTML tables to blocks. */
import { required } from '../../kernel/defined.js'
import type { BlockNode } from '../types.js'
import type { ConversionContext } from './context.js'
import type { HtmlSource, HtmlToken } from './html.js'
import { htmlInlines, inlines } from './inline.js'
import { findOffsets, type Markdown } from '../gfm/tree.js'
import { type Inline, plainText } from './node.js'
import { block, type Position } from './block.js'
import { type ContentReference, referenceOf } from './reference.js'

/** A table column. `type`: text, number, checkbox, rating, select, content-ref, files, image, users … */
interface Column {
  id: string
  title: string
  type: string
  hidden?: boolean
  cardTarget?: boolean
  cardCover?: boolean
  cardCoverDark?: boolean
  align?: string
  width?: string
  attributes?: Record<string, string>
}
interface Row {
  header: boolean
  cells: BlockNode[]
  position: Position
}

function referencesIn(nodes: readonly (BlockNode | Inline)[]): ContentReference[] {
  return nodes.flatMap((node) => {
    if (node.object === 'text') return []
    const ref = node.data['ref']
    return ref ? [ref as ContentReference] : referencesIn(node.nodes)
  })
}

function cellValue(column: Column, cell: BlockNode): unknown {
  if (column.type === 'files' || column.type === 'image') return referencesIn(cell.nodes)
  const shown = plainText(cell.nodes).trim()
  if (column.type === 'content-ref') return referencesIn(cell.nodes)[0] ?? (shown ? referenceOf(shown) : null)
  if (column.type === 'checkbox') return shown === 'true'
  if (column.type === 'number' || column.type === 'rating')
    return shown === '' || Number.isNaN(Number(shown)) ? null : Number(shown)
  return shown
}

const isOfCard = ({ cardTarget, cardCover, cardCoverDark }: Column): boolean =>
  cardTarget === true || cardCover === true || cardCoverDark === true

function record(row: Row, index: number, columns: readonly Column[], cards: boolean): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const shown = Math.min(columns.length, row.cells.length)
  for (let at = 0; at < shown; at++)
    values[required(columns[at]).id] = cellValue(required(columns[at]), required(row.cells[at]))
  if (!cards) return { id: `r${index}`, values }
  const first = (wanted: (column: Column) => boolean | undefined) => {
    const at = columns.findIndex((column) => wanted(column))
    return at < 0 || !row.cells[at] ? undefined : referencesIn([row.cells[at]])[0]
  }
  const target = first((column) => column.cardTarget)
  const cover = first((column) => column.cardCover)
  const coverDark = first((column) => column.cardCoverDark)
  return {
    id: `r${index}`,
    values,
    ...(target ? { target } : {}),
    ...(cover ? { cover } : {}),
    ...(coverDark ? { coverDark } : {}),
  }
}

function table(
  rows: readonly Row[],
  definition: Column[],
  position: Position,
  data: Record<string, unknown>,
): BlockNode {
  const cards = definition.some(isOfCard)
  const records = rows.filter((row) => !row.header).map((row, index) => record(row, index, definition, cards))
  const nodes = rows.map((row) => block('table-row', row.position, { header: row.header }, row.cells))
  return block('table', position, { ...data, definition, records }, nodes)
}

/** Converts a GFM table. */
export function markdownTable(node: Markdown, context: ConversionContext): BlockNode[] {
  const at = findOffsets(node)
  if (!at) return []
  const place = (child: Markdown) => {
    const range = findOffsets(child) ?? at
    return context.position(range.start, range.end)
  }
  const rows = (node.children ?? []).map((row, index): Row => {
    const cells = (row.children ?? []).map((cell) =>
      block('table-cell', place(cell), {}, inlines(cell.children ?? [], context)),
    )
    return { header: index === 0, cells, position: place(row) }
  })
  const definition = (rows[0]?.cells ?? []).map((cell, index): Column => {
    const align = node.align?.[index]
    return { id: `c${index}`, title: plainText(cell.nodes), type: 'text', ...(align ? { align } : {}) }
  })
  return [table(rows, definition, context.position(at.start, at.end), { view: 'grid', format: 'markdown' })]
}

/** Converts an HTML table. With `data-view="cards"`, its rows are shown as cards. */
export function htmlTable({ html, tokens, pairs, place, context }: HtmlSource, position: Position): BlockNode {
  const rows: Row[] = []
  const definition: Column[] = []
  let head = false
  for (let i = 1; i < tokens.length; i++) {
    const token = required(tokens[i])
    const partner = pairs[i] ?? -1
    const close = tokens[partner]
    if (token.name === 'thead') head = token.type === 'open'
    if (token.type !== 'open' || !close) continue
    if (token.name === 'tr') rows.push({ header: head, cells: [], position: place(token.start, close.end) })
    const row = rows.at(-1)
    if ((token.name !== 'th' && token.name !== 'td') || !row) continue
    const inner = html.slice(token.end, close.start)
    const nodes = htmlInlines(inner, context)
    row.cells.push(
      block('table-cell', place(token.start, close.end), { html: inner, attributes: token.attributes }, nodes),
    )
    if (token.name === 'th' && rows.length === 1) {
      row.header = true
      definition.push(column(definition.length, token, plainText(nodes)))
    }
    i = partner
  }
  const widest = rows.reduce((most, row) => Math.max(most, row.cells.length), 0)
  while (definition.length < widest) definition.push({ id: `c${definition.length}`, title: '', type: 'text' })
  const attributes = tokens[0]?.attributes ?? {}
  return table(rows, definition, position, { view: attributes['data-view'] ?? 'grid', format: 'html', attributes })
}

function column(index: number, { attributes }: HtmlToken, title: string): Column {
  const has = (name: string): boolean => attributes[name] !== undefined
  const width = attributes['width']
  const align = attributes['align']
  return {
    id: `c${index}`,
    title,
    type: attributes['data-type'] ?? 'text',
    ...(has('data-hidden') ? { hidden: true } : {}),
    ...(has('data-card-target') ? { cardTarget: true } : {}),
    ...(has('data-card-cover') ? { cardCover: true } : {}),
    ...(has('data-card-cover-dark') ? { cardCoverDark: true } : {}),
    ...(align ? { align } : {}),
    ...(width ? { width } : {}),
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
  }
}
