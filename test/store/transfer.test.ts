import { randomInt } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../src/postgres/index.js'
import {
  differencesOf,
  digestOf,
  openEmbeddedSource,
  openPostgresSource,
  openPostgresStore,
  openStore,
  prepareDocuments,
  type Store,
  type StoreSource,
  table,
  writeEmbeddedStore,
  writePostgresStore,
} from '../../src/store/index.js'
import { folderBytes } from '../support/folder-bytes.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'
import { entries, pages } from './contract.js'

const test = suite('documents from one store to the other')
const postgres = await startPostgres()
const root = await mkdtemp(join(tmpdir(), 'transfer-'))
test.after(async () => {
  await postgres.close()
  await rm(root, { recursive: true, force: true })
})

const tables = [pages]
const journals = [entries]
const embedded = (dir: string) => openEmbeddedSource({ dir, migrations: [], journals })
const hour = (n: number): string => new Date(Date.UTC(2026, 0, 1, n)).toISOString()

/** A table of an earlier release, which this release does not know. */
const former = table<{ id: string }>()({ name: 'former', indexes: {} })
const ODD = ['plain', '', '😀', '\ud800 alone', 'a\0b', '\uffff', 'é'.repeat(300), '__proto__', '\\hash']

async function fill(store: Store): Promise<void> {
  for (const [n, odd] of ODD.entries()) {
    const page = await store.insert(pages, {
      id: `p${n}${odd}`,
      space: odd,
      slug: odd,
      title: odd,
      tags: [odd, `t${n}`],
      weight: n / 3,
    })
    if (n % 2 === 0) await store.replace(pages, { ...page, title: `again ${odd}` })
  }
  await store.transact(async (tx) => {
    for (let n = 0; n < 1200; n++) await tx.insert(pages, { id: `many-${n}`, space: `s${n % 7}`, slug: `slug-${n}` })
  })
  await store.insert(former, { id: 'left over' })
  for (const of of ['one', 'two 😀', 'all dropped'])
    await store.transact(async (tx) => {
      for (let n = 0; n < 700; n++)
        await tx.append(entries, of, (position) => ({
          of,
          n: position,
          at: hour(n),
          text: ODD[n % ODD.length] as string,
        }))
    })
  await store.transact((tx) =>
    tx.append(entries, 'later', (position) => ({ of: 'later', n: position, at: hour(1) }), 500),
  )
  await store.drop(entries, 'one', 130)
  await store.drop(entries, 'all dropped', 701)
}

async function withSource<T>(source: StoreSource, work: (source: StoreSource) => Promise<T>): Promise<T> {
  try {
    return await work(source)
  } finally {
    await source.close()
  }
}

/** Every document and record as text, by table, ID and position. */
async function everything(source: StoreSource): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const name of await source.tables())
    for await (const some of source.documents(name))
      for (const one of some) found.set(`${name} ${one.id}`, JSON.stringify(one))
  for (const extent of await source.groups()) {
    found.set(`${extent.journal} ${extent.group}`, `${extent.first} ${extent.next}`)
    for await (const some of source.records(extent))
      for (const one of some) found.set(`${extent.journal} ${extent.group} ${one.position}`, JSON.stringify(one))
  }
  return found
}

test('documents and journals are transferred there and back byte for byte', async () => {
  const [from, back] = [join(root, 'from'), join(root, 'back')]
  const store = await openStore({ dir: from, tables, checkpointAfterBytes: 100_000 })
  await fill(store)
  // As after a kill: part in checkpoints, part in the log. While checkpoints are written, the log has two segments, and
  // a copy would not be consistent.
  while ((await readdir(join(from, 'log'))).length > 1) await setTimeout(5)
  const killed = join(root, 'killed')
  await cp(from, killed, { recursive: true })
  await store.close()
  const url = await postgres.database()
  const database = openDatabase({ url })
  await prepareDocuments(database)
  for (const dir of [killed, from]) {
    const before = await folderBytes(dir, /^lock$/)
    await withSource(await embedded(dir), (source) => writePostgresStore(database, source, tables))
    const after = await folderBytes(dir, /^lock$/)
    assert.equal(after, before, 'the source is as it was')
    const [mine, theirs] = [
      await withSource(await embedded(dir), everything),
      await withSource(await openPostgresSource(database, []), everything),
    ]
    assert.ok(mine.size > 2400)
    if (dir === from) assert.equal(theirs, mine)
  }
  await withSource(await openPostgresSource(database, []), (source) => writeEmbeddedStore(back, source, tables))
  assert.equal(await withSource(await embedded(back), everything), await withSource(await embedded(from), everything))
  const [a, b] = [await withSource(await embedded(from), digestOf), await withSource(await embedded(back), digestOf)]
  assert.equal(differencesOf(a, b), [])
  for (const again of [await openStore({ dir: back, tables }), await openPostgresStore({ database, tables })]) {
    // Later writes continue where the source stopped.
    assert.is(
      (
        await again.transact((tx) =>
          tx.append(entries, 'all dropped', (position) => ({ of: 'all dropped', n: position, at: hour(2) })),
        )
      ).n,
      701,
    )
    assert.equal(await again.extent(entries, 'one'), { count: 571, next: 701 })
    const [odd] = await again.find(pages, 'bySlug', '😀/😀')
    assert.is(odd?.version, 2)
    assert.is((await again.find(pages, 'bySpace', 's3')).length, 171)
    assert.is((await again.replace(pages, { ...(odd as typeof odd & object), title: 'new' })).version, 3)
    await again.close()
  }
})

test('a different version, position or byte is reported', async () => {
  const dir = join(root, 'differ')
  const store = await openStore({ dir, tables })
  await fill(store)
  await store.close()
  const url = await postgres.database()
  const database = openDatabase({ url })
  await prepareDocuments(database)
  await withSource(await embedded(dir), (source) => writePostgresStore(database, source, tables))
  const mine = await withSource(await embedded(dir), digestOf)
  const theirs = () => openPostgresSource(database, []).then((source) => withSource(source, digestOf))
  assert.equal(differencesOf(mine, await theirs()), [])
  const n = randomInt(1200)
  await database.query(
    `UPDATE documents SET body = (replace(body::text, '"version":1', '"version":2'))::json WHERE id = 'many-${n}'`,
  )
  assert.match(differencesOf(mine, await theirs()).join('\n'), /^table pages: /)
  await database.query("UPDATE journal_records SET position = 900 WHERE grp = 'one' AND position = 700")
  assert.match(differencesOf(mine, await theirs()).join('\n'), /^journal journal-entries of "one": [^\n]*\ntable pages/)
  await database.close()
})

test('a store that is in use, of another release or missing is rejected', async () => {
  const dir = join(root, 'refused')
  const message = (options: Partial<Parameters<typeof openEmbeddedSource>[0]> = {}) =>
    openEmbeddedSource({ dir, migrations: [], journals, ...options }).then(
      () => 'opened',
      (error: Error) => `${error.name}: ${error.message}`,
    )
  assert.match(await message(), /StoreDamaged: .*does not contain the documents of a server/)
  const store = await openStore({ dir, tables })
  await store.insert(pages, { id: 'a', space: 's', slug: 'a' })
  assert.match(await message(), /FolderLocked: .*Stop it first/)
  await store.close()
  assert.match(
    await message({ migrations: [{ version: 1, name: 'new', run: () => {} }] }),
    /StoreTooOld: .*earlier release/,
  )
  assert.is(await message(), 'opened')
})

test.run()
