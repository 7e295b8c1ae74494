import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  type DuplicateKey,
  openPostgresStore,
  openStore,
  StaleDocument,
  type Store,
  type Transaction,
} from '../../src/store/index.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'
import { entries, pages } from './contract.js'
import { temporaryDir } from './places.js'

// Compares the store on PostgreSQL with the embedded store as the reference, and nodes with each other while the
// database is killed.
const test = suite('the store on PostgreSQL compared with the embedded store')
const postgres = await startPostgres()
test.after(() => postgres.close())

const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Code units at which string orders differ. */
const units = [
  0, 1, 2, 9, 0x20, 0x30, 0x41, 0x5a, 0x61, 0x7a, 0xdf, 0xe9, 0x301, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000,
  0xfffd, 0xffff,
]
const text = fc.array(fc.constantFrom(...units), { maxLength: 4 }).map((codes) => String.fromCharCode(...codes))
const title = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 1, arbitrary: text.map((end) => 'long '.repeat(500) + end) },
)
const id = fc.constantFrom('a', 'b', 'c', 'd', 'B', 'é', '\ud800', '\u0000', '😀', '\uffff')
const weight = fc.oneof(
  fc.constantFrom(0, 1, -1, 2, 10, 9, 1e21, -1e-7, 0.1, Number.MAX_VALUE, Number.MIN_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
)
const page = fc.record(
  {
    id,
    space: fc.constantFrom('s', 't'),
    slug: fc.constantFrom('one', 'two', 'three', ''),
    title,
    tags: fc.array(fc.constantFrom('x', 'y', 's'), { maxLength: 3 }),
    weight,
  },
  { requiredKeys: ['id', 'space', 'slug'] },
)
const step = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), page }),
  fc.record({ do: fc.constant('replace' as const), page, stale: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ do: fc.constant('remove' as const), id }),
  fc.record({
    do: fc.constant('append' as const),
    group: fc.constantFrom('g', '\ud800'),
    least: fc.constantFrom(1, 1, 1, 3, 9),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
const transactions = fc.array(
  fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), fails: fc.boolean() }),
  { maxLength: 25 },
)

const hour = (n: number): string => new Date(Date.UTC(2026, 0, 1, n)).toISOString()

async function take(tx: Transaction, one: Step): Promise<unknown> {
  switch (one.do) {
    case 'insert':
      return tx.insert(pages, one.page)
    case 'replace': {
      const stored = await tx.get(pages, one.page.id)
      return tx.replace(pages, { ...one.page, version: (stored?.version ?? 1) + (one.stale === 0 ? 1 : 0) })
    }
    case 'remove':
      return tx.remove(pages, one.id)
    case 'append':
      return tx.append(
        entries,
        one.group,
        (position) => ({ of: one.group, n: position, at: hour(position) }),
        one.least,
      )
  }
}

/** The outcome of a transaction: the result of each step, or the error that ended it. */
async function play(store: Store, { steps, fails }: { steps: readonly Step[]; fails: boolean }): Promise<unknown> {
  const results: unknown[] = []
  const error = await thrown(
    store.transact(async (tx) => {
      results.length = 0
      for (const one of steps) {
        results.push(
          await take(tx, one).catch((refused: Error) => {
            if (fails) throw refused
            return told(refused)
          }),
        )
      }
    }),
  )
  return error === undefined ? results : told(error)
}
const told = (error: unknown): unknown => ({
  ...(error as Error),
  name: (error as Error).name,
  message: (error as Error).message,
})

/** All readable data, as text. */
async function look(store: Store): Promise<unknown> {
  const found: Record<string, unknown> = { all: (await store.all(pages)).map((one) => JSON.stringify(one)).sort() }
  for (const space of ['s', 't', 'none']) {
    found[`by ${space}`] = (await store.find(pages, 'bySpace', space)).map((one) => one.id).sort()
    found[`slug ${space}`] = await store.count(pages, 'bySlug', `${space}/one`)
    for (const order of ['byTitle', 'byWeight'] as const) {
      for (const direction of ['asc', 'desc'] as const) {
        const whole = await store.page(pages, order, space, { limit: 100, direction })
        found[`${order} ${direction} ${space}`] = whole
        const { documents } = whole
        const middle = documents[Math.floor(documents.length / 2)]
        const by = middle && (order === 'byTitle' ? String(middle.title ?? '') : (middle.weight as number))
        if (middle && by !== undefined) {
          found[`${order} ${direction} ${space} after`] = await store.page(pages, order, space, {
            limit: 2,
            direction,
            after: [by, middle.id],
          })
        }
      }
    }
  }
  for (const group of ['g', '\ud800', 'none']) {
    found[`extent ${group}`] = await store.extent(entries, group)
    for (const direction of ['asc', 'desc'] as const) {
      found[`records ${direction} ${group}`] = await store.read(entries, group, { direction, limit: 100 })
      found[`few ${direction} ${group}`] = await store.read(entries, group, {
        direction,
        limit: 2,
        matches: ({ n }) => n % 2 === 0,
      })
      found[`times ${direction} ${group}`] = (
        await store.read(entries, group, { direction, limit: 100, from: hour(2), to: hour(5) })
      ).records
    }
  }
  return found
}

