import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  atOnce,
  filterInSlices,
  mapInSlices,
  mergeInSteps,
  sortInSlices,
  sortInSteps,
} from '../../src/kernel/slices.js'
import { suite } from '../support/suite.js'
import { turnsDuring } from '../support/turns.js'

const test = suite('work in slices')

interface Item {
  key: number
  at: number
}
const byKey = (a: Item, b: Item): number => a.key - b.key
const items = fc
  .array(fc.integer({ min: 0, max: 40 }), { maxLength: 1000 })
  .map((keys): Item[] => keys.map((key, at) => ({ key, at })))

test('sorting in steps gives the same result as a stable sort', () => {
  fc.assert(
    fc.property(items, (list) => {
      const before = [...list]
      assert.equal(atOnce(sortInSteps(list, byKey)), list.toSorted(byKey))
      assert.equal(list, before)
    }),
  )
})

test('a merge of two sorted lists is sorted, with items of the first list first', () => {
  fc.assert(
    fc.property(items, items, (one, other) => {
      const [first, second] = [one.toSorted(byKey), other.toSorted(byKey)]
      assert.equal(atOnce(mergeInSteps(first, second, byKey)), [...first, ...second].toSorted(byKey))
    }),
  )
})

test('other requests run while a long list is sorted, mapped and filtered', async () => {
  const list = Array.from({ length: 300_000 }, (_, at) => ({ key: (at * 7919) % 100_003, at }))
  assert.ok((await turnsDuring(() => sortInSlices(list, byKey))) > 1)
  assert.ok((await turnsDuring(() => mapInSlices(list, ({ key }) => String(key).normalize()))) > 1)
  assert.ok((await turnsDuring(() => filterInSlices(list, ({ key }) => String(key).normalize().endsWith('1')))) > 1)
})

test.run()
