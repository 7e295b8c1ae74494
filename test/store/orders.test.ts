import fc from 'fast-check'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { compareSortKeys, type Direction, pageOf, type SortKey, type PageRange } from '../../src/kernel/paging.js'
import { table, openStore, type Reader, type Store } from '../../src/store/index.js'
import { SortedKeys } from '../../src/store/sorted-keys.js'
import { LossyFs } from '../support/lossy-fs.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('orders of the store')

interface Item {
  id: string
  lists: string[]
  rank: string | number
  note?: number
}
const items = table<Item>()({
  name: 'items',
  indexes: {},
  orders: { rank: { group: (item) => (item.lists.length > 0 ? item.lists : null), by: (item) => item.rank } },
})

const keyOf = (item: Item): SortKey => [item.rank, item.id]

/** Returns the expected content of a range, computed in a simple way. */
function expected(all: Iterable<Item>, list: string, { after, limit, direction }: PageRange) {
  const sign = direction === 'asc' ? 1 : -1
  const sorted = [...all]
    .filter((item) => item.lists.includes(list))
    .sort((a, b) => sign * compareSortKeys(keyOf(a), keyOf(b)))
  const behind = sorted.filter((item) => !after || sign * compareSortKeys(keyOf(item), after) > 0)
  return { documents: behind.slice(0, limit), count: sorted.length, more: behind.length > limit }
}

const LISTS = ['a', 'b']
const anId = fc.integer({ min: 0, max: 11 }).map((n) => `i${n}`)
const aRank = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constantFrom('', 'a', 'b', 'B', 'ä', '😀', '\uffff'))
const anItem = fc.record(
  { id: anId, lists: fc.subarray(LISTS), rank: aRank, note: fc.nat(3) },
  { noNullPrototype: true },
)
const aDirection = fc.constantFrom<Direction>('asc', 'desc')
const aStretch: fc.Arbitrary<PageRange> = fc
  .record(
    { after: fc.option(fc.tuple(aRank, anId), { nil: undefined }), limit: fc.nat(6), direction: aDirection },
    { noNullPrototype: true },
  )
  .map(({ after, ...rest }) => (after ? { ...rest, after } : rest))
const aWrite = fc.oneof({ arbitrary: anItem, weight: 3 }, { arbitrary: anId, weight: 1 })
const aStep = fc.record({
  writes: fc.array(aWrite, { maxLength: 6 }),
  abort: fc.boolean(),
  stretch: aStretch,
  list: fc.constantFrom(...LISTS),
})

async function withStore(work: (store: Store, reopen: () => Promise<Store>) => Promise<void>): Promise<void> {
  const place = temporaryDir()
  const fs = new LossyFs(place.dir)
  const open = () => openStore({ dir: join(place.dir, 'store'), fs, tables: [items] })
  let store = await open()
  try {
    await work(store, async () => {
      await store.close()
      store = await open()
      return store
    })
  } finally {
    await store.close()
    place.remove()
  }
}

async function compare(
  reader: Reader,
  model: ReadonlyMap<string, Item>,
  list: string,
  stretch: PageRange,
): Promise<void> {
  const found = await reader.page(items, 'rank', list, stretch)
  assert.equal(
    { ...found, documents: found.documents.map(({ version: _, ...item }) => item) },
    expected(model.values(), list, stretch),
  )
}

test('pages match a full sort inside and outside transactions', () =>
  fc.assert(
    fc.asyncProperty(fc.array(aStep, { maxLength: 20 }), (steps) =>
      withStore(async (store) => {
        let model = new Map<string, Item>()
        for (const { writes, abort, stretch, list } of steps) {
          const next = new Map(model)
          const done = store.transact(async (tx) => {
            for (const write of writes) {
              if (typeof write === 'string') {
                next.delete(write)
                await tx.remove(items, write)
                continue
              }
              next.set(write.id, write)
              const stored = await tx.get(items, write.id)
              await (stored ? tx.replace(items, { ...write, version: stored.version }) : tx.insert(items, write))
              await compare(tx, next, list, stretch)
            }
            await compare(store, model, list, stretch)
            if (abort) throw new Error('aborted')
          })
          await done.catch((error: Error) => assert.is(error.message, 'aborted'))
          if (!abort) model = next
          for (const one of LISTS) await compare(store, model, one, stretch)
        }
      }),
    ),
    { numRuns: 60 },
  ))

