import * as assert from 'uvu/assert'
import { parseDocument } from 'yaml'
import { readYamlMap } from '../../../src/content/edit/yaml.js'
import { readYaml } from '../../../src/content/yaml.js'
import { suite } from '../../support/suite.js'

const test = suite('errors of invalid YAML')
const parts = [
  'a: [1, 2',
  'a: b: c',
  '- x\n a: 1',
  '\ta: 1',
  'a: "x\nb',
  'a: &a &b c',
  'a: |\n x\n\ty',
  '}',
  ']',
  '{a',
  '---\n...\nfoo: [}',
  '# x\n@',
  '!!map [',
]

test('an error has the position that the library reports in quadratic time', () => {
  let compared = 0
  for (const first of parts) {
    for (const second of parts) {
      const text = `${first}\n${second}`
      const [error] = parseDocument(text, { uniqueKeys: false, stringKeys: true, logLevel: 'silent' }).errors
      const read = readYaml(text)
      if (!error || read.ok) continue
      const [place] = error.linePos ?? [{ line: 1, col: 1 }]
      assert.equal(read.position, { line: place.line, column: place.col }, text)
      assert.ok(error.message.startsWith(read.message), `${read.message} instead of ${error.message}`)
      assert.not.match(read.message, /line \d/)
      compared++
    }
  }
  assert.ok(compared > 100, `${compared} errors`)
})

test('an edit of invalid YAML is rejected with that position', () => {
  assert.throws(
    () => readYamlMap('a: 1\nb: "x\n'),
    /The YAML cannot be parsed: Missing closing "quote at line 3, column 1$/,
  )
})

test.run()
