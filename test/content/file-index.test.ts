import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { FileIndex, findTarget, withLinks } from '../../src/content/file-index.js'
import { suite } from '../support/suite.js'

const test = suite('content: index of files')

const paths = [
  'README.md',
  'a.md',
  'a%20b.md',
  'a b.md',
  '.md',
  'a/a.md',
  'a/index.md',
  'a/%61',
  'a/a/é.md',
  'a/..b.md',
]
const entries = paths.map((path) => ({ path, mode: '100644', oid: 'a'.repeat(40) }))
const symlinks = new Map<string, string | null>([
  ['b', 'a'],
  ['c', null],
])
const parts = fc.constantFrom(
  'a',
  'b',
  'c',
  '.',
  '..',
  '',
  '/',
  '%',
  '%20',
  '%61',
  ' ',
  '.md',
  'a.md',
  'README.md',
  'é.md',
  'e\u0301',
)
const targets = fc.array(parts, { maxLength: 6 }).map((found) => found.join(''))

test('the index finds the same file for a target as a search of all candidates', async () => {
  const index = await FileIndex.of('', entries, symlinks)
  const exists = withLinks(symlinks, (path) => index.has(path))
  fc.assert(
    fc.property(targets, fc.constantFrom('', 'a', 'a/a', 'b'), (target, from) => {
      assert.is(index.find(target, from), findTarget(target, from, '', exists))
    }),
    { numRuns: 2000 },
  )
  assert.is(index.find('a.md', 'a'), 'a/a.md')
  assert.is(index.find('b/a.md', ''), 'a/a.md')
})

test.run()
