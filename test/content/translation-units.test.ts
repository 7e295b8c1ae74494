import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { align } from '../../src/content/translation/align.js'
import { renderUnits } from '../../src/content/translation/render.js'
import { cut, joined } from '../../src/content/translation/units.js'
import { pageNeeds, weavePage } from '../../src/content/translation/weave.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('content: translation units')

const lines = [
  ...[
    '# Title',
    '## Second <a href="#a" id="a"></a>',
    'Some *text* with [a link](b.md "t") and `code`.',
    'word',
    '> quoted',
    '> > twice',
    '* item',
    '  * nested',
    '1. one',
    '',
  ],
  ...[
    '',
    '\t',
    '```js',
    '```',
    '| A | B |',
    '| - | :-: |',
    '| one \\| two | `x` |',
    '{% hint style="info" %}',
    '{% endhint %}',
    '{{ value }} and {% raw %}',
    '<details>',
    '<summary>Some <b>text</b></summary>',
  ],
  ...[
    '</details>',
    '<!-- note',
    '-->',
    '---',
    'title: "A: b"',
    'description: >-',
    '  folded',
    '$$',
    'x_1 $$a$$ b',
    '![alt](i.png)',
    '[ref]: x.md',
    '[ref] and [x][ref]',
    '&nbsp; &amp; \\* \\',
    'hard  ',
    '\ufeff',
  ],
]
const page = fc
  .array(fc.tuple(fc.constantFrom(...lines), fc.constantFrom('\n', '\n', '\n\n', '\r\n', '\r', '')), { maxLength: 25 })
  .map((parts) => parts.map(([line, end]) => line + end).join(''))
const anyText = fc.oneof(page, fc.string({ maxLength: 200 }), unicodeText({ maxLength: 80 }))

const answers = (texts: Iterable<string>, translate: (text: string) => string) =>
  new Map([...texts].map((text) => [text, translate(text)]))
const segments = (text: string) => cut(text).units.flatMap((unit) => unit.segments.map(({ coded }) => coded))

test('units join to the text byte for byte, even if every segment is translated to itself', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { units } = cut(text)
      assert.is(joined(units), text)
      const { cores, refused } = renderUnits(
        units,
        () => true,
        answers(segments(text), (same) => same),
      )
      assert.is(joined(units.map((unit, index) => ({ core: cores.get(index) ?? unit.core, gap: unit.gap }))), text)
      assert.is(refused.size, 0)
    }),
  )
})

test('a page keeps its units and their markup for any engine response', () => {
  const evil = fc.constantFrom(
    '<script>x</script>',
    '# a',
    '* b',
    '{% hint %}',
    '`',
    '| |',
    '<x id="1"/>',
    '</g>',
    '\n\n---\n',
    '[x](y)',
    '$$',
    '&lt;b&gt;',
    '\\',
    '**',
    '_',
    '<!--',
    '    ',
  )
  fc.assert(
    fc.property(page, fc.array(evil, { minLength: 1, maxLength: 4 }), (text, parts) => {
      const { units } = cut(text)
      const { cores } = renderUnits(
        units,
        () => true,
        answers(segments(text), (own) => parts.join(' ') + own + parts.join('')),
      )
      const again = cut(
        joined(units.map((unit, index) => ({ core: cores.get(index) ?? unit.core, gap: unit.gap }))),
      ).units
      assert.equal(
        again.map(({ gap, segments: own }) => [gap, own.map(({ codes }) => codes)]),
        units.map(({ gap, segments: own }) => [gap, own.map(({ codes }) => codes)]),
      )
    }),
  )
})

test('a page that is assembled again without a change keeps its bytes and needs no engine', () => {
  fc.assert(
    fc.property(page, (source) => {
      const again = { kept: false }
      const first = weavePage(
        { source, ledger: '', ours: null },
        {},
        again,
        Object.fromEntries(answers(segments(source), (text) => text.toUpperCase().replace(/ID=/g, 'id='))),
      )
      const versions = { source, ledger: first.ledger, ours: first.text }
      const kept = new Set(first.kept)
      if (kept.size > 0) return
      assert.equal(pageNeeds(versions, {}, again).wanted, [])
      assert.is(weavePage(versions, {}, again, {}).text, first.text)
    }),
  )
})

test('a common subsequence is in order, and is the longest one for short lists', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), fc.array(fc.constantFrom('a', 'b', 'c')), (before, after) => {
      const pairs = align(before, after)
      pairs.forEach(([i, j], at) => {
        assert.is(before[i], after[j])
        const last = pairs[at - 1]
        if (last) assert.ok(last[0] < i && last[1] < j)
      })
    }),
  )
})

const cases: [string, string, string, string][] = [
  // source, ours after the first run (capitals), source now, result
  ['A note that people add stays behind its block', 'one\n\ntwo\n', 'ONE\n\nnota\n\nTWO\n', 'one\n\ntwo changed\n'],
  ['A block that people delete stays deleted', 'one\n\ntwo\n\nthree\n', 'ONE\n\nTHREE\n', 'one\n\ntwo\n\nthree more\n'],
]
const results = ['ONE\n\nnota\n\nTWO CHANGED\n', 'ONE\n\nTHREE MORE\n']

cases.forEach(([name, source, ours, now], index) => {
  test(name, () => {
    const put = (text: string) => Object.fromEntries(answers(segments(text), (one) => one.toUpperCase()))
    const { ledger } = weavePage({ source, ledger: '', ours: null }, {}, { kept: false }, put(source))
    assert.is(weavePage({ source: now, ledger, ours }, {}, { kept: false }, put(now)).text, results[index])
  })
})

test.run()
