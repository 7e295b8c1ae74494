import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { readYaml } from '../../../src/content/yaml.js'
import { checkNesting } from '../../../src/content/yaml-depth.js'
import { suite } from '../../support/suite.js'

const test = suite('depth limit of YAML')

const deep: Record<string, string> = {
  'flow maps': `a: ${'{a: '.repeat(12_000)}b${'}'.repeat(12_000)}\n`,
  'flow maps left open': `a: ${'{a: '.repeat(25_000)}\n`,
  'flow lists': `a: ${'['.repeat(50_000)}b${']'.repeat(50_000)}\n`,
  'lists in one line': `a:\n  ${'- '.repeat(50_000)}b\n`,
  'keys line by line': Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}a:\n`).join(''),
  'questions in one line': `${'? '.repeat(10_000)}b\n`,
}
for (const [name, text] of Object.entries(deep))
  test(`${name} is rejected before the text is composed`, () => {
    assert.throws(
      () => checkNesting(text),
      (error: Error) => error instanceof RangeError && error.message === 'it is nested too deeply',
    )
    assert.equal(readYaml(text), { ok: false, message: 'it is nested too deeply', position: { line: 1, column: 1 } })
  })

test('realistic settings are accepted with any number of brackets in their texts', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 8 },
      fc.string(),
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('tree'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(fc.string(), tree), fc.boolean(), (value, flow) =>
      checkNesting(stringify(value, flow ? { collectionStyle: 'flow' } : { indent: 8 })),
    ),
  )
  checkNesting(`a: "${'['.repeat(10_000)}"\nb: |\n  ${'{'.repeat(10_000)}\n${' '.repeat(500)}\nc: [1, 2]\n`)
  checkNesting(`${Array.from({ length: 2_000 }, (_, number) => `k${number}: [${number}]`).join('\n')}\n`)
})

test.run()
