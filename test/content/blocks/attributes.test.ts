import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { parseAttributes } from '../../../src/content/blocks/attributes.js'
import { parseTag } from '../../../src/content/blocks/tag.js'
import { suite } from '../../support/suite.js'

const test = suite('attributes of tags')

const cases: Array<[string, Record<string, unknown>, string[]]> = [
  ['a="b c" d=e f', { a: 'b c', d: 'e', f: true }, []],
  [`title="say \\"hi\\"" x='it''s'`, { title: 'say "hi"', x: 'it' }, ['s']],
  ['title=“curly” “pos”', { title: 'curly' }, ['pos']],
  ['"../a b.md"', {}, ['../a b.md']],
  ['required=false empty=""', { required: 'false', empty: '' }, []],
  ['a="never closed', { a: '"never', closed: true }, []],
  ['a="1" a="2"', { a: '1' }, []],
  ['= x', { x: true }, []],
]
for (const [source, named, positional] of cases)
  test(`attributes are parsed from ${source}`, () => assert.equal(parseAttributes(source), { named, positional }))

test('parsed attributes keep their order and allow names that an object treats specially', () => {
  const { named } = parseAttributes('z="1" __proto__="2" a="3"')
  assert.equal(Object.entries(named), [
    ['z', '1'],
    ['__proto__', '2'],
    ['a', '3'],
  ])
})

test('tags are parsed with their attributes', () => {
  assert.equal(parseTag('{% hint style="info" %}'), { name: 'hint', closing: false, body: 'style="info"' })
  assert.equal(parseTag('{%- endhint -%}'), { name: 'hint', closing: true, body: '' })
  assert.is(parseTag('{% %}'), null)
})

test('the attribute parser never throws and always ends', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '=', '"', "'", '“', '\\', ' ', '”') }),
      (text) => void parseAttributes(text),
    ),
  )
})

test.run()
