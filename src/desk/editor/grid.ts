/** Shows one table as a grid of fields instead of its source. Each keystroke changes one cell of the text. */
import { syntaxTree } from '@codemirror/language'
import { type EditorState, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import { fill, plural } from '../words/index.js'
import {
  addHtmlColumn,
  addHtmlRow,
  type HtmlTable,
  readHtmlTable,
  removeHtmlColumn,
  removeHtmlRow,
  setHtmlCell,
} from './html-table.js'
import type { TextEdit } from './merge.js'
import { addColumn, addRow, readTable, removeColumn, removeRow, setCell, type Table as PipeTable } from './table.js'
import { editorWords } from './words.js'

/** Larger tables are edited as source. */
const MAX_CELLS = 2_000
/** Maximum height of a field, in lines. */
const MAX_ROWS = 6

type Table = PipeTable | HtmlTable

/** The operations on both kinds of tables. */
const operations = {
  read: (text: string): Table | null => readTable(text) ?? readHtmlTable(text),
  set: (table: Table, row: number, column: number, value: string) =>
    'source' in table ? setHtmlCell(table, row, column, value) : setCell(table, row, column, value),
  addRow: (table: Table, below: number) => ('source' in table ? addHtmlRow(table, below) : addRow(table, below)),
  removeRow: (table: Table, row: number) => ('source' in table ? removeHtmlRow(table, row) : removeRow(table, row)),
  addColumn: (table: Table, after: number) =>
    'source' in table ? addHtmlColumn(table, after) : addColumn(table, after),
  removeColumn: (table: Table, column: number) =>
    'source' in table ? removeHtmlColumn(table, column) : removeColumn(table, column),
}

interface Open {
  from: number
  to: number
}

const setOpen = StateEffect.define<Open | null>()
const openTable = StateField.define<Open | null>({
  create: () => null,
  update: (value, { changes, effects, docChanged }) => {
    for (const effect of effects) if (effect.is(setOpen)) return effect.value
    if (!value || !docChanged) return value
    const moved = { from: changes.mapPos(value.from, 1), to: changes.mapPos(value.to, -1) }
    // An edit at the end of the last row still belongs to the table.
    changes.iterChangedRanges((fromA, toA, _fromB, toB) => {
      if (fromA >= value.from && toA <= value.to) moved.to = Math.max(moved.to, toB)
    })
    return moved.from < moved.to ? moved : null
  },
  provide: (field) => [
    EditorView.decorations.compute([field, 'doc'], (state) => decorationsOf(state, state.field(field))),
  ],
})

function decorationsOf(state: EditorState, open: Open | null): DecorationSet {
  if (!open) return Decoration.none
  const table = operations.read(state.sliceDoc(open.from, open.to))
  if (!table) return Decoration.none
  return Decoration.set(Decoration.replace({ widget: new Grid(table, open), block: true }).range(open.from, open.to))
}

/** Returns the pipe table at a position, or null. */
function tableAt(state: EditorState, at: number): Open | null {
  for (let node = syntaxTree(state).resolveInner(at, 1); node.parent; node = node.parent)
    if (node.name === 'Table') {
      const [from, to] = [state.doc.lineAt(node.from).from, state.doc.lineAt(node.to).to]
      const table = readTable(state.sliceDoc(from, to))
      return table && table.columns * (table.rows.length + 1) <= MAX_CELLS ? { from, to } : null
    }
  return null
}

/** Shows the table at a position as a grid. Returns false if there is none, or if it is too large. */
export function openGrid(view: EditorView, at: number): boolean {
  const found = tableAt(view.state, at) ?? htmlTableAt(view.state, at) ?? plainTable(view.state, at)
  if (!found) return false
  if (view.state.field(openTable, false) === undefined)
    view.dispatch({ effects: StateEffect.appendConfig.of(openTable) })
  view.dispatch({ effects: setOpen.of(found) })
  requestAnimationFrame(() => view.dom.querySelector<Field>('.grid-ed :is(input, textarea)')?.focus())
  return true
}

/** Number of characters around a place in which the start and the end of an HTML table are searched. */
const SEARCHED = 100_000

/** Returns the HTML table around a place, or null. It must be alone in its lines. */
function htmlTableAt(state: EditorState, at: number): Open | null {
  const line = state.doc.lineAt(at)
  const before = state.sliceDoc(Math.max(0, line.to - SEARCHED), line.to).toLowerCase()
  const start = line.to - before.length + before.lastIndexOf('<table')
  if (!before.includes('<table')) return null
  const length = state
    .sliceDoc(start, start + 2 * SEARCHED)
    .toLowerCase()
    .indexOf('</table>')
  if (length < 0 || start + length + '</table>'.length < line.from) return null
  const node = syntaxTree(state).resolveInner(start, 1)
  if (node.name === 'CodeText' || node.name === 'FencedCode') return null
  const open = { from: state.doc.lineAt(start).from, to: state.doc.lineAt(start + length).to }
  const table = readHtmlTable(state.sliceDoc(open.from, open.to))
  return table && table.columns * (table.rows.length + 1) <= MAX_CELLS ? open : null
}

/** A table that was just inserted may not be parsed yet. */
function plainTable(state: EditorState, at: number): Open | null {
  const first = state.doc.lineAt(at)
  let last = first
  while (
    last.number < state.doc.lines &&
    state.doc
      .line(last.number + 1)
      .text.trim()
      .startsWith('|')
  )
    last = state.doc.line(last.number + 1)
  return readTable(state.sliceDoc(first.from, last.to)) ? { from: first.from, to: last.to } : null
}

/** Shows the source again. */
function closeGrid(view: EditorView): void {
  const open = view.state.field(openTable)
  view.dispatch({ effects: setOpen.of(null), ...(open ? { selection: { anchor: open.from } } : {}) })
  view.focus()
}

class Grid extends WidgetType {
  constructor(
    readonly table: Table,
    readonly open: Open,
  ) {
    super()
  }
  override eq(other: Grid): boolean {
    return JSON.stringify(other.table) === JSON.stringify(this.table)
  }
  override ignoreEvent(): boolean {
    return true
  }
  override get estimatedHeight(): number {
    return 36 + 33 * (this.table.rows.length + 1)
  }
  toDOM(view: EditorView): HTMLElement {
    // The view measures the outer element, which must have no margin.
    const outer = element('div', 'grid-out')
    draw(outer.appendChild(element('div', 'grid-ed')), view, this.table)
    return outer
  }
  override updateDOM(outer: HTMLElement, view: EditorView): boolean {
    const grid = outer.querySelector<HTMLElement>('.grid-ed')
    if (!grid) return false
    const shown = [...grid.querySelectorAll<Field>('input, textarea')]
    const cells = cellsOf(this.table)
    if (shown.length !== cells.length || Number(grid.dataset.columns) !== this.table.columns)
      draw(grid, view, this.table)
    else
      for (const [at, field] of shown.entries()) {
        const text = cells[at]?.text ?? ''
        if (field !== document.activeElement && field.value !== text) field.value = text
      }
    return true
  }
}

type Field = HTMLInputElement | HTMLTextAreaElement

interface ShownCell {
  row: number
  column: number
  text: string
  /** Whether the text has several lines or a list. */
  isLong: boolean
}

/** The cells that the grid shows, including those that a short row lacks. */
const cellsOf = ({ heading, rows, columns }: Table): ShownCell[] =>
  [heading, ...rows].flatMap((line, index) =>
    Array.from({ length: line ? columns : 0 }, (_, column) => {
      const cell = line?.cells[column]
      const isLong = cell !== undefined && 'isLong' in cell && cell.isLong
      return { row: index - 1, column, text: cell?.text ?? '', isLong }
    }),
  )

/** Applies an operation to the current table. */
function change(view: EditorView, operation: (table: Table) => readonly TextEdit[]): void {
  const open = view.state.field(openTable)
  const table = open && operations.read(view.state.sliceDoc(open.from, open.to))
  if (!table) return
  const changes = operation(table).map(({ from, to, insert }) => ({
    from: open.from + from,
    to: open.from + to,
    insert,
  }))
  if (changes.length > 0) view.dispatch({ changes, userEvent: 'input.table' })
}

function draw(grid: HTMLElement, view: EditorView, table: Table): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.cell : undefined
  const w = editorWords().table
  const title = element('b', 'grow', plural(w.rows, table.rows.length))
  const header = element('header')
  const at = (): [number, number] => {
    const [row = '0', column = '0'] = (grid.dataset.at ?? '').split(' ')
    return [Number(row), Number(column)]
  }
  header.append(
    title,
    button(w.addRow, () => change(view, (now) => operations.addRow(now, at()[0]))),
    button(w.removeRow, () => change(view, (now) => operations.removeRow(now, at()[0]))),
    button(w.addColumn, () => change(view, (now) => operations.addColumn(now, at()[1]))),
    button(w.removeColumn, () => change(view, (now) => operations.removeColumn(now, at()[1]))),
    button(w.source, () => closeGrid(view)),
  )
  const body = element('table')
  body.append(element('caption', 'vh', w.label))
  const head = body.appendChild(element('thead'))
  const rows = body.appendChild(element('tbody'))
  let line: HTMLElement | null = null
  for (const cell of cellsOf(table)) {
    if (cell.column === 0) {
      line = element('tr')
      ;(cell.row < 0 ? head : rows).append(line)
    }
    line?.append(fieldOf(grid, view, table, cell))
  }
  grid.dataset.columns = String(table.columns)
  grid.replaceChildren(header, body)
  if (focused !== undefined) grid.querySelector<HTMLElement>(`[data-cell="${focused}"]`)?.focus()
}