test('orders stay correct while thousands of keys are added and removed', () =>
  fc.assert(
    fc.property(
      fc.integer(),
      fc.nat(3000),
      fc.array(fc.tuple(fc.nat(5000), fc.boolean()), { maxLength: 40 }),
      aDirection,
      (seed, start, bursts, direction) => {
        const key = (n: number): SortKey => [(n * 7919 + seed) % 1000, `k${n}`]
        const model = new Map(Array.from({ length: start }, (_, n) => [`k${n}`, key(n)]))
        const keys = new SortedKeys([...model.values()].sort(compareSortKeys))
        for (const [from, add] of bursts) {
          for (let n = from; n < from + 150; n++) {
            if (add === model.has(`k${n}`)) continue
            if (add) keys.add(key(n))
            else keys.delete(key(n))
            if (add) model.set(`k${n}`, key(n))
            else model.delete(`k${n}`)
          }
          keys.delete(key(9999))
        }
        const sorted = [...model.values()].sort((a, b) => (direction === 'asc' ? 1 : -1) * compareSortKeys(a, b))
        assert.equal([...keys.from(direction)], sorted)
        assert.is(keys.size, sorted.length)
        const middle = sorted[Math.floor(sorted.length / 2)]
        if (middle) assert.equal([...keys.from(direction, middle)], sorted.slice(sorted.indexOf(middle) + 1))
      },
    ),
    { numRuns: 60 },
  ))

test('a cursor lists unchanged entries once while others are added, removed or moved', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(anItem, { minLength: 4, maxLength: 20 }),
      fc.array(aWrite, { maxLength: 20 }),
      fc.integer({ min: 1, max: 4 }),
      aDirection,
      (first, writes, limit, direction) =>
        withStore(async (store) => {
          const write = async (item: Item | string) => {
            if (typeof item === 'string') return void (await store.remove(items, item))
            const stored = await store.get(items, item.id)
            await (stored ? store.replace(items, { ...item, version: stored.version }) : store.insert(items, item))
          }
          for (const item of first) await write({ ...item, lists: ['a'] })
          const touched = new Set(writes.map((one) => (typeof one === 'string' ? one : one.id)))
          const staying = (await store.all(items)).map(({ id }) => id).filter((id) => !touched.has(id))
          const shown: string[] = []
          let page: string | undefined
          do {
            const found = await pageOf(store, items, 'rank', 'a', {
              limit,
              ...(page ? { page } : {}),
              order: direction,
            })
            shown.push(...found.items.map(({ id }) => id))
            page = found.next?.page
            for (const one of writes.splice(0, 3)) await write(one)
          } while (page)
          assert.equal(shown.filter((id) => staying.includes(id)).sort(), staying.sort())
        }),
    ),
    { numRuns: 60 },
  ))

test('orders exist after a restart and follow later writes', () =>
  withStore(async (store, reopen) => {
    const ids = async (reader: Store) =>
      (await reader.page(items, 'rank', 'a', { limit: 9, direction: 'asc' })).documents.map(({ id }) => id)
    const x = await store.insert(items, { id: 'x', lists: ['a'], rank: 2 })
    await store.insert(items, { id: 'y', lists: ['a'], rank: 1 })
    const again = await reopen()
    assert.equal(await ids(again), ['y', 'x'])
    await again.replace(items, { ...x, rank: 0 })
    assert.equal(await ids(again), ['x', 'y'])
    assert.equal(await ids(await reopen()), ['x', 'y'])
  }))

test.run()
