/** Changes one table in HTML, cell by cell. Everything else in it keeps its bytes. */
import type { TextEdit } from './merge.js'

/** A cell: the place of its content without the spaces around it, and of its element. */
interface HtmlCell {
  from: number
  to: number
  text: string
  start: number
  end: number
  name: 'td' | 'th'
  /** Whether the content has blocks or several lines, such as a list. */
  isLong: boolean
}

interface HtmlRow {
  start: number
  /** The place of its end tag. */
  close: number
  end: number
  cells: HtmlCell[]
}

/** A table in HTML. The heading is the first row if all of its cells are headings. */
export interface HtmlTable {
  source: string
  heading: HtmlRow | null
  rows: HtmlRow[]
  columns: number
  /** The place of the first row of a table without rows, and what is written around that row. */
  start: { at: number; before: string; after: string }
}

/** Larger tables are edited as source. */
const MAX_LENGTH = 200_000
const TAG = /<!--[\s\S]*?-->|<(\/?)([a-z][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/gi
const BLOCKS = new Set(['ul', 'ol', 'dl', 'p', 'div', 'pre', 'blockquote', 'figure', 'details', 'h1', 'h2', 'h3', 'h4'])
const PARTS = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'caption', 'colgroup'])

/** Reads a table. Returns null if the text is none, or one that is only edited as source: nested, or with joined cells. */
export function readHtmlTable(source: string): HtmlTable | null {
  if (source.length > MAX_LENGTH || !/^\s*<table[\s>]/i.test(source) || !/<\/table>\s*$/i.test(source)) return null
  const rows: HtmlRow[] = []
  let row: HtmlRow | null = null
  let cell: { start: number; open: number; name: 'td' | 'th'; isLong: boolean } | null = null
  let isOpen = false
  let part: { name: string; at: number } | null = null
  for (const { 0: tag, 1: slash, 2: written = '', 3: attributes = '', index: at } of source.matchAll(TAG)) {
    const [name, isEnd, end] = [written.toLowerCase(), slash === '/', at + tag.length]
    if (cell) {
      if (isEnd && name === cell.name) {
        row?.cells.push(cellOf(source, { ...cell, close: at, end }))
        cell = null
      } else if (PARTS.has(name)) return null
      else if (BLOCKS.has(name)) cell.isLong = true
    } else if (name === 'td' || name === 'th') {
      if (isEnd || !row || /\b(?:col|row)span\b/i.test(attributes)) return null
      cell = { start: at, open: end, name, isLong: false }
    } else if (name === 'tr') {
      if (isEnd === (row === null)) return null
      if (row) rows.push({ ...row, close: at, end })
      row = isEnd ? null : { start: at, close: end, end, cells: [] }
    } else if (name === 'table') {
      if (isOpen && !isEnd) return null
      isOpen = true
    } else if (name === 'thead' || name === 'tbody') part = { name: isEnd ? `/${name}` : name, at: end }
  }
  if (row || cell) return null
  const [first] = rows
  const heading = first?.cells.length && first.cells.every((one) => one.name === 'th') ? first : null
  const columns = Math.max(0, ...rows.map(({ cells }) => cells.length))
  if (columns === 0) return null
  return { source, heading, rows: heading ? rows.slice(1) : rows, columns, start: startOf(heading, part) }
}

/** Where the first row of a table with a heading alone goes. */
function startOf(heading: HtmlRow | null, part: { name: string; at: number } | null): HtmlTable['start'] {
  if (part?.name === 'tbody') return { at: part.at, before: '', after: '' }
  if (part?.name === '/thead') return { at: part.at, before: '<tbody>', after: '</tbody>' }
  return { at: heading?.end ?? 0, before: '', after: '' }
}

function cellOf(
  source: string,
  {
    start,
    open,
    close,
    end,
    name,
    isLong,
  }: {
    start: number
    open: number
    close: number
    end: number
    name: 'td' | 'th'
    isLong: boolean
  },
): HtmlCell {
  const inner = source.slice(open, close)
  const text = inner.trim()
  const from = open + (text === '' ? 0 : inner.length - inner.trimStart().length)
  return { from, to: from + text.length, text, start, end, name, isLong: isLong || text.includes('\n') }
}

