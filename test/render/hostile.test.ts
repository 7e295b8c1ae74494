/** Tests hostile author text: nothing runs, nothing escapes its block, and no text is lost or doubled. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { BlockNode } from '../../src/content/types.js'
import { describeBlocks } from '../../src/content/blocks/describe.js'
import { renderPage } from '../../src/render/page.js'
import { tableTargets } from '../../src/render/targets.js'
import { soup as blockSoup } from '../content/blocks/soup.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'
import { ATTACKS } from './attacks.js'
import { faults, html, ORDER, textIn } from './render.js'

const test = suite('render: hostile input')

for (const attack of ATTACKS)
  test(`the rendered attack does not run: ${attack.slice(0, 60).replace(/\n/g, ' ')}`, () => {
    for (const markdown of [
      attack,
      `text ${attack} text`,
      `> * ${attack}`,
      `<div>\n\n${attack}`,
      `{% tabs %}\n{% tab title="x" %}\n${attack}\n{% endtab %}\n{% endtabs %}`,
    ])
      assert.equal(faults(html(markdown)), [], markdown)
  })

test('no combination of attacks runs', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constantFrom(...ATTACKS),
          blockSoup,
          fc.constantFrom('\n\n', '</p>', '<p', '">', "'", '`', '<!--', '-->', '<b>', '<td>', '<table>'),
        ),
        { maxLength: 12 },
      ),
      (parts) => {
        assert.equal(faults(html(parts.join(''))), [])
      },
    ),
    { numRuns: runs(100, 1_500) },
  )
})

const TYPES = describeBlocks()
const hostile = fc.oneof(
  fc.constantFrom(...ATTACKS),
  unicodeText(),
  fc.constantFrom('javascript:alert(1)', '"><x y=', 'fixed;position:fixed', '1" onload="x'),
)
const reference = hostile.map((url) => ({ kind: 'url', url }))
const data = fc.dictionary(
  fc.constantFrom(
    'ref',
    'refDark',
    'link',
    'src',
    'srcDark',
    'alt',
    'title',
    'style',
    'icon',
    'method',
    'path',
    'spec',
    'name',
    'width',
    'height',
    'align',
    'id',
    'label',
    'formula',
    'syntax',
    'html',
    'date',
    'expression',
    'view',
    'caption',
    'size',
    'checked',
    'color',
    'background',
    'start',
    'definition',
    'records',
    'attributes',
    'lineNumbers',
  ),
  fc.oneof(
    hostile,
    reference,
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
    fc.array(fc.record({ align: hostile, type: hostile, cover: reference, target: reference }), { maxLength: 2 }),
  ),
  { maxKeys: 6 },
)
const texts = fc.record({
  object: fc.constant('text' as const),
  key: fc.constant(''),
  leaves: fc.array(
    fc.record({
      object: fc.constant('leaf' as const),
      text: hostile,
      marks: fc.array(
        fc.record({
          object: fc.constant('mark' as const),
          type: fc.constantFrom('bold', 'code', 'color', '__proto__'),
          data,
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  ),
})
const { block } = fc.letrec((tie) => ({
  block: fc.record({
    object: fc.constantFrom('block' as const, 'inline' as const),
    type: fc.constantFrom(...TYPES.map(({ type }) => type), '__proto__', 'constructor', 'nonsense'),
    key: fc.constant(''),
    isVoid: fc.constant(false),
    data,
    nodes: fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, texts, tie('block')), { maxLength: 3 }),
  }),
}))

test('no block tree runs, whatever its data contains', () => {
  fc.assert(
    fc.property(fc.array(block as fc.Arbitrary<BlockNode>, { maxLength: 4 }), (nodes) => {
      const options = { ...ORDER, targets: tableTargets(ORDER.targets, ''), positions: true }
      assert.equal(faults(renderPage({ object: 'document', data: { schemaVersion: 1 }, nodes }, options).html), [])
    }),
    { numRuns: runs(166, 2_500) },
  )
})

test('text is rendered as written, once', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ATTACKS), fc.nat(1000), (attack, n) => {
      const written = `${attack.replace(/\s+/g, ' ')} ${n}`
      const shown = textIn(html(`\`\`\`\n${written}\n\`\`\`\n`))
      assert.is(shown.split(written).length, 2, shown)
    }),
    { numRuns: runs(50, 500) },
  )
})

test('HTML of authors does not swallow the blocks around it', () => {
  for (const open of [
    '<div>',
    '<table><tr><td>',
    '<a href="https://x.org">',
    '<svg>',
    '<plaintext>',
    '<select>',
    '<math><mi>',
    '</div></div></article>',
  ]) {
    const shown = textIn(
      html(`${open}\n\nfirst paragraph\n\n{% hint style="info" %}\nin the hint\n{% endhint %}\n\nlast paragraph\n`),
    )
    for (const words of ['first paragraph', 'in the hint', 'last paragraph'])
      assert.is(shown.split(words).length, 2, `${open}: ${shown}`)
  }
})

test('deep nesting is rendered in time, as source if necessary', () => {
  for (const piece of [
    '<div>',
    '<b>',
    '<table><tr><td>',
    '> ',
    '* ',
    '<details><summary>x</summary>\n\n',
    '{% hint %}\n',
  ])
    assert.type(html(piece.repeat(5_000)), 'string')
})

test.run()
