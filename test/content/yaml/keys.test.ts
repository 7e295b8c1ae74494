import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { readYamlMap, setYamlKey, setYamlKeys } from '../../../src/content/edit/yaml.js'
import { suite } from '../../support/suite.js'

const test = suite('edits of several YAML keys')

const KEYS = ['a', 'b', 'old/c', 'x%20y', 'd e', 'none']
const value = fc.constantFrom(
  'n.md',
  '"q.md"',
  "'s.md' # c",
  'long text',
  '|\n    block\n    text',
  '[1, 2]',
  '5',
  '',
  '&x anchored',
  '>-\n    folded\n    text',
)
const wanted = fc.constantFrom('new.md', 'a: b', '- x', '', 'two\nlines', '# c', 'yes', 'ü', undefined)

test('setting several keys at once equals setting them one after the other', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...KEYS.slice(0, 5)), value), { minLength: 1, maxLength: 6 }),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), wanted), { selector: ([key]) => key, maxLength: 6 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      (lines, changes, eol, isNested) => {
        const body = lines.map(([key, text]) => `${isNested ? '  ' : ''}${key}: ${text}  `).join('\n\n')
        const source = `${isNested ? 'root: ./ # r\nredirects:\n' : ''}${body}\n`.replaceAll('\n', eol)
        const paths = changes.map(([key, to]) => [isNested ? ['redirects', key] : [key], to] as const)
        // Values, since a key that is added to a text that is changed later may have other lines around it.
        const outcome = (work: () => string): unknown => {
          try {
            return readYamlMap(work())
          } catch (error) {
            return (error as Error).name
          }
        }
        const one = outcome(() => paths.reduce((text, [path, to]) => setYamlKey(text, path, to), source))
        assert.equal(
          outcome(() => setYamlKeys(source, paths)),
          one,
        )
      },
    ),
    { numRuns: 500 },
  )
})

test('setting several keys keeps all other lines', () => {
  const source = 'root: ./\r\nredirects:\r\n  a: x.md # why\r\n  "b/c":   \'y.md\'\r\n  d: z.md\r\n'
  const changes = [
    [['redirects', 'd'], 'new/z.md'],
    [['redirects', 'b/c'], 'new/y.md'],
    [['redirects', 'a'], 'new/x.md'],
  ] as const
  assert.is(setYamlKeys(source, changes), source.replace(/[xyz]\.md/g, 'new/$&'))
  assert.is(setYamlKeys(source, []), source)
  assert.throws(() => setYamlKeys('a: [', changes), /cannot be parsed/)
})

test.run()
