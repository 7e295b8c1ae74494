import fc from 'fast-check'
import type { Link, List, Paragraph } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import * as assert from 'uvu/assert'
import { parseSummary } from '../../../src/content/summary/parse.js'
import type { SummaryNode } from '../../../src/content/types.js'
import { runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'

const test = suite('content: parsing of SUMMARY.md')

/** One line per node: depth, title, target. */
function shape(nodes: readonly SummaryNode[], depth = 0): string[] {
  return nodes.flatMap((node) => {
    const target = node.href === null ? '' : ` -> ${node.href}`
    return [
      `${'.'.repeat(depth)}${node.type === 'group' ? '## ' : ''}${node.title}${target}`,
      ...shape(node.children, depth + 1),
    ]
  })
}
const read = (text: string): string[] => shape(parseSummary(text).nodes)

test('groups, breaks and nested entries are read', () => {
  const text =
    '# Table of contents\n\n* [Home](README.md)\n\n## First\n\n* [A](a.md)\n  * [B](a/b.md)\n    * [C](a/c.md)\n* [D](d.md)\n\n***\n\n* [E](e.md)\n'
  assert.equal(read(text), [
    'Home -> README.md',
    '## First',
    '.A -> a.md',
    '..B -> a/b.md',
    '...C -> a/c.md',
    '.D -> d.md',
    'E -> e.md',
  ])
})

test('every marker, and indents of one, two and four spaces and of tabs, are read', () => {
  assert.equal(read('### G\n * [a](a.md)\n * [b](b.md)\n    * [c](c.md)\n'), [
    '## G',
    '.a -> a.md',
    '.b -> b.md',
    '..c -> c.md',
  ])
  assert.equal(read('- [a](a.md)\n\t- [b](b.md)\n\t\t- [c](c.md)\n'), ['a -> a.md', '.b -> b.md', '..c -> c.md'])
  assert.equal(read('1. [a](a.md)\n   1. [b](b.md)\n10. [c](c.md)\n+ [d](d.md)\n'), [
    'a -> a.md',
    '.b -> b.md',
    'c -> c.md',
    'd -> d.md',
  ])
})

test('targets may contain brackets, spaces, parentheses, escapes or references, or be missing', () => {
  const cases: Array<[string, string]> = [
    ['[t](<with (1) spaces.md>)', 't -> with (1) spaces.md'],
    ['[t](with%20space.md)', 't -> with%20space.md'],
    ['[t](hash\\_join.md)', 't -> hash_join.md'],
    ['[t](some file.md)', 't -> some file.md'],
    ['[t](some file (1.md "Title")', 't -> some file (1.md'],
    ['[t](a(b).md)', 't -> a(b).md'],
    ['[t](file.md#anchor "Link title")', 't -> file.md#anchor'],
    ['[t](mailto:a@b.c)', 't -> mailto:a@b.c'],
    ['[t]()', 't -> '],
    ['t & u', 't & u'],
    ['[`f()` *is* **b** :rocket: \\_x](f.md)', 'f() is b :rocket: _x -> f.md'],
    ['[a_b_c](f.md)', 'a_b_c -> f.md'],
    ['[AT&amp;T](f.md)', 'AT&T -> f.md'],
    ['[t][ref]', 't -> ref.md'],
    ['[ref]', 'ref -> ref.md'],
  ]
  for (const [source, expected] of cases) assert.equal(read(`* ${source}\n\n[ref]: ref.md\n`), [expected], source)
})

test('prefix, parts, suffix and comments of mdBook are read', () => {
  const text =
    '# Summary\n\n[Preface](preface.md)\n\n<!-- * [no](no.md)\n* [no](no.md) -->\n\n# Part\n\n- [a](a.md)\n- [draft]()\n\n---\n\n[End](end.md)\n'
  assert.equal(read(text), ['Preface -> preface.md', '## Part', '.a -> a.md', '.draft -> ', 'End -> end.md'])
  assert.equal(read('# Summary\n\n# Part\n\n- [a](a.md)\n\n[End](end.md)\n'), [
    '## Part',
    '.a -> a.md',
    'End -> end.md',
  ])
})

test('a group keeps its slug and loses its anchor', () => {
  const [group] = parseSummary('## Getting *Started* <a href="#start" id="start-here"></a>\n').nodes
  assert.equal([group?.type, group?.title, group?.slug], ['group', 'Getting Started', 'start-here'])
  assert.equal(read('## Guides of [the team](https://a.example)\n'), ['## Guides of the team -> https://a.example'])
})

test('computed entries are read', () => {
  const text =
    '* [a](a.md)\n  * ```yaml\n    type: builtin:openapi\n    props:\n      models: true\n    dependencies:\n      spec:\n        ref: x\n    ```\n* [b](b.md)\n'
  const [a, b] = parseSummary(text).nodes
  assert.equal(a?.children[0]?.computed, {
    type: 'builtin:openapi',
    props: { models: true },
    dependencies: { spec: { ref: 'x' } },
  })
  assert.is(b?.title, 'b')
  const broken = parseSummary('* ```yaml\n  type: [\n  ```\n* [b](b.md)\n')
  assert.equal(
    broken.diagnostics.map((found) => [found.code, found.line]),
    [['invalid-yaml', 1]],
  )
})

test('offsets are exact with a byte order mark, CRLF and front matter', () => {
  const text =
    '\ufeff---\r\na: 1\r\n---\r\n# T\r\n\r\n* [a](a.md)\r\n  more\r\n  * [b](b.md)\r\n\r\n  * [c](c.md)\r\n\r\n## G\r\n'
  const [a, group] = parseSummary(text).nodes
  assert.is(text.slice(a!.start, a!.end), '* [a](a.md)\r\n  more\r\n  * [b](b.md)\r\n\r\n  * [c](c.md)\r\n')
  assert.is(text.slice(a!.children[1]!.start, a!.children[1]!.end), '  * [c](c.md)\r\n')
  assert.is(text.slice(group!.start, group!.end), '## G\r\n')
  assert.equal([a!.line, a!.children[1]!.line, group!.line], [6, 10, 12])
})

test('nesting is limited, and a diagnostic reports it', () => {
  const text = Array.from({ length: 1000 }, (_, i) => `${'  '.repeat(i)}* [${i}](${i}.md)\n`).join('')
  const { nodes, diagnostics } = parseSummary(text)
  const lines = shape(nodes)
  assert.is(lines.length, 1000)
  assert.is(Math.max(...lines.map((line) => line.lastIndexOf('.', line.indexOf(' ')) + 1)), 63)
  assert.equal(
    diagnostics.map((found) => [found.code, found.line]),
    [['unsupported-entry', 65]],
  )
})

test('many markers on a line take little time, and an entry may start with entries', () => {
  assert.equal(read('* - * [a](a.md)\n* [b](b.md)\n'), ['a -> a.md', 'b -> b.md'])
  assert.is(parseSummary(`${'* '.repeat(100_000)}x\n`).nodes.length, 1)
})

test('the parser never throws, and its offsets nest', () => {
  const piece = fc.constantFrom(
    '* ',
    '- ',
    '1. ',
    '  ',
    '\t',
    '\n',
    '\r\n',
    '# ',
    '## ',
    '***',
    '---',
    '```yaml',
    '```',
    '<!--',
    '-->',
    '[a](b.md)',
    '[x](',
    '](',
    ')',
    'x: [',
    '\\',
    '&#0;',
    '\ufeff',
    '<a id="x">',
  )
  const nested = (nodes: readonly SummaryNode[], from: number, to: number): boolean =>
    nodes.every((node, i) => {
      const fits = node.start >= (nodes[i - 1]?.end ?? from) && node.end <= to && node.start < node.end
      return fits && nested(node.children, node.start, node.end)
    })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('')
      return nested(parseSummary(text).nodes, 0, text.length)
    }),
    { numRuns: runs(666, 10_000) },
  )
})

