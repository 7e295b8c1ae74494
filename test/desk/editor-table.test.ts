/** The grid of the editor: each operation changes its cells and nothing else. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { TextEdit } from '../../src/desk/editor/merge.js'
import {
  addColumn,
  addRow,
  readTable,
  removeColumn,
  removeRow,
  setCell,
  type Table,
} from '../../src/desk/editor/table.js'
import { suite } from '../support/suite.js'

const test = suite('desk/editor-table')

const apply = (text: string, edits: readonly TextEdit[]): string =>
  [...edits].reverse().reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text)
const tableOf = (text: string): Table => {
  const table = readTable(text)
  if (!table) throw new Error(`No table: ${text}`)
  return table
}
const values = (text: string): string[][] => {
  const { heading, rows } = tableOf(text)
  return [heading, ...rows].map((row) => row.cells.map((cell) => cell.text))
}

const PADDED = '| Image   | Port  |\n| ------- | ----: |\n| server  | 13000 |\n| studio  | 14000 |\n'

test('a changed cell leaves the padding of all others', () => {
  assert.is(apply(PADDED, setCell(tableOf(PADDED), 1, 1, '80 | 81')), PADDED.replace('14000', '80 \\| 81'))
  assert.equal(setCell(tableOf(PADDED), 0, 0, 'server'), [])
  assert.equal(values('a|b\n-|-\n1|\n'), [['a', 'b'], ['1']])
  assert.is(apply('a|b\n-|-\n1\n', setCell(tableOf('a|b\n-|-\n1\n'), 0, 1, '2')), 'a|b\n-|-\n1 | 2 |\n')
})

test('rows and columns are added and removed', () => {
  const added = apply(PADDED, addRow(tableOf(PADDED), 0))
  assert.equal(values(added), [
    ['Image', 'Port'],
    ['server', '13000'],
    ['', ''],
    ['studio', '14000'],
  ])
  assert.is(apply(added, removeRow(tableOf(added), 1)), PADDED)
  for (const text of [PADDED, 'a|b\n-|-\n1|2\n', 'a|b|\n-|-|\n1|2|\n'])
    for (const column of [0, 1]) {
      const wider = apply(text, addColumn(tableOf(text), column))
      assert.is(tableOf(wider).columns, 3, wider)
      assert.equal(
        values(wider).map((row) => row[column + 1]),
        values(text).map(() => ''),
      )
      assert.equal(values(apply(wider, removeColumn(tableOf(wider), column + 1))), values(text))
    }
  assert.is(apply(PADDED, removeColumn(tableOf(PADDED), 1)), '| Image   |\n| ------- |\n| server  |\n| studio  |\n')
  assert.equal(removeColumn(tableOf('|a|\n|-|\n'), 0), [])
  assert.is(readTable('| a |\n'), null)
  assert.is(readTable('text\nmore\n'), null)
})

test('10,000 random operations match a model of cells', () => {
  const value = fc.constantFrom('', 'x', 'a b', 'a|b', 'one\ntwo', '\\', '`c`')
  const operation = fc.tuple(
    fc.constantFrom('cell', 'row', 'column', 'no-row', 'no-column'),
    fc.nat(9),
    fc.nat(9),
    value,
  )
  fc.assert(
    fc.property(
      fc.constantFrom(PADDED, '|a|b|\n|-|-|\n|1|2|', 'a | b | c\n--|:-:|--\n1 | 2 | 3\n'),
      fc.array(operation, { minLength: 10, maxLength: 10 }),
      (start, operations) => {
        let text: string = start
        let model = values(text)
        for (const [kind, a, b, put] of operations) {
          const table = tableOf(text)
          const [row, column] = [(a % model.length) - 1, b % table.columns]
          if (kind === 'cell') {
            text = apply(text, setCell(table, row, column, put))
            const cells = model[row + 1] as string[]
            cells[column] = put.replaceAll('\n', '<br>')
          } else if (kind === 'row') {
            text = apply(text, addRow(table, row))
            model.splice(
              row + 2,
              0,
              Array.from({ length: table.columns }, () => ''),
            )
          } else if (kind === 'column') {
            text = apply(text, addColumn(table, column))
            for (const cells of model) cells.splice(column + 1, 0, '')
          } else if (kind === 'no-row' && row >= 0) {
            text = apply(text, removeRow(table, row))
            model = model.filter((_, at) => at !== row + 1)
          } else if (kind === 'no-column' && table.columns > 1) {
            text = apply(text, removeColumn(table, column))
            for (const cells of model) cells.splice(column, 1)
          }
          assert.equal(values(text), model, text)
          assert.is(text.endsWith('\n'), start.endsWith('\n'))
        }
      },
    ),
    { numRuns: 1_000 },
  )
})

test.run()
