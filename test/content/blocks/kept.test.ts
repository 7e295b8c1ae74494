import * as assert from 'uvu/assert'
import { parseDocument } from '../../../src/content/blocks/parse.js'
import { printDocument } from '../../../src/content/blocks/print.js'
import type { BlockNode, TextNode } from '../../../src/content/types.js'
import { suite } from '../../support/suite.js'
import { blockNode as block, textNode as text } from './support.js'

const test = suite('block trees: unchanged blocks')

const leavesOf = (nodes: BlockNode['nodes']): Array<TextNode['leaves'][number]> =>
  nodes.flatMap((node) => (node.object === 'text' ? node.leaves : leavesOf(node.nodes as BlockNode['nodes'])))

test('an edit leaves blocks next to an insertion, and lists that become neighbors, unchanged', () => {
  const edited = (source: string, edit: (nodes: BlockNode[]) => void): string => {
    const tree = parseDocument(source)
    edit(tree.nodes)
    return printDocument(tree, source)
  }
  const put = block('paragraph', {}, [text('New')])
  assert.is(
    edited('# A\n__b__\n\n- c\n', (nodes) => nodes.splice(1, 0, put)),
    '# A\n\nNew\n\n__b__\n\n- c\n',
  )
  assert.is(
    edited('__a__ [b]\n\n[b]: b.md\n[c]: c.md\n', (nodes) => nodes.splice(2, 0, put)),
    '__a__ [b]\n\n[b]: b.md\n\nNew\n\n[c]: c.md\n',
  )
  const without = (source: string): string => edited(source, (nodes) => nodes.splice(1, 1))
  assert.is(without('+ a\n\nOut\n\n+ b\n  + c\n+ d\n\n__e__\n'), '+ a\n\n* b\n  + c\n* d\n\n__e__\n')
  assert.is(without('1. a\n\nOut\n\n1. b\n1. c\n'), '1. a\n\n1) b\n1) c\n')
})

test('an end tag that is indented below a list closes the tag that was opened before the list', () => {
  const source = '{% hint style="info" %}\nA:\n\n- b\n  - c\n    {% endhint %}\n\nD\n'
  const tree = parseDocument(source)
  assert.equal(
    tree.nodes.map(({ type }) => type),
    ['hint', 'paragraph'],
  )
  leavesOf(tree.nodes)[2]!.text = 'cc'
  assert.is(printDocument(tree, source), source.replace('- c', '- cc'))
  const inside = '- a\n  {% hint style="info" %}\n  - b\n    {% endhint %}\n- c\n'
  assert.equal(
    parseDocument(inside).nodes.map(({ type }) => type),
    ['list-unordered'],
  )
  const columns =
    '{% columns %}\n{% column %}\n{% hint style="info" %}\n* a\n  {% endhint %}\n  {% endcolumn %}\n\n{% column %}\nb\n{% endcolumn %}\n{% endcolumns %}\n'
  assert.equal(
    parseDocument(columns).nodes.map(({ type }) => type),
    ['columns'],
  )
})

test('addresses in texts are written unchanged, because GFM makes them links', () => {
  const source = 'See x\n'
  const tree = parseDocument(source)
  leavesOf(tree.nodes)[0]!.text = 'See https://a.example/b_c, www.b.example, d@e.example or f@1.2.3'
  assert.is(printDocument(tree, source), 'See https://a.example/b_c, www.b.example, d@e.example or f@1.2.3\n')
})

test('an HTML table cell keeps the element around its text', () => {
  const source =
    '<table><tbody><tr><td><h4><i class="fa-x">:x:</i> Old</h4></td><td><ul><li>Old</li><li>b</li></ul></td><td> <p class="y">Old</p></td><td><b>Old</b></td></tr></tbody></table>\n'
  const count = leavesOf(parseDocument(source).nodes).length
  for (let index = 0; index < count; index++) {
    const tree = parseDocument(source)
    const leaf = leavesOf(tree.nodes)[index]!
    if (!leaf.text.includes('Old') || leaf.marks.length > 0) continue
    leaf.text = leaf.text.replace('Old', 'New')
    const written = printDocument(tree, source)
    assert.is(written.replace('New', 'Old'), source)
    assert.is.not(written, source)
  }
})

test('formatting of a whole link is inside the link, unless adjacent text has it too', () => {
  for (const source of [
    'See [`a`](b) Old',
    '[**a**](b)をOld',
    '* [_a_](b): Old',
    '[**`a`**](b) [**c**](d) Old',
    '**a [b](c) d** Old',
    '**[a](b), [c](d)** Old',
  ]) {
    const tree = parseDocument(`${source}\n`)
    leavesOf(tree.nodes).at(-1)!.text = leavesOf(tree.nodes).at(-1)!.text.replace('Old', 'New')
    assert.is(printDocument(tree), `${source.replace('Old', 'New')}\n`)
  }
})

test('an edited table keeps the alignment of its other rows', () => {
  const source = '> | a    | b |\n> |:-----|--:|\n> | long | 1 |\n> c | 2\n'
  const tree = parseDocument(source)
  leavesOf(tree.nodes)[2]!.text = 'x|y'
  assert.is(printDocument(tree, source), source.replace('| long | 1 |', '| x\\|y | 1 |'))
})

test('code in a CRLF file can be edited by a client with other line ends', () => {
  const source = '- a\r\n\r\n```js\r\n1\r\n2\r\n```\r\n\r\n__b__\r\n'
  for (const code of ['1\r\n3', '1\n3']) {
    const tree = parseDocument(source)
    leavesOf(tree.nodes)[1]!.text = code
    assert.is(printDocument(tree, source), source.replace('2', '3'))
  }
  const tree = parseDocument(source)
  tree.nodes.splice(1, 0, block('code', { syntax: 'js' }, [text('x\ny')]))
  assert.is(printDocument(tree, source), source.replace('```js', '```js\r\nx\r\ny\r\n```\r\n\r\n```js'))
})

test.run()
