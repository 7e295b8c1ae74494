import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { defaultId, type EntryKey, overrideKey } from '../../src/content/identity.js'
import { applyChanges } from '../../src/content/identity-changes.js'
import { composePageIds, decodePageIds, differenceOfPageIds } from '../../src/content/identity-header.js'
import { suite } from '../support/suite.js'

const test = suite('identity header')
const names = ['a', 'b', 'c', 'd', 'e']
const moves = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), { maxLength: 8 })

/** Overrides after single moves among a few paths, so that IDs change owners, return and equal defaults. */
function moved(
  start: ReadonlyMap<string, string>,
  here: Set<string>,
  list: readonly (readonly [string, string])[],
): Map<string, string> {
  let overrides = new Map(start)
  for (const [from, to] of list) {
    const entry = (key: string): EntryKey => ({ kind: 'page', key })
    if (from === to || !here.has(from)) here.add(from)
    else here.delete(from)
    if (from !== to && !here.has(from)) here.add(to)
    const changes = here.has(from)
      ? { added: [entry(from)], deleted: [], renamed: [] }
      : { added: [], deleted: [], renamed: [{ kind: 'page' as const, from, to }] }
    overrides = applyChanges(overrides, changes, (_kind, key) => here.has(key))
  }
  return overrides
}

test('a header records exactly the changes of the overrides', () => {
  fc.assert(
    fc.property(moves, moves, (first, second) => {
      const here = new Set(['a', 'b', 'c'])
      const base = moved(new Map(), here, first)
      const next = moved(base, here, second)
      const composed = composePageIds(base, decodePageIds(differenceOfPageIds(base, next)))
      assert.equal([...composed].sort(), [...next].sort())
      const ids = [...here].map((key) => next.get(overrideKey('page', key)) ?? defaultId('page', key))
      assert.is(new Set(ids).size, ids.length)
    }),
    { numRuns: 1_000 },
  )
})

test.run()