/** A blank line would end the table. */
const written = (value: string): string => value.trim().replace(/\n(?:[ \t]*\n)+/g, '\n')
const escaped = (value: string): string => value.replaceAll('<', '&lt;')

/** Changes the content of a cell. A content that would change other cells is written as text. `row` -1 is the heading. */
export function setHtmlCell(table: HtmlTable, row: number, column: number, value: string): TextEdit[] {
  const line = row < 0 ? table.heading : table.rows[row]
  const cell = line?.cells[column]
  if (!line || cell?.text === value) return []
  const editWith = (content: string): TextEdit =>
    cell
      ? { from: cell.from, to: cell.to, insert: content }
      : {
          from: line.close,
          to: line.close,
          insert: `${'<td></td>'.repeat(column - line.cells.length)}<td>${content}</td>`,
        }
  const edit = editWith(written(value))
  return [keepsOthers(table, edit, row, column) ? edit : editWith(escaped(written(value)))]
}

/** Whether all other cells are the same after an edit. */
function keepsOthers(table: HtmlTable, { from, to, insert }: TextEdit, row: number, column: number): boolean {
  const after = readHtmlTable(table.source.slice(0, from) + insert + table.source.slice(to))
  if (!after || after.rows.length !== table.rows.length) return false
  const [old, now] = [textsOf(table), textsOf(after)]
  return now.every((cells, at) => {
    const [was, isChanged] = [old[at] ?? [], at === row + 1]
    return (
      cells.length === Math.max(was.length, isChanged ? column + 1 : 0) &&
      cells.every((text, index) => (isChanged && index === column) || text === (was[index] ?? ''))
    )
  })
}

const textsOf = ({ heading, rows }: HtmlTable): string[][] => [
  heading?.cells.map(({ text }) => text) ?? [],
  ...rows.map(({ cells }) => cells.map(({ text }) => text)),
]

/** The line feed and the spaces before a place, if nothing else is there. */
const indentBefore = (source: string, at: number): string => /\n[ \t]*$/.exec(source.slice(0, at))?.[0] ?? ''

/** Adds an empty row below a row; -1 = below the heading. */
export function addHtmlRow({ source, heading, rows, columns, start }: HtmlTable, below: number): TextEdit[] {
  const next = rows[Math.max(0, below)]
  const row = `<tr>${'<td></td>'.repeat(columns)}</tr>`
  const indent = indentBefore(source, (next ?? heading)?.start ?? 0)
  if (!next) return [{ from: start.at, to: start.at, insert: `${start.before}${indent}${row}${start.after}` }]
  // Below the heading is above the first row.
  if (below < 0) return [{ from: next.start, to: next.start, insert: row + indent }]
  return [{ from: next.end, to: next.end, insert: indent + row }]
}

/** Removes a row. */
export function removeHtmlRow({ source, rows }: HtmlTable, row: number): TextEdit[] {
  const line = rows[row]
  return line ? [{ from: line.start - indentBefore(source, line.start).length, to: line.end, insert: '' }] : []
}

/** Adds an empty column after a column. */
export const addHtmlColumn = ({ source, heading, rows }: HtmlTable, after: number): TextEdit[] =>
  [...(heading ? [heading] : []), ...rows].flatMap(({ cells }): TextEdit[] => {
    const cell = cells[after]
    if (!cell) return []
    const insert = `${indentBefore(source, cell.start)}<${cell.name}></${cell.name}>`
    return [{ from: cell.end, to: cell.end, insert }]
  })

/** Removes a column. The last one stays. */
export const removeHtmlColumn = ({ source, heading, rows, columns }: HtmlTable, column: number): TextEdit[] =>
  columns < 2
    ? []
    : [...(heading ? [heading] : []), ...rows].flatMap(({ cells }): TextEdit[] => {
        const cell = cells[column]
        return cell ? [{ from: cell.start - indentBefore(source, cell.start).length, to: cell.end, insert: '' }] : []
      })
