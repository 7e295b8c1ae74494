/** Renders tables on pages of sites: as rows and columns, or as cards with covers. */
import type { BlockNode } from '../../content/types.js'
import { changeOf } from '../blocks.js'
import { h, textIn } from '../element.js'
import { type Column, rowsOf, spans } from '../tables.js'
import { type Html, type RenderContext, textOf } from '../types.js'
import { linkAttributes, picture } from './inlines.js'
import { word, written } from './text.js'
import { ownMember } from '../../kernel/guards.js'
import { inlinesIn } from '../../content/blocks/node.js'

interface Card {
  target?: { url?: string }
  cover?: { url?: string }
  coverDark?: { url?: string }
}

/** Tables with more columns extend into the margin. */
const WIDE_COLUMNS = 3
const NUMBER = /^[-+]?\p{Sc}?\s?[\d.,\s]*\d\s?(?:%|\p{Sc})?$/u
const MAX_STARS = 10

/** Renders a table, or its rows as cards. */
export function siteTable(node: BlockNode, context: RenderContext): Html[] {
  const columns: Column[] = Array.isArray(node.data['definition']) ? node.data['definition'] : []
  return textOf(node.data, 'view') === 'cards' ? [cards(node, columns, context)] : [grid(node, columns, context)]
}

function grid(node: BlockNode, columns: readonly Column[], context: RenderContext): Html {
  const rows = rowsOf(node)
  const headRows = rows.findIndex((row) => row.data['header'] !== true)
  const head = headRows < 0 ? rows : rows.slice(0, headRows)
  const body = headRows < 0 ? [] : rows.slice(headRows)
  const numeric = columns.map(({ type = 'text' }, at) => /^(?:text|number)$/.test(type) && isNumeric(body, at))
  const row = (one: BlockNode, name: 'th' | 'td'): Html =>
    h(
      'tr',
      { dataChange: changeOf(one) },
      rowsOf(one).flatMap((cell, at) => {
        const column = columns[at] ?? {}
        if (column.hidden) return []
        const side =
          column.align === 'center' ? 'm' : column.align === 'right' || (!column.align && numeric[at]) ? 'r' : ''
        const content = cellContent(cell, name === 'th' ? {} : column, context)
        const attributes = {
          className: side ? [side] : [],
          scope: name === 'th' ? 'col' : null,
          dataChange: changeOf(cell),
          ...spans(cell),
        }
        return [written(name, attributes, content, context)]
      }),
    )
  const isNamed = head.some((one) => rowsOf(one).some((cell) => cell.nodes.length > 0))
  const table = h(
    'table',
    {},
    isNamed
      ? h(
          'thead',
          {},
          head.map((one) => row(one, 'th')),
        )
      : null,
    body.length > 0
      ? h(
          'tbody',
          {},
          body.map((one) => row(one, 'td')),
        )
      : null,
  )
  const label = context.headings.at(-1)?.text || word(context, 'table')
  const scroll = h('div', { className: ['scroll'], tabIndex: 0, role: 'group', ariaLabel: label }, table)
  const isWide =
    columns.filter((column) => !column.hidden).length > WIDE_COLUMNS ||
    ownMember(node.data['attributes'], 'data-full-width') === 'true'
  return h('div', { className: ['table', ...(isWide ? ['wide'] : [])] }, scroll)
}

/** Whether a column contains only numbers. */
function isNumeric(body: readonly BlockNode[], at: number): boolean {
  const texts = body.flatMap((row) => {
    const cell = rowsOf(row)[at]
    const text = cell ? cellText(cell).trim() : ''
    return text === '' ? [] : [text]
  })
  return texts.length > 0 && texts.every((text) => text.length <= 20 && NUMBER.test(text))
}

/** Returns the text of a cell, in its later version if it shows two. Pictures and links count as text. */
const cellText = ({ nodes }: Pick<BlockNode, 'nodes'>): string =>
  nodes
    .map((one) => {
      if (one.object === 'text') return one.leaves.map((leaf) => leaf.text).join('')
      if (one.type === 'deleted') return ''
      return one.type === 'inserted' ? cellText(one) : 'x'
    })
    .join('')

function cellContent(cell: BlockNode, column: Column, context: RenderContext): Html[] {
  const content = context.inlines(inlinesIn(cell))
  const text = (): string => textIn(content).trim()
  if (column.type === 'checkbox') {
    const checked = text() === 'true'
    const ariaLabel = word(context, checked ? 'done' : 'open')
    return [h('input', { type: 'checkbox', disabled: true, checked, ariaLabel })]
  }
  if (column.type === 'rating') {
    const stars = Math.min(MAX_STARS, Math.max(0, Number.parseInt(text(), 10) || 0))
    return stars === 0 ? [] : [h('span', { role: 'img', ariaLabel: String(stars) }, '★'.repeat(stars))]
  }
  return content
}

function cards(node: BlockNode, columns: readonly Column[], context: RenderContext): Html {
  const records: Card[] = Array.isArray(node.data['records']) ? node.data['records'] : []
  const rows = rowsOf(node).filter((row) => row.data['header'] !== true)
  return h(
    'div',
    { className: ['cards', 'wide'] },
    rows.map((row, at) => card(row, records[at] ?? {}, columns, context)),
  )
}

/** Renders a row as a card. Its first text is the title, and the target of the row is the target of the card. */
function card(
  row: BlockNode,
  { target, cover, coverDark }: Card,
  columns: readonly Column[],
  context: RenderContext,
): Html {
  const { targets } = context.options
  const link = target?.url === undefined ? null : targets.link(target.url)
  const texts = rowsOf(row).flatMap((cell, at): Html[][] => {
    const column = columns[at] ?? {}
    if (column.hidden || column.cardTarget || column.cardCover || column.cardCoverDark) return []
    const content = cellContent(cell, column, context)
    const isEmpty = textIn(content).trim() === '' && !content.some((one) => one.type === 'element')
    return isEmpty ? [] : [content]
  })
  const isIcon = (content: readonly Html[] | undefined): boolean =>
    content !== undefined && textIn(content).trim() === '' && content.some((one) => one.type === 'element')
  const icon = isIcon(texts[0]) ? texts.shift() : undefined
  const named: Html[] = texts.shift() ?? (link?.title === undefined ? [] : [{ type: 'text', value: link.title }])
  const title = link ? [h('a', linkAttributes(link.href, context), withoutLinks(named))] : named
  const image = cover?.url ? picture({ src: cover.url, srcDark: coverDark?.url ?? '' }, context) : []
  const shown = image.filter((one) => one.tagName === 'img')
  return h(
    'div',
    { className: ['card'] },
    shown,
    h(
      'div',
      { className: ['card-in'] },
      icon ?? null,
      named.length > 0 ? written('p', { className: ['card-title'] }, title, context) : null,
      texts.map((content) => written('div', {}, content, context)),
    ),
  )
}

/** A link must not contain another one. */
const withoutLinks = (nodes: readonly Html[]): Html[] =>
  nodes.flatMap((node) => {
    if (node.type !== 'element') return [node]
    const children = withoutLinks(node.children)
    return node.tagName === 'a' ? children : [{ ...node, children }]
  })
