/** The grid of the editor: each operation changes its cells and nothing else. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  addHtmlColumn,
  addHtmlRow,
  type HtmlTable,
  readHtmlTable,
  removeHtmlColumn,
  removeHtmlRow,
  setHtmlCell,
} from '../../src/desk/editor/html-table.js'
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

const HTML =
  '<table data-view="cards"><thead><tr><th width="200">Name</th><th>Use</th></tr></thead><tbody>' +
  '<tr><td>A &amp; B</td><td><ul><li>one</li><li>two</li></ul></td></tr>' +
  '<tr><td> <code>x</code> </td><td></td></tr></tbody></table>'
const LINES =
  '<table>\n  <thead>\n    <tr>\n      <th>Name</th>\n      <th>Use</th>\n    </tr>\n  </thead>\n  <tbody>\n' +
  '    <tr>\n      <td>\n        a\n      </td>\n      <td>b<!-- </td> --></td>\n    </tr>\n  </tbody>\n</table>\n'

const htmlOf = (text: string): HtmlTable => {
  const table = readHtmlTable(text)
  if (!table) throw new Error(`No table: ${text}`)
  return table
}
const cellsOf = (text: string): string[][] => {
  const { heading, rows } = htmlOf(text)
  return [...(heading ? [heading] : []), ...rows].map((row) => row.cells.map((cell) => cell.text))
}

test('a changed cell of an HTML table leaves every other byte, also a list in another cell', () => {
  assert.equal(cellsOf(HTML), [
    ['Name', 'Use'],
    ['A &amp; B', '<ul><li>one</li><li>two</li></ul>'],
    ['<code>x</code>', ''],
  ])
  assert.is(apply(HTML, setHtmlCell(htmlOf(HTML), 1, 1, 'New')), HTML.replace('<td></td>', '<td>New</td>'))
  assert.is(apply(HTML, setHtmlCell(htmlOf(HTML), 1, 0, 'y')), HTML.replace('<code>x</code>', 'y'))
  assert.is(apply(HTML, setHtmlCell(htmlOf(HTML), -1, 0, 'Title')), HTML.replace('Name', 'Title'))
  assert.equal(setHtmlCell(htmlOf(HTML), 0, 1, '<ul><li>one</li><li>two</li></ul>'), [])
  const list = '<ul><li>one</li><li>2</li></ul>'
  assert.is(apply(HTML, setHtmlCell(htmlOf(HTML), 0, 1, list)), HTML.replace('two', '2'))
  assert.is(apply(LINES, setHtmlCell(htmlOf(LINES), 0, 0, 'c')), LINES.replace('        a\n', '        c\n'))
  assert.equal(
    htmlOf(HTML).rows.map(({ cells }) => cells.map(({ isLong }) => isLong)),
    [
      [false, true],
      [false, false],
    ],
  )
})

test('a content that would break the HTML table is written as text', () => {
  for (const value of ['</td><td>x', '</table>', '<tr>', '<!--', 'a < b', '</tr>'])
    assert.equal(
      cellsOf(apply(HTML, setHtmlCell(htmlOf(HTML), 0, 0, value))).map((row, at) => (at === 1 ? row.slice(1) : row)),
      cellsOf(HTML).map((row, at) => (at === 1 ? row.slice(1) : row)),
      value,
    )
  assert.not.match(apply(LINES, setHtmlCell(htmlOf(LINES), 0, 0, 'a\n\n\nb')), /\n\s*\n/)
})

test('HTML tables with joined cells, nested tables or missing end tags stay source', () => {
  for (const text of [
    '<table><tr><td colspan="2">a</td></tr></table>',
    '<table><tr><td><table><tr><td>a</td></tr></table></td></tr></table>',
    '<table><tr><td>a<td>b</tr></table>',
    '<table><tr><td>a</td></table>',
    '<table></table>',
    '<div><table><tr><td>a</td></tr></table></div>',
  ])
    assert.is(readHtmlTable(text), null, text)
})

test('rows and columns of HTML tables are added and removed', () => {
  for (const text of [HTML, LINES, '<table><tr><td>1</td><td>2</td></tr></table>'])
    for (const column of [0, 1]) {
      const wider = apply(text, addHtmlColumn(htmlOf(text), column))
      assert.equal(
        cellsOf(wider).map((row) => row[column + 1]),
        cellsOf(text).map(() => ''),
      )
      assert.is(apply(wider, removeHtmlColumn(htmlOf(wider), column + 1)), text)
      const longer = apply(text, addHtmlRow(htmlOf(text), 0))
      assert.is(htmlOf(longer).rows.length, htmlOf(text).rows.length + 1)
      assert.is(apply(longer, removeHtmlRow(htmlOf(longer), 1)), text)
    }
  const head = '<table><thead><tr><th>A</th></tr></thead></table>'
  assert.is(
    apply(head, addHtmlRow(htmlOf(head), -1)),
    '<table><thead><tr><th>A</th></tr></thead><tbody><tr><td></td></tr></tbody></table>',
  )
})

test('random texts in cells of an HTML table change that cell alone', () => {
  const part = fc.constantFrom(
    'a',
    ' ',
    '<',
    '>',
    '"',
    "'",
    '</td>',
    '<td>',
    '<tr',
    '&lt;',
    '\n',
    '<b>b</b>',
    '<!--',
    '-->',
  )
  fc.assert(
    fc.property(
      fc.constantFrom(HTML, LINES),
      fc.nat(2),
      fc.nat(1),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('')),
      (text, at, column, value) => {
        const row = at - 1
        if (row >= htmlOf(text).rows.length) return
        const after = cellsOf(apply(text, setHtmlCell(htmlOf(text), row, column, value)))
        const others = (all: string[][]) =>
          all.map((cells, r) => cells.map((one, c) => (r === at && c === column ? '' : one)))
        assert.equal(others(after), others(cellsOf(text)))
      },
    ),
    { numRuns: 1_000 },
  )
})

test.run()
