/**
 * Tests list lengths in PostgreSQL: correct during concurrent writes, while rows are joined, and for documents of a
 * release that did not count.
 */
import * as assert from 'uvu/assert'
import { type Database, migrate, openDatabase } from '../../src/postgres/index.js'
import { openPostgresStore, type SharedStore, table } from '../../src/store/index.js'
import { ROOM, steps } from '../../src/store/postgres/schema.js'
import { PostgresStore } from '../../src/store/postgres/store.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'

interface Note {
  id: string
  book: string
  at: number
}
const notes = table<Note>()({
  name: 'notes',
  indexes: {},
  orders: { byTime: { group: ({ book }) => book, by: ({ at }) => at } },
})

const test = suite('lengths of lists in PostgreSQL')
const postgres = await startPostgres()
test.after(() => postgres.close())

const lengthOf = async (store: SharedStore, book: string): Promise<number> => {
  const { count, documents } = await store.page(notes, 'byTime', book, { limit: 1_000, direction: 'asc' })
  assert.is(documents.length, count, book)
  return count
}
const rows = async (database: Database): Promise<number> =>
  (await database.query<{ n: number }>('SELECT count(*)::int AS n FROM document_list_lengths'))[0]?.n ?? 0

test('a page and its list length are consistent during writes and joins', async () => {
  const database = openDatabase({ url: await postgres.database() })
  const store = await openPostgresStore({ database, tables: [notes] })
  try {
    let over = false
    const writer = async (who: number): Promise<void> => {
      for (let n = 0; n < 40; n++) {
        const id = `${who}-${n}`
        await store.insert(notes, { id, book: n % 2 ? 'odd' : 'even', at: n })
        if (n % 5 === 0) await store.remove(notes, id)
        else if (n % 7 === 1) await store.replace(notes, { id, book: 'moved', at: n, version: 1 })
        const refused = store.transact(async (tx) => {
          await tx.insert(notes, { id: `${id}-refused`, book: 'odd', at: n })
          throw new Error('no')
        })
        await refused.catch((error: Error) => assert.is(error.message, 'no'))
      }
    }
    const joiner = async (): Promise<void> => {
      while (!over) await store.upkeep()
    }
    const reader = async (): Promise<void> => {
      while (!over) for (const book of ['odd', 'even', 'moved', 'none']) await lengthOf(store, book)
    }
    const others = Promise.all([joiner(), joiner(), reader()])
    await Promise.all([writer(1), writer(2), writer(3)]).finally(() => {
      over = true
    })
    await others
    const all = (await store.all(notes)).map(({ book }) => book)
    for (const book of ['odd', 'even', 'moved', 'none'])
      assert.is(await lengthOf(store, book), all.filter((one) => one === book).length, book)
    for (let n = 0; n < 20; n++) await store.insert(notes, { id: `more-${n}`, book: 'odd', at: n })
    await store.upkeep()
    const left = await rows(database)
    assert.ok(left <= 3 * 8, `${left} rows are left of three lists`)
  } finally {
    await store.close()
    await database.close()
  }
})

test('documents of the previous release are counted while its servers still run', async () => {
  const database = openDatabase({ url: await postgres.database() })
  try {
    await migrate(database, ROOM, steps.slice(0, 1))
    const before = new PostgresStore(database, null, async () => {})
    for (let n = 0; n < 12; n++) await before.insert(notes, { id: `old-${n}`, book: 'b', at: n })
    const store = await openPostgresStore({ database, tables: [notes] })
    assert.is(await lengthOf(store, 'b'), 12)
    await before.insert(notes, { id: 'late', book: 'b', at: 99 })
    await before.remove(notes, 'old-3')
    await before.remove(notes, 'old-4')
    assert.is(await lengthOf(store, 'b'), 11)
  } finally {
    await database.close()
  }
})

test.run()
