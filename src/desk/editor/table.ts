/** Changes one markdown table, cell by cell. All other bytes are preserved. */
import type { TextEdit } from './merge.js'

/** A cell: the range of its text in the table, without surrounding spaces. */
export interface Cell {
  from: number
  to: number
  text: string
  /** The range of the whole cell, with the pipe after it. */
  start: number
  end: number
}

/** A row, with its line number in the table. */
interface Row {
  from: number
  to: number
  cells: Cell[]
  /** Whether the line starts with a pipe. */
  isOpened: boolean
  /** Whether the line ends with a pipe. */
  isClosed: boolean
}

/** A pipe table: the header, the delimiter row and the rows. */
export interface Table {
  heading: Row
  dashes: Row
  rows: Row[]
  columns: number
}

const DASHES = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

/** Returns the offsets of the pipes that separate cells. */
function pipesIn(line: string): number[] {
  const found: number[] = []
  for (let at = 0; at < line.length; at++)
    if (line[at] === '\\') at++
    else if (line[at] === '|') found.push(at)
  return found
}

function rowOf(line: string, start: number): Row {
  const pipes = pipesIn(line)
  const isOpened = pipes.length > 0 && line.slice(0, pipes[0]).trim() === ''
  const last = pipes.at(-1)
  const isClosed = last !== undefined && pipes.length > (isOpened ? 1 : 0) && line.slice(last + 1).trim() === ''
  const edges = [...(isOpened ? [] : [-1]), ...pipes, ...(isClosed ? [] : [line.length])]
  const cells = edges.slice(0, -1).map((edge, at): Cell => {
    const [from, to] = [edge + 1, edges[at + 1] ?? line.length]
    const text = line.slice(from, to)
    const lead = text.trim() === '' ? Math.min(1, text.length) : text.length - text.trimStart().length
    return {
      from: start + from + lead,
      to: start + from + lead + text.trim().length,
      text: shown(text.trim()),
      start: start + from,
      end: start + Math.min(line.length, to + 1),
    }
  })
  return { from: start, to: start + line.length, cells, isOpened, isClosed }
}

const shown = (text: string): string => text.replace(/\\\|/g, '|')
/** A cell must stay on one line. */
const written = (value: string): string =>
  value
    .replace(/\r\n|\r|\n/g, '<br>')
    .replace(/(\\*)\|/g, (_, slashes: string) => `${slashes}${slashes.length % 2 === 0 ? '\\' : ''}|`)
    .trim()

/** Parses a table. Returns null if the text is not a table. */
export function readTable(text: string): Table | null {
  const rows: Row[] = []
  let start = 0
  for (const line of text.replace(/\n$/, '').split('\n')) {
    rows.push(rowOf(line, start))
    start += line.length + 1
  }
  const [heading, dashes, ...rest] = rows
  if (!heading || !dashes || !DASHES.test(text.slice(dashes.from, dashes.to))) return null
  return { heading, dashes, rows: rest, columns: heading.cells.length }
}

/** Returns the row with an index; -1 = the header. */
const rowAt = ({ heading, rows }: Table, index: number): Row | undefined => (index < 0 ? heading : rows[index])

/** Changes the text of a cell. `row` -1 is the header. */
export function setCell(table: Table, row: number, column: number, value: string): TextEdit[] {
  const line = rowAt(table, row)
  const cell = line?.cells[column]
  const insert = written(value)
  if (!line || cell?.text === value) return []
  if (!cell)
    return [
      {
        from: line.to,
        to: line.to,
        insert: `${line.isClosed ? '' : ' |'}${' |'.repeat(column - line.cells.length)} ${insert} |`,
      },
    ]
  const needsStart = insert === '' && column === 0 && !line.isOpened
  const needsEnd = insert === '' && column === line.cells.length - 1 && !line.isClosed
  // A backslash would escape the pipe after it. An empty cell has only the space before it.
  const space = insert.endsWith('\\') || (cell.from === cell.to && insert !== '') ? ' ' : ''
  return [
    ...(needsStart ? [{ from: line.from, to: line.from, insert: '|' }] : []),
    { from: cell.from, to: cell.to, insert: insert + space },
    ...(needsEnd ? [{ from: line.to, to: line.to, insert: '|' }] : []),
  ]
}

/** Adds an empty row below a row; -1 = below the header. */
export function addRow(table: Table, below: number): TextEdit[] {
  const line = below < 0 ? table.dashes : (table.rows[below] ?? table.dashes)
  return [{ from: line.to, to: line.to, insert: `\n|${'  |'.repeat(table.columns)}` }]
}

/** Removes a row. */
export function removeRow(table: Table, row: number): TextEdit[] {
  const line = table.rows[row]
  return line ? [{ from: line.from - 1, to: line.to, insert: '' }] : []
}

/** Adds an empty column after a column. */
export function addColumn({ heading, dashes, rows }: Table, after: number): TextEdit[] {
  return [heading, dashes, ...rows].flatMap((line): TextEdit[] => {
    const cell = line.cells[after]
    if (!cell) return []
    const text = line === dashes ? ' --- ' : '  '
    const isLast = after === line.cells.length - 1 && !line.isClosed
    return [{ from: cell.end, to: cell.end, insert: isLast ? ` |${text}|` : `${text}|` }]
  })
}

/** Removes a column, unless it is the last one. */
export function removeColumn({ heading, dashes, rows, columns }: Table, column: number): TextEdit[] {
  if (columns < 2) return []
  return [heading, dashes, ...rows].flatMap((line): TextEdit[] => {
    const cell = line.cells[column]
    if (!cell) return []
    const isLast = column === line.cells.length - 1 && !line.isClosed
    return [
      ...(line.isOpened ? [] : [{ from: line.from, to: line.from, insert: '|' }]),
      { from: cell.start, to: cell.end, insert: '' },
      ...(line.isClosed || isLast ? [] : [{ from: line.to, to: line.to, insert: '|' }]),
    ]
  })
}
