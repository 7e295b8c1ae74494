/** Renders tables as rows and columns, or as cards. */
import { inlinesIn } from '../content/blocks/node.js'
import type { BlockNode } from '../content/types.js'
import { h, holder, textIn } from './element.js'
import { picture } from './inlines.js'
import { type Html, type RenderContext, textOf } from './types.js'
import { isRecord } from '../kernel/guards.js'

/** A column of a table. */
export interface Column {
  title?: string
  type?: string
  hidden?: boolean
  cardTarget?: boolean
  cardCover?: boolean
  cardCoverDark?: boolean
  align?: string
  width?: string
}
interface Card {
  target?: { url?: string }
  cover?: { url?: string }
}

const ALIGN = new Set(['left', 'center', 'right'])
const SIZE = /^\d{1,4}$/
/** Returns the rows of a table, or the cells of a row. */
export const rowsOf = (node: BlockNode): BlockNode[] =>
  node.nodes.filter((child): child is BlockNode => child.object === 'block')

/** Renders a table, or its rows as cards. */
export function tableBlock(node: BlockNode, context: RenderContext): Html[] {
  const columns: Column[] = Array.isArray(node.data['definition']) ? node.data['definition'] : []
  return textOf(node.data, 'view') === 'cards' ? [cards(node, columns, context)] : [grid(node, columns, context)]
}

function grid(node: BlockNode, columns: readonly Column[], context: RenderContext): Html {
  const rows = rowsOf(node)
  const cells = (row: BlockNode, name: 'th' | 'td'): Html =>
    h(
      'tr',
      {},
      rowsOf(row).flatMap((cell, index) => {
        const column = columns[index] ?? {}
        if (column.hidden) return []
        const align = column.align !== undefined && ALIGN.has(column.align) ? column.align : null
        const width = name === 'th' && column.width !== undefined && SIZE.test(column.width) ? column.width : null
        return [
          h(
            name,
            { align, width, dir: 'auto', ...spans(cell) },
            cellContent(cell, name === 'th' ? {} : column, context),
          ),
        ]
      }),
    )
  const head = rows.filter(
    (row, index) => row.data['header'] === true && rows.slice(0, index).every((one) => one.data['header'] === true),
  )
  const empty = head.every((row) => rowsOf(row).every((cell) => cell.nodes.length === 0))
  const body = rows.slice(head.length)
  const parts = [
    head.length > 0 && !empty
      ? h(
          'thead',
          {},
          head.map((row) => cells(row, 'th')),
        )
      : null,
    body.length > 0
      ? h(
          'tbody',
          {},
          body.map((row) => cells(row, 'td')),
        )
      : null,
  ].filter((part) => part !== null)
  return holder('table', {}, parts)
}

/** Returns the attributes of a cell that spans several columns or rows. */
export function spans(cell: BlockNode): Record<string, string> {
  const attributes = isRecord(cell.data['attributes']) ? cell.data['attributes'] : {}
  const found: Record<string, string> = {}
  for (const [name, property] of [
    ['colspan', 'colSpan'],
    ['rowspan', 'rowSpan'],
  ] as const) {
    const value = attributes[name]
    if (typeof value === 'string' && /^\d{1,3}$/.test(value)) found[property] = value
  }
  return found
}

function cellContent(cell: BlockNode, column: Column, context: RenderContext): Html[] {
  const content = context.inlines(inlinesIn(cell))
  const text = (): string => textIn(content).trim()
  if (column.type === 'checkbox') return [{ type: 'text', value: text() === 'true' ? '☑' : '☐' }]
  if (column.type === 'rating')
    return [{ type: 'text', value: '★'.repeat(Math.min(10, Math.max(0, Number.parseInt(text(), 10) || 0))) }]
  return content
}

function cards(node: BlockNode, columns: readonly Column[], context: RenderContext): Html {
  const records: Card[] = Array.isArray(node.data['records']) ? node.data['records'] : []
  const rows = rowsOf(node).filter((row) => row.data['header'] !== true)
  const made = rows.map((row, index) => {
    const { target, cover } = records[index] ?? {}
    const link = target?.url === undefined ? null : context.options.targets.link(target.url)
    const texts = rowsOf(row).flatMap((cell, at): Html[] => {
      const column = columns[at] ?? {}
      if (column.hidden || column.cardTarget || column.cardCover || column.cardCoverDark) return []
      const content = cellContent(cell, column, context)
      return textIn(content).trim() === '' && !content.some((one) => one.type === 'element')
        ? []
        : [h('div', { className: ['card-text'], dir: 'auto' }, content)]
    })
    const image = cover?.url ? h('div', { className: ['card-cover'] }, picture({ src: cover.url }, context)) : null
    const more = link
      ? h('p', { className: ['card-link'] }, h('a', { href: link.href }, link.title ?? link.href))
      : null
    return h('div', { className: ['card'] }, image, texts, more)
  })
  return h('div', { className: ['cards'] }, made)
}
