import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { findFrontMatter, readPage } from '../../src/content/front-matter.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('content: front matter')
const attributes = (yaml: string) => readPage(`---\n${yaml}\n---\nbody`, 'a.md').attributes

test('all known keys are read', () => {
  const yaml = `title: T
description: >-
  two
  lines
icon: rocket
emoji: "🚀"
hidden: true
noIndex: true
noRobotsIndex: false
if: visitor.claims.beta
cover: ../.gitbook/assets/x.png
coverY: -12.5
coverHeight: 240
layout:
  width: wide
  cover: {visible: true, size: hero}
  title: {visible: false}
  description: {visible: true}
  tableOfContents: {visible: false}
  outline: {visible: true}
  pagination: {visible: false}
  metadata: false
vars: {a: x, n: 2, b: true, e: }
tags: [one, {tag: two}]
metaLinks: {canonical: https://example.com, alternates: [a, b]}
weight: 3`
  assert.equal(attributes(yaml), {
    title: 'T',
    description: 'two lines',
    icon: 'rocket',
    emoji: '🚀',
    hidden: true,
    noIndex: true,
    noRobotsIndex: false,
    condition: 'visitor.claims.beta',
    cover: { ref: '../.gitbook/assets/x.png', yPos: -12.5, height: 240 },
    layout: {
      width: 'wide',
      cover: true,
      coverSize: 'hero',
      title: false,
      description: true,
      tableOfContents: false,
      outline: true,
      pagination: false,
      metadata: false,
    },
    variables: { a: 'x', n: '2', b: 'true', e: '' },
    tags: ['one', 'two'],
    metaLinks: { canonical: 'https://example.com', alternates: ['a', 'b'] },
  })
})

test('a cover can have an image for light mode and one for dark mode', () =>
  assert.equal(attributes('cover:\n  light: a.png\n  dark: b.png'), { cover: { ref: 'a.png', refDark: 'b.png' } }))
test('numbers are texts and keep their notation', () =>
  assert.equal(attributes('title: 1.10\nif: true'), { title: '1.10', condition: 'true' }))
test('empty values do not count as values', () =>
  assert.equal(readPage('---\ndescription:\nhidden:\n---\n', 'a.md'), {
    attributes: {},
    markdown: '',
    bodyStart: 29,
    diagnostics: [],
  }))

test('a value of the wrong type is left out and reported with its position', () => {
  const page = readPage(
    '---\nhidden: soon\ntitle: [a]\nlayout:\n  title: {visible: 3}\n  outline: {visible: true}\ncoverY: high\n---\nbody',
    'dir/a.md',
  )
  assert.equal(page.attributes, { layout: { outline: true } })
  assert.equal(page.diagnostics.map(({ line }) => line).sort(), [2, 3, 4, 7])
  for (const { code, file, column } of page.diagnostics)
    assert.equal([code, file, column], ['invalid-front-matter', 'dir/a.md', 1])
})

test('a page with invalid YAML loses its attributes, but not its text', () => {
  const page = readPage('---\ntitle: a: b: c\ndescription: x\n---\n# Body\n', 'a.md')
  assert.equal(page.attributes, {})
  assert.is(page.markdown, '# Body\n')
  assert.is(page.diagnostics[0]?.code, 'invalid-front-matter')
  assert.is(page.diagnostics[0]?.line, 2)
  assert.type(page.diagnostics[0]?.column, 'number')
})

const shapes: Array<[name: string, text: string, body: string, title: string | undefined]> = [
  ['CRLF', '---\r\ntitle: T\r\n---\r\nbody\r\n', 'body\r\n', 'T'],
  ['a byte order mark', '\ufeff---\ntitle: T\n---\nbody', 'body', 'T'],
  ['zero-width characters', '\u200b---\n\u200btitle: T\n---\nbody', 'body', 'T'],
  ['spaces behind the fences', '---  \ntitle: T\n--- \t\nbody', 'body', 'T'],
  ['no line feed at the end', '---\ntitle: T\n---', '', 'T'],
  ['an empty block', '---\n---\nbody', 'body', undefined],
  ['a fence that never closes', '---\ntitle: T\n', '---\ntitle: T\n', undefined],
  ['a thematic break and prose', '---\nJust prose here.\n---\nmore', '---\nJust prose here.\n---\nmore', undefined],
  ['a longer rule', '----\ntitle: T\n----\n', '----\ntitle: T\n----\n', undefined],
  ['dashes within the block', '---\ntitle: T\n---x: 1\n----: 2\n---\nbody', 'body', 'T'],
  ['no front matter', '# Hi\n\n---\n\nx', '# Hi\n\n---\n\nx', undefined],
]
for (const [name, text, body, title] of shapes) {
  test(`the front matter has this shape: ${name}`, () => {
    const page = readPage(text, 'a.md')
    assert.is(page.markdown, body)
    assert.is(page.attributes.title, title)
    assert.is(text.slice(0, page.bodyStart) + page.markdown, text)
  })
}

test('keys of front matter cannot reach a prototype', () => {
  const page = readPage(
    '---\n__proto__: {hidden: true}\nvars: {__proto__: x, a: b}\nlayout: {__proto__: {visible: true}}\n---\n',
    'a.md',
  )
  assert.is(page.attributes.hidden, undefined)
  assert.equal(page.attributes.variables, { a: 'b' })
  assert.is(({} as Record<string, unknown>).visible, undefined)
})

const line = fc.oneof(
  fc.constantFrom(
    '---',
    '--- ',
    '----',
    'title: x',
    'title: [',
    'cover: {a',
    '\u200b',
    '\ufeff',
    'tags: &a [*a]',
    '*x',
    '? ',
    '%YAML 9',
    'layout: {cover: 1}',
    '<<: *a',
    '!!js/function x',
    '\t',
  ),
  unicodeText({ maxLength: 30 }),
)
const text = fc
  .tuple(fc.boolean(), fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n', '\r'))
  .map(([fenced, lines, eol]) => (fenced ? `---${eol}` : '') + lines.join(eol))

test('the front matter parser never throws and loses no character', () => {
  fc.assert(
    fc.property(text, (input) => {
      const page = readPage(input, 'a.md')
      assert.is(input.slice(0, page.bodyStart) + page.markdown, input)
      const found = findFrontMatter(input)
      assert.ok(page.bodyStart === 0 || page.bodyStart === found?.bodyStart)
    }),
    { numRuns: 2000 },
  )
})

test('a layout for Jekyll or Hugo is ignored', () => {
  const page = readPage('---\nlayout: default\nicon: gear\n---\n', 'a.md')
  assert.equal(page.attributes, { icon: 'gear' })
  assert.equal(page.diagnostics, [])
})

test.run()