/** Returns the lists that CommonMark finds. */
function commonMark(text: string): string[] {
  const lists = (list: List, depth: number): string[] =>
    list.children.flatMap((item) => {
      const [first] = item.children
      const link = (first as Paragraph).children[0] as Link
      const own = `${'.'.repeat(depth)}${(link.children[0] as { value: string }).value} -> ${link.url}`
      return [own, ...item.children.flatMap((child) => (child.type === 'list' ? lists(child, depth + 1) : []))]
    })
  return fromMarkdown(text).children.flatMap((node) => (node.type === 'list' ? lists(node, 0) : []))
}

test('lists nest like in CommonMark', () => {
  const line = fc.tuple(fc.nat(9), fc.constantFrom('*', '-', '1.', '10)'), fc.nat(3), fc.boolean())
  const write = (parts: Array<[number, string, number, boolean]>): string => {
    let reach = 0
    return parts
      .map(([wish, marker, gap, blank], i) => {
        const indent = Math.min(wish, reach + 3)
        reach = indent + marker.length + gap + 1
        return `${blank ? '\n' : ''}${' '.repeat(indent)}${marker}${' '.repeat(gap + 1)}[t${i}](${i}.md)\n`
      })
      .join('')
  }
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (parts) => {
      const text = write(parts)
      // Text that CommonMark reads as indented code or as the continuation of a paragraph is recovered here. It
      // cannot be compared.
      const expected = commonMarkIfAllItems(text, parts.length)
      if (expected) assert.equal(read(text), expected, text)
    }),
    { numRuns: runs(1_000, 15_000) },
  )
})

function commonMarkIfAllItems(text: string, count: number): string[] | null {
  const expected = commonMark(text)
  return expected.length === count ? expected : null
}

test.run()
