import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { readPlainYaml, readYaml } from '../../../src/content/yaml.js'
import { suite } from '../../support/suite.js'

const test = suite('simple YAML without the parser')

/** The parser's result for a text with a comment at its end, which only the parser reads. */
const byParser = (text: string) => readYaml(`${text}\n# for the parser`)

const word = fc.constantFrom(
  'null',
  'True',
  'false',
  'yes',
  'on',
  '1.5',
  'e3',
  'Page 1',
  'it’s',
  'a: b',
  'a #b',
  'été',
  '日本',
  "o'clock",
  'a -b',
  'x:',
  '.5',
  '~',
  '<<',
  '__proto__',
)
const text = fc.oneof(word, fc.string({ unit: fc.constantFrom(...'ab Z9,.()/_-\'":#&*!|>%@`[]{}~é\t'), maxLength: 12 }))
const plain = fc.string({ unit: fc.constantFrom(...'abnul Z9,.()/_-é'), minLength: 1, maxLength: 8 })
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('title', 'description', 'a-b', 'A_1', 'null') },
  { weight: 1, arbitrary: text },
)
const colon = fc.oneof(
  { weight: 8, arbitrary: fc.constant(': ') },
  { weight: 1, arbitrary: fc.constantFrom(':', ':  ', ' : ') },
)
const value = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: text })
const line = fc.tuple(key, colon, value).map((parts) => parts.join(''))
const end = fc.oneof(
  { weight: 8, arbitrary: fc.constant('\n') },
  { weight: 1, arbitrary: fc.constantFrom('\r\n', '\n\n', '\n ') },
)
const yaml = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 3 }), end)
  .map(([lines, between]) => lines.join(between))

test('the simple reader returns what the parser returns', () => {
  let read = 0
  fc.assert(
    fc.property(yaml, (source) => {
      const simple = readPlainYaml(source)
      if (simple === null) return
      read++
      const parsed = byParser(source)
      assert.ok(parsed.ok, source)
      assert.equal(simple, parsed.ok && parsed.entries)
      assert.equal(readYaml(source), parsed)
    }),
    { numRuns: 3_000 },
  )
  assert.ok(read > 200, `${read} texts were simple enough`)
})

test('the simple reader leaves special syntax to the parser', () => {
  for (const source of [
    '',
    'a: null',
    'a: TRUE',
    'a: 1',
    'a: "b"',
    'a: b: c',
    'a: b #c',
    'a: b\n  c',
    'a:',
    '- a',
    'a: [b]',
    'a: b ',
    'a: &b c',
    'a: b\r\nc: d',
    '---\na: b',
  ])
    assert.is(readPlainYaml(source), null, source)
  assert.equal(readPlainYaml('title: First\ntitle: Last'), [
    { key: 'title', value: 'Last', text: 'Last', position: { line: 2, column: 1 } },
  ])
})

test.run()