function fieldOf(
  grid: HTMLElement,
  view: EditorView,
  { heading }: Table,
  { row, column, text, isLong }: ShownCell,
): HTMLElement {
  const w = editorWords().table
  const field: Field = document.createElement(isLong ? 'textarea' : 'input')
  if (field instanceof HTMLTextAreaElement) field.rows = Math.min(MAX_ROWS, text.split('\n').length + 1)
  field.value = text
  field.dataset.cell = `${row} ${column}`
  const name = heading?.cells[column]?.text ?? String(column + 1)
  field.setAttribute(
    'aria-label',
    row < 0 ? fill(w.heading, { column: column + 1 }) : fill(w.cell, { row: row + 1, column: name }),
  )
  field.addEventListener('focus', () => (grid.dataset.at = `${row} ${column}`))
  field.addEventListener('input', () => change(view, (now) => operations.set(now, row, column, field.value)))
  const cell = element(row < 0 ? 'th' : 'td')
  cell.append(field)
  cell.addEventListener('keydown', (event) => {
    const to = { ArrowDown: 1, Enter: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') closeGrid(view)
    else if (to !== undefined && !isLong && !event.isComposing)
      grid.querySelector<HTMLElement>(`[data-cell="${row + to} ${column}"]`)?.focus()
    else return
    event.preventDefault()
  })
  return cell
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  text?: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  if (className !== '') made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

function button(text: string, run: () => void): HTMLButtonElement {
  const made = element('button', 'btn small quiet', text)
  made.type = 'button'
  // The cell keeps the focus, so that the operation knows its row and column.
  made.addEventListener('mousedown', (event) => event.preventDefault())
  made.addEventListener('click', run)
  return made
}
