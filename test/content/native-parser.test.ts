import { createRequire } from 'node:module'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { parseExactly } from '../../src/content/blocks/exact.js'
import { scan } from '../../src/content/blocks/limits.js'
import { parseDocument } from '../../src/content/blocks/parse.js'
import { findReferences } from '../../src/content/find-references.js'
import { hasLongTitle } from '../../src/content/gfm/long-titles.js'
import { isNative, parseNatively } from '../../src/content/gfm/native.js'
import type { Markdown } from '../../src/content/gfm/tree.js'

import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { writtenPage } from './page-soup.js'

const test = suite('the native parser')
const parseSlowly = (text: string): Markdown => parseExactly(text, scan(text))
const exactDocument = (text: string) => parseDocument(text, (region) => parseSlowly(region.text))

test('the native parser is used', () => assert.ok(isNative))

test('a page has the same tree as with the exact parser', () => {
  fc.assert(
    fc.property(writtenPage, (markdown) => assert.equal(parseDocument(markdown), exactDocument(markdown))),
    { numRuns: runs(20, 5_000) },
  )
})

/**
 * The properties of a node that both parsers report. GFM's autolinks have no offsets in the exact parser, which
 * creates them from texts.
 */
function bare({ position, children, title, label, alt, ...node }: Markdown, hasOffsets: boolean): unknown {
  const at = hasOffsets ? [position?.start.offset, position?.end.offset] : null
  return {
    ...node,
    title: title ?? null,
    alt: alt ?? null,
    label: label ?? null,
    at,
    children: children?.map((child) => bare(child, hasOffsets)),
  }
}

/**
 * Examples whose inline nodes have no offsets in the exact parser: 606 is an address with an escape, which GFM reads
 * as an autolink.
 */
const WITHOUT_OFFSETS: ReadonlySet<number> = new Set([606])

interface Example {
  number: number
  markdown: string
}
const { tests: examples } = createRequire(import.meta.url)('commonmark-spec') as { tests: Example[] }

test('every example of the CommonMark specification has the same nodes and offsets', () => {
  assert.is(examples.length, 652)
  for (const { number, markdown } of examples) {
    const text = markdown.replaceAll('→', '\t')
    const native = parseNatively(text)
    assert.ok(native, `example ${number}`)
    const hasOffsets = !WITHOUT_OFFSETS.has(number)
    assert.equal(
      bare({ type: 'root', children: native.children ?? [] }, hasOffsets),
      bare({ type: 'root', children: parseSlowly(text).children ?? [] }, hasOffsets),
      `example ${number}`,
    )
    assert.equal(
      findReferences(text),
      findReferences(text, () => null),
      `references of example ${number}`,
    )
  }
})

test('the exact parser reads a tag after a check box, and an open fence in a list in a quote', () => {
  for (const text of [
    '- [ ] {% unknown %}\n  word\n  {% endunknown %}',
    '>- ```\r\n>  a\r\n>\r\n># word',
    '>- [ ] ```\r\n>  a\r\n>\r\n># word\r\n',
  ])
    assert.equal(parseDocument(text), exactDocument(text))
})

test('a check box in a heading is not a task', () => {
  const text = '* [x] https://x.org/a_b\n  ===\n'
  assert.equal(parseDocument(text), exactDocument(text))
})

test('the exact parser, which has budgets, reads titles with very many lines', () => {
  for (const [open, close] of [
    ['"', '"'],
    ["'", "'"],
    ['(', ')'],
  ] as const) {
    assert.ok(hasLongTitle(`[a](b ${open}${'c\n'.repeat(1_100)}${close})`))
    assert.ok(hasLongTitle(`[a](b\n${open}${`\\${close}c\n`.repeat(1_100)}${close})`))
    assert.not.ok(hasLongTitle(`[a](b ${open}c${close})\n`.repeat(5_000)))
    assert.not.ok(hasLongTitle(`[a](b ${open}c\n\n`.repeat(5_000)))
  }
  assert.is(parseNatively(`[a](b "${'c\n'.repeat(1_100)}")`), null)
})

test('images within images are read to a depth of one hundred', () => {
  assert.equal(findReferences(`${'!['.repeat(1_500)}x${'](b)'.repeat(1_500)}`), [])
  assert.is(findReferences(`${'!['.repeat(5)}x${'](b)'.repeat(5)}`).length, 5)
})

test('references of a page that is shown as source are found', () => {
  const text = '[a](b.md)\n\n'.repeat(14_000) + 'line\n'.repeat(40_000)
  assert.ok(parseDocument(text).data.limit)
  assert.is(findReferences(text).length, 14_000)
})

test.run()
