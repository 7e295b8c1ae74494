import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { table, DuplicateKey, type Migration, openStore, StoreTooNew } from '../../src/store/index.js'
import { LossyFs } from '../support/lossy-fs.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('migrations')
const people = table<{ id: string; name: string }>()({ name: 'people', indexes: {} })
const users = table<{ id: string; first: string; last: string }>()({
  name: 'users',
  indexes: { byLast: (user) => user.last },
  unique: ['byLast'],
  owner: (user) => user.last,
})

const split: Migration = {
  version: 1,
  name: 'people become users',
  run(view) {
    for (const person of view.documents('people')) {
      const [first, last] = String(person.name).split(' ')
      view.put('users', { id: person.id, first, last })
      view.remove('people', person.id)
    }
  },
}
const shout: Migration = {
  version: 2,
  name: 'names in capitals',
  run: async (view) => {
    assert.equal(view.tables(), ['users'])
    for (const user of view.documents('users')) view.put('users', { ...user, last: String(user.last).toUpperCase() })
  },
}

async function thrown(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error) => error,
  )
}

test('migrations run once each, in order, before indexes are built', async () => {
  const { dir, remove } = temporaryDir()
  const old = await openStore({ dir, tables: [people] })
  await old.insert(people, { id: 'a', name: 'Ada Lovelace' })
  await old.close()
  const ran: number[] = []
  const open = (migrations: Migration[]) =>
    openStore({
      dir,
      tables: [users],
      migrations,
      log: (event) => event.event === 'migrated' && void ran.push(event.version),
    })
  await (await open([split])).close()
  const store = await open([shout, split])
  assert.equal(ran, [1, 2])
  assert.equal(await store.all(people), [])
  assert.equal(await store.find(users, 'byLast', 'LOVELACE'), [{ id: 'a', version: 2, first: 'Ada', last: 'LOVELACE' }])
  await store.close()
  await (await open([split, shout])).close()
  assert.equal(ran, [1, 2])
  assert.instance(await thrown(open([split])), StoreTooNew)
  assert.instance(await thrown(open([shout])), TypeError)
  remove()
})

test('a new store has nothing to migrate, so it logs no migration', async () => {
  const { dir, remove } = temporaryDir()
  const logged: string[] = []
  const store = await openStore({
    dir,
    tables: [users],
    migrations: [split],
    log: ({ event }) => void logged.push(event),
  })
  assert.not.ok(logged.includes('migrated'))
  await store.close()
  remove()
})

test('a migration that throws changes nothing', async () => {
  const { dir, remove } = temporaryDir()
  const old = await openStore({ dir })
  await old.insert(people, { id: 'a', name: 'Ada Lovelace' })
  await old.close()
  const broken: Migration = {
    ...split,
    run(view) {
      split.run(view)
      throw new Error('broken')
    },
  }
  assert.match(String(await thrown(openStore({ dir, migrations: [broken] }))), 'broken')
  const store = await openStore({ dir })
  assert.equal([(await store.all(people)).length, (await store.all(users)).length], [1, 0])
  await store.close()
  remove()
})

test('a migration resumes after a power cut at any operation', async () => {
  for (let cut = 0; cut < 60; cut++) {
    const { dir: root, remove } = temporaryDir()
    const dir = join(root, 'store')
    let fs = new LossyFs(root)
    const old = await openStore({ dir, fs })
    await old.insert(people, { id: 'a', name: 'Ada Lovelace' })
    await old.close()
    fs.operationsLeft = cut
    const half = await openStore({ dir, fs, tables: [users], migrations: [split, shout] }).catch(() => null)
    await half?.close()
    fs.crash((max) => cut % (max + 1))
    fs = fs.afterCrash()
    const store = await openStore({ dir, fs, tables: [users], migrations: [split, shout] })
    assert.equal(
      await store.all(users),
      [{ id: 'a', version: 2, first: 'Ada', last: 'LOVELACE' }],
      `cut after ${cut} operations`,
    )
    assert.equal(await store.all(people), [])
    await store.close()
    remove()
  }
})

test('a new unique index that documents violate is rejected at start without a migration', async () => {
  const { dir, remove } = temporaryDir()
  const old = await openStore({ dir })
  for (const id of ['a', 'b']) await old.insert(people, { id, name: 'same' })
  await old.close()
  const strict = table<{ id: string; name: string }>()({
    name: 'people',
    indexes: { byName: (person) => person.name },
    unique: ['byName'],
  })
  assert.instance(await thrown(openStore({ dir, tables: [strict] })), DuplicateKey)
  const store = await openStore({ dir })
  assert.is((await store.all(people)).length, 2)
  await store.close()
  remove()
})

test.run()
