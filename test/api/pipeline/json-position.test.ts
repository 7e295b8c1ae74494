import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { jsonErrorPosition, lineAndColumn } from '../../../src/api/pipeline/json-position.js'
import { suite } from '../../support/suite.js'

const test = suite('json position')

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('a syntax error names the unexpected token', () => {
  const cases: [string, number][] = [
    ['', 0],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{a:1}', 1],
    ['{"a" 1}', 5],
    ['"a\nb"', 0],
    ['[tru]', 1],
    ['1 1', 2],
    ['[', 1],
    ['[}', 1],
  ]
  for (const [text, at] of cases) assert.is(jsonErrorPosition(text), at, text)
  assert.is(lineAndColumn('a\nbc', 3), 'line 2, column 2')
})

test('a long text exhausts neither stack nor memory', () => {
  const text = `["${'x'.repeat(10_000_000)}${'\\n'.repeat(1_000_000)}", oops]`
  assert.is(jsonErrorPosition(text), text.length - 5)
})

test('the error position of the scanner is consistent with JSON.parse', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', 'x', '{', '1'), (json, seed, change) => {
      assert.is(jsonErrorPosition(json), json.length)
      const at = seed % (json.length + 1)
      const text = json.slice(0, at) + change + json.slice(at + 1)
      const place = jsonErrorPosition(text)
      assert.ok(place >= 0 && place <= text.length)
      if (!parses(text) && place === text.length) assert.not.ok(parses(`${text} `))
    }),
  )
})

test.run()