test('both stores return the same results, errors, lists and orders for the same steps', async () => {
  await fc.assert(
    fc.asyncProperty(transactions, async (story) => {
      const place = temporaryDir()
      const [embedded, shared] = await Promise.all([
        openStore({ dir: place.dir }),
        postgres.database().then((url) => openPostgresStore({ database: { url }, tables: [pages] })),
      ])
      try {
        for (const transaction of story) {
          assert.equal(await play(shared, transaction), await play(embedded, transaction))
          await shared.upkeep()
        }
        assert.equal(await look(shared), await look(embedded))
      } finally {
        await Promise.all([embedded.close(), shared.close()])
        place.remove()
      }
    }),
    { numRuns: Number(process.env.STORE_STORIES ?? 12) },
  )
})

/** Nodes on one database. */
async function nodes(count: number): Promise<{ stores: Store[]; close: () => Promise<unknown> }> {
  const url = await postgres.database()
  const stores = await Promise.all(
    Array.from({ length: count }, () => openPostgresStore({ database: { url }, tables: [pages] })),
  )
  return { stores, close: () => Promise.all(stores.map((store) => store.close())) }
}

const count = (store: Store): Promise<number> =>
  store.transact(async (tx) => {
    const counter = await tx.get(pages, 'counter')
    assert.ok(counter)
    await tx.replace(pages, { ...counter, weight: (counter.weight ?? 0) + 1 })
    return (await tx.append(entries, 's', (position) => ({ of: 's', n: position, at: hour(0) }))).n
  })

test('nodes that write the same documents and journals lose nothing and leave no gaps', async () => {
  const { stores, close } = await nodes(3)
  const [first] = stores as [Store]
  await first.insert(pages, { id: 'counter', space: 's', slug: 'counter', weight: 0 })
  const numbers = await Promise.all(stores.flatMap((store) => Array.from({ length: 20 }, () => count(store))))
  assert.equal(
    [...numbers].sort((a, b) => a - b),
    Array.from({ length: 60 }, (_, n) => n + 1),
  )
  for (const store of stores) {
    assert.is((await store.get(pages, 'counter'))?.weight, 60)
    assert.equal(await store.extent(entries, 's'), { count: 60, next: 61 })
  }
  await close()
})

test('of nodes that write the same key or version, one succeeds and the others get an error', async () => {
  const { stores, close } = await nodes(3)
  const made = await Promise.all(
    stores.map((store, n) => thrown(store.insert(pages, { id: `p${n}`, space: 's', slug: 'one' }))),
  )
  assert.is(made.filter((error) => error === undefined).length, 1)
  for (const error of made) if (error !== undefined) assert.is((error as DuplicateKey).index, 'bySlug', String(error))
  const [first] = await (stores[0] as Store).all(pages)
  assert.ok(first)
  const replaced = await Promise.all(
    stores.map((store, n) => thrown(store.replace(pages, { ...first, title: String(n) }))),
  )
  assert.is(replaced.filter((error) => error === undefined).length, 1)
  for (const error of replaced) if (error !== undefined) assert.instance(error, StaleDocument)
  await close()
})

test('a killed database loses nothing acknowledged, and everything works again', async () => {
  const { stores, close } = await nodes(2)
  const [first] = stores as [Store]
  await first.insert(pages, { id: 'counter', space: 's', slug: 'counter', weight: 0 })
  let acknowledged = 0
  let unknown = 0
  let going = true
  const clients = stores.flatMap((store) =>
    Array.from({ length: 3 }, async () => {
      while (going) {
        await count(store).then(
          () => acknowledged++,
          () => unknown++,
        )
        await wait(5)
      }
    }),
  )
  for (let round = 0; round < 3; round++) {
    const had = acknowledged
    while (acknowledged < had + 20) await wait(10)
    await postgres.crash()
    await postgres.start()
  }
  const had = acknowledged
  while (acknowledged < had + 20) await wait(10)
  going = false
  await Promise.all(clients)
  const counted = (await first.get(pages, 'counter'))?.weight ?? 0
  assert.ok(
    counted >= acknowledged && counted <= acknowledged + unknown,
    `${counted} counted, ${acknowledged} acknowledged, ${unknown} unknown`,
  )
  assert.equal(await first.extent(entries, 's'), { count: counted, next: counted + 1 })
  await close()
})

test.run()
