/** Tests whether recorded reads of documents in PostgreSQL are known to be unchanged, for any writer process. */
import * as assert from 'uvu/assert'
import { Recording } from '../../src/kernel/recording.js'
import { openDatabase, openNews } from '../../src/postgres/index.js'
import { openPostgresStore, type SharedStore, type Store, table } from '../../src/store/index.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'

interface Thing {
  id: string
  color: string
  size: number
}
const things = table<Thing>()({ name: 'things', indexes: { color: ({ color }) => [color] } })

const test = suite('recorded reads of documents in PostgreSQL')
const postgres = await startPostgres()
const url = await postgres.database()
const database = openDatabase({ url })
const news = await openNews(database)
const here = await openPostgresStore({ database, news, tables: [things] })
const there: SharedStore = await openPostgresStore({ database: { url }, tables: [things] })
test.after(async () => {
  await there.close()
  await here.close()
  await news.close()
  await database.close()
  await postgres.close()
})

/** Reads something. Returns a function that reports, after the next check, whether the read is unchanged. */
async function recorded(read: (store: Store) => Promise<unknown>): Promise<() => Promise<boolean>> {
  await news.ask()
  const recording = new Recording()
  await read(here.recorded(recording))
  recording.seal()
  const evidence = recording.finish()
  assert.ok(evidence, 'what was read can be compared later')
  return async () => {
    await news.ask()
    return evidence.areUnchanged()
  }
}

const reads: Record<string, (store: Store) => Promise<unknown>> = {
  'a document': (store) => store.get(things, 'a'),
  'a document that is not there': (store) => store.get(things, 'new'),
  'red ones': (store) => store.find(things, 'color', 'red'),
  'how many are red': (store) => store.count(things, 'color', 'red'),
  'green ones, of which there is none': (store) => store.find(things, 'color', 'green'),
}
/** Each change, and the recorded reads that it invalidates. */
const changes: [string, () => Promise<unknown>, string[]][] = [
  ['another one that is blue', () => there.insert(things, { id: 'other', color: 'blue', size: 1 }), []],
  ['one that is red', () => there.insert(things, { id: 'c', color: 'red', size: 1 }), ['red ones', 'how many are red']],
  ['the document has another size', () => change('a', { size: 2 }), ['a document', 'red ones']],
  ['another red one has another size', () => change('b', { size: 2 }), ['red ones']],
  [
    'a red one becomes green',
    () => change('b', { color: 'green' }),
    ['red ones', 'how many are red', 'green ones, of which there is none'],
  ],
  [
    'the missing one comes',
    () => there.insert(things, { id: 'new', color: 'blue', size: 1 }),
    ['a document that is not there'],
  ],
  ['a red one is removed', () => there.remove(things, 'a'), ['a document', 'red ones', 'how many are red']],
  ['written by hand', () => database.query(`UPDATE documents SET body = body WHERE id = 'c'`), ['red ones']],
]
async function change(id: string, what: Partial<Thing>): Promise<void> {
  const stored = await there.get(things, id)
  if (stored) await there.replace(things, { ...stored, ...what })
}

test('each change invalidates exactly the reads that it affects', async () => {
  for (const id of ['a', 'b']) await there.insert(things, { id, color: 'red', size: 1 })
  for (const [name, happens, ended] of changes) {
    const before = new Map<string, () => Promise<boolean>>()
    for (const [what, read] of Object.entries(reads)) before.set(what, await recorded(read))
    for (const [what, holds] of before) assert.ok(await holds(), `${what}: nothing has happened`)
    await happens()
    for (const [what, holds] of before) assert.is(await holds(), !ended.includes(what), `${name}: ${what}`)
  }
})

test('a change between a search and its record invalidates the record', async () => {
  await there.insert(things, { id: 'd', color: 'white', size: 1 })
  await news.ask()
  const recording = new Recording()
  const { find } = here
  // The document is written, and the change is known, before the result of the search is recorded.
  const slow = async (...given: Parameters<typeof find>) => {
    const found = await find.apply(here, given)
    await change('d', { size: 2 })
    await news.ask()
    return found
  }
  Object.assign(here, { find: slow })
  await here.recorded(recording).find(things, 'color', 'white')
  Object.assign(here, { find })
  recording.seal()
  assert.is(recording.finish(), null)
})

test('lists, whole tables and transactions cannot be compared later', async () => {
  for (const read of [
    (store: Store) => store.all(things),
    (store: Store) => store.transact((tx) => tx.get(things, 'b')),
  ]) {
    const recording = new Recording()
    await read(here.recorded(recording))
    recording.seal()
    assert.is(recording.finish(), null)
  }
})

test.run()
