import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { describeBlocks } from '../../../src/content/blocks/describe.js'
import { parseDocument } from '../../../src/content/blocks/parse.js'
import type { BlockNode } from '../../../src/content/types.js'
import { runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { soup } from './soup.js'
import { keysOf, outlineOf, positionFaults } from './support.js'

const test = suite('block trees of arbitrary text')

test('the parser never throws, and its positions are ordered, nested and have unique keys', () => {
  fc.assert(
    fc.property(soup, (markdown) => {
      const document = parseDocument(markdown)
      assert.equal(positionFaults(document, markdown), [])
      // The last resort for hostile pages must not hide our bugs. A tag line without a name is verbatim by design.
      const verbatim = document.nodes
        .filter((node) => node.type === 'raw')
        .map((node) => node.data['position'] as { start: number; end: number })
      for (const { start, end } of verbatim) assert.match(markdown.slice(start, end), /^\s*\{%-?\s*(?![A-Za-z])[^\n]*$/)
      const keys = keysOf(document.nodes)
      assert.is(new Set(keys).size, keys.length)
    }),
    { numRuns: runs(500, 10_000) },
  )
})

test('the parser returns the same tree for the same text', () => {
  fc.assert(
    fc.property(soup, (markdown) => assert.equal(parseDocument(markdown), parseDocument(markdown))),
    { numRuns: 100 },
  )
})

test('the top-level blocks and the text between them are the whole source', () => {
  fc.assert(
    fc.property(soup, (markdown) => {
      let at = 0
      let between = ''
      for (const node of parseDocument(markdown).nodes) {
        const { start, end } = node.data['position'] as { start: number; end: number }
        between += markdown.slice(at, start)
        at = end
      }
      between += markdown.slice(at)
      // Only white space, a byte order mark, and remains of lists and quotes may be outside every block, never a
      // word.
      assert.not.match(between, /word/)
    }),
    { numRuns: runs(400, 10_000) },
  )
})

test('every word that is not markup is in the tree', () => {
  const line = fc.constantFrom(
    '{% hint %}',
    '{% endhint %}',
    '{% tabs %}',
    '{% tab title="a" %}',
    '{% endtabs %}',
    '{% foo %}',
    '> quote',
    '- item',
    '',
    '<details>',
    '</details>',
    '| cell |',
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(line, fc.constantFrom('\n', '\n\n')), { maxLength: 25 }), (lines) => {
      const markdown = lines.map(([text, end], index) => `${text}${end}w${index}x${end}`).join('')
      const shown = outlineOf(parseDocument(markdown)).join('\n')
      for (let index = 0; index < lines.length; index++)
        assert.ok(shown.includes(`w${index}x`), `w${index}x of ${JSON.stringify(markdown)}`)
    }),
    { numRuns: runs(200, 5_000) },
  )
})

test('node positions are exact', () => {
  const markdown = '\ufeff# A\r\n\r\n* x\r\n\r\n  {% hint style="info" %}\r\n  y\r\n  {% endhint %}\r\n'
  const places: Array<[string, string, unknown]> = []
  const walk = (nodes: BlockNode['nodes']) => {
    for (const node of nodes) {
      if (node.object !== 'block') continue
      const { start, end, line } = node.data['position'] as { start: number; end: number; line: number }
      places.push([node.type, markdown.slice(start, end), line])
      walk(node.nodes)
    }
  }
  walk(parseDocument(markdown).nodes)
  const hint = '{% hint style="info" %}\r\n  y\r\n  {% endhint %}'
  assert.equal(places, [
    ['heading-1', '# A', 1],
    ['list-unordered', `* x\r\n\r\n  ${hint}`, 3],
    ['list-item', `* x\r\n\r\n  ${hint}`, 3],
    ['paragraph', 'x', 3],
    ['hint', hint, 5],
    ['paragraph', 'y', 6],
  ])
})

const deep = (nodes: BlockNode['nodes']): number =>
  nodes.reduce(
    (most, node) => Math.max(most, node.object === 'text' ? 1 : 1 + deep(node.nodes as BlockNode['nodes'])),
    0,
  )

const hostile: Array<[string, string]> = [
  ['quotes', '>'.repeat(10_000)],
  ['bullets', `${'- '.repeat(10_000)}a`],
  ['footnotes in footnotes', `${'[^1]: '.repeat(10_000)}a`],
  ['unclosed tags', '{% hint %}\n'.repeat(10_000)],
  ['nested tags', '{% hint %}\n'.repeat(3_000) + '{% endhint %}\n'.repeat(3_000)],
  ['brackets', '['.repeat(100_000)],
  ['half tags', '{% '.repeat(30_000)],
  ['half html', `<a '`.repeat(30_000)],
  ['emphasis', '*a _b '.repeat(20_000)],
  ['lazy lines', `> a\n${'a\n'.repeat(30_000)}`],
  ['underlined headings', 'a\n=\n'.repeat(60_000)],
  ['quoted underlines', '> a\n> -\n'.repeat(30_000)],
  ['short quotes', '> a\n\n'.repeat(30_000)],
  ['quotes in lists', '- > a\n\n'.repeat(10_000)],
  ['html in html', `<table><tr><td>${'<b>'.repeat(20_000)}x${'</b>'.repeat(20_000)}</td></tr></table>`],
]
for (const [name, markdown] of hostile) {
  test(`the tree has a bounded depth for hostile ${name}`, () => {
    const document = parseDocument(markdown)
    assert.equal(positionFaults(document, markdown), [])
    assert.ok(deep(document.nodes) < 500, `depth ${deep(document.nodes)}`)
  })
}

test('a page far beyond the limits keeps its other blocks', () => {
  const types = parseDocument(`# a\n\n${'>'.repeat(10_000)}\n\n{% hint %}\nb\n{% endhint %}`).nodes.map(
    (node) => node.type,
  )
  assert.equal(types, ['heading-1', 'paragraph', 'hint'])
})

test('underlines make headings on normal pages, and are text if there are too many', () => {
  const headings = (count: number) =>
    parseDocument('Title\n===\n\nText.\n\n'.repeat(count)).nodes.filter(({ type }) => type === 'heading-1').length
  assert.equal([headings(500), headings(20_000)], [500, 0])
})

test('a page with too many list items is shown verbatim', () => {
  const markdown = '- a\n'.repeat(20_000)
  const [only, ...others] = parseDocument(markdown).nodes
  assert.is(only?.type, 'raw')
  assert.equal(others, [])
  assert.equal(only?.nodes[0]?.object === 'text' && only.nodes[0].leaves[0]?.text, markdown)
})

test('every type that the parser creates has a description', () => {
  const described = new Set(describeBlocks().map((one) => one.type))
  fc.assert(
    fc.property(soup, (markdown) => {
      const visit = (nodes: BlockNode['nodes']) => {
        for (const node of nodes) {
          if (node.object === 'text') continue
          assert.ok(described.has(node.type), node.type)
          visit(node.nodes as BlockNode['nodes'])
        }
      }
      visit(parseDocument(markdown).nodes)
    }),
    { numRuns: 300 },
  )
})

test.run()
