import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import {
  LogFull,
  openStore,
  type Store,
  StoreDamaged,
  type StoreEvent,
  StoreTooNew,
  table,
} from '../../src/store/index.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('damaged files')
const things = table<{ id: string; owner: string; text: string }>()({
  name: 'things',
  indexes: { owner: (thing) => thing.owner, text: (thing) => thing.text },
  owner: 'owner',
})
const others = table<{ id: string; title: string }>()({ name: 'others', indexes: {} })

interface Place {
  dir: string
  log: string
}

/** A store with checkpoints of `one` and `two`, and three transactions in the log that are in no checkpoint. */
async function made(work: (place: Place) => Promise<void>): Promise<void> {
  const place = temporaryDir()
  const { dir } = place
  const first = await openStore({ dir })
  for (const owner of ['one', 'two']) await first.insert(things, { id: owner, owner, text: 'checkpoint' })
  await first.close()
  const second = await openStore({ dir })
  for (const id of ['x', 'y', 'z']) await second.insert(things, { id, owner: 'one', text: 'log' })
  const files = [
    'store.json',
    'documents/things/one.json',
    'documents/things/two.json',
    ...readdirSync(join(dir, 'log')).map((name) => `log/${name}`),
  ]
  // As after a kill: restores the files from before the close below.
  const kept = files.map((name) => [join(dir, name), readFileSync(join(dir, name))] as const)
  await second.close()
  for (const name of readdirSync(join(dir, 'log'))) rmSync(join(dir, 'log', name))
  for (const [path, bytes] of kept) writeFileSync(path, bytes)
  try {
    await work({ dir, log: kept.map(([path]) => path).find((path) => path.endsWith('.log'))! })
  } finally {
    place.remove()
  }
}

async function ids(dir: string, events: StoreEvent[] = []): Promise<string[]> {
  const store = await openStore({ dir, log: (event) => events.push(event) })
  const found = (await store.all(things)).map(({ id }) => id).sort()
  await store.close()
  return found
}

async function refusal(dir: string): Promise<StoreDamaged> {
  try {
    await (await openStore({ dir })).close()
  } catch (thrown) {
    assert.instance(thrown, StoreDamaged)
    return thrown as StoreDamaged
  }
  throw new Error('it opened')
}

/** The offset at which each line of a file starts. */
const lines = (bytes: Buffer): number[] => [
  0,
  ...[...bytes.entries()].filter(([, byte]) => byte === 10).map(([at]) => at + 1),
]

test('a torn log tail is cut, and the records before it stay', () =>
  made(async ({ dir, log }) => {
    const bytes = readFileSync(log)
    writeFileSync(log, bytes.subarray(0, bytes.length - 5))
    const events: StoreEvent[] = []
    assert.equal(await ids(dir, events), ['one', 'two', 'x', 'y'])
    const cut = events.find((event) => event.event === 'tail-cut')
    assert.equal(cut, {
      event: 'tail-cut',
      file: log,
      offset: lines(bytes).at(-2),
      bytes: bytes.length - 5 - lines(bytes).at(-2)!,
    })
    assert.equal(await ids(dir), ['one', 'two', 'x', 'y'])
  }))

test('a damaged record inside the log is rejected with file, offset and instructions', () =>
  made(async ({ dir, log }) => {
    const bytes = readFileSync(log)
    const start = lines(bytes)[2]!
    bytes[start + 40]! ^= 1
    bytes[start + 60]! ^= 1
    writeFileSync(log, bytes)
    const error = await refusal(dir)
    assert.equal([error.file, error.offset], [log, start])
    assert.match(error.message, log)
    assert.match(error.message, `byte ${start}`)
    assert.match(error.message, 'restore')
    assert.equal(readFileSync(log), bytes)
  }))

test('a log with a missing record is rejected', () =>
  made(async ({ dir, log }) => {
    const bytes = readFileSync(log)
    const [, , from, to] = lines(bytes)
    writeFileSync(log, Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]))
    assert.match((await refusal(dir)).message, 'is missing')
  }))

test('a missing, empty or renamed log file is rejected', () =>
  made(async ({ dir, log }) => {
    const bytes = readFileSync(log)
    rmSync(log)
    assert.match((await refusal(dir)).message, 'is missing')
    writeFileSync(log, '')
    assert.is((await refusal(dir)).file, log)
    rmSync(log)
    writeFileSync(join(dir, 'log', `${String(9).padStart(16, '0')}.log`), bytes)
    await refusal(dir)
  }))

/** Opens the store, and returns the message of the damage that a call meets; null if it succeeds. */
async function open<R>(dir: string, work: (store: Store, met: typeof damageIn) => Promise<R>): Promise<R> {
  const store = await openStore({ dir, tables: [things] })
  try {
    return await work(store, damageIn)
  } finally {
    await store.close()
  }
}

async function damageIn(call: Promise<unknown>): Promise<string | null> {
  try {
    await call
    return null
  } catch (thrown) {
    assert.instance(thrown, StoreDamaged)
    return (thrown as StoreDamaged).message
  }
}

/** Writes damage that no checksum corrects. */
const ruin = (file: string): void => writeFileSync(file, readFileSync(file).subarray(0, 60))

test('a damaged checkpoint concerns only the documents that it may contain', () =>
  made(async ({ dir }) => {
    const file = join(dir, 'documents/things/two.json')
    ruin(file)
    const ruined = readFileSync(file)
    await open(dir, async (store, met) => {
      const message = `${file} is damaged at byte`
      assert.match(store.damaged?.[0]?.message ?? '', message)
      assert.match(store.damaged?.[0]?.message ?? '', 'bindery fsck --repair')
      assert.is((await store.get(things, 'one'))?.text, 'checkpoint')
      assert.is((await store.get(things, 'x'))?.text, 'log')
      assert.is((await store.find(things, 'owner', 'one')).length, 4)
      assert.match((await met(store.get(things, 'two'))) ?? '', message, 'it may be in the file')
      assert.match((await met(store.find(things, 'owner', 'two'))) ?? '', message)
      assert.match((await met(store.all(things))) ?? '', message)
      assert.match((await met(store.count(things, 'text', 'log'))) ?? '', message, 'any owner may have this key')
      assert.is((await store.intact(things)).length, 4)
      assert.match((await met(store.insert(things, { id: 'two', owner: 'two', text: 'new' }))) ?? '', message)
      await store.insert(things, { id: 'new', owner: 'one', text: 'new' })
      await store.insert(others, { id: 'other', title: 'not concerned' })
    })
    assert.equal(readFileSync(file), ruined, 'nothing was written to it')
    await open(dir, async (store) => {
      assert.is((await store.get(things, 'new'))?.text, 'new')
      assert.is((await store.all(others)).length, 1)
    })
  }))

test('the documents of a damaged checkpoint are back when its copy is', () =>
  made(async ({ dir }) => {
    const file = join(dir, 'documents/things/one.json')
    const good = readFileSync(file)
    ruin(file)
    for (let n = 0; n < 3; n++)
      await open(dir, async (store) => void (await store.insert(others, { id: `other-${n}`, title: 'meanwhile' })))
    writeFileSync(file, good)
    assert.equal(await ids(dir), ['one', 'two', 'x', 'y', 'z'])
  }))

test('a missing or renamed checkpoint takes only its table out of service', () =>
  made(async ({ dir }) => {
    for (const name of ['one', 'two']) {
      const file = join(dir, `documents/things/${name}.json`)
      const bytes = readFileSync(file)
      rmSync(file)
      await open(dir, async (store, met) =>
        assert.match((await met(store.all(things))) ?? '', /missing|should contain/),
      )
      writeFileSync(join(dir, 'documents/things/other.json'), bytes)
      await open(dir, async (store, met) => {
        assert.ok(store.damaged?.some(({ message }) => message.includes('renamed')))
        assert.ok(await met(store.find(things, 'owner', name)))
      })
      renameSync(join(dir, 'documents/things/other.json'), file)
    }
    assert.equal(await ids(dir), ['one', 'two', 'x', 'y', 'z'])
  }))

test('a repair keeps the readable documents and the damaged file', () =>
  made(async ({ dir }) => {
    const file = join(dir, 'documents/things/one.json')
    const lines = readFileSync(file, 'utf8').split('\n')
    const text = `${lines.slice(0, -2).join('\n')},\n{"id":"torn`
    writeFileSync(file, text)
    rmSync(join(dir, 'documents/things/two.json'))
    const events: StoreEvent[] = []
    const store = await openStore({ dir, tables: [things], repair: true, log: (event) => events.push(event) })
    const told = (await store.damages?.())?.join('\n') ?? ''
    await store.close()
    assert.match(told, `${file} was damaged`)
    assert.match(told, '1 document was readable')
    assert.match(told, 'Its documents are lost')
    assert.is(readFileSync(join(dir, 'damaged/1-things-one.json'), 'utf8'), text)
    assert.equal(await ids(dir), ['one', 'x', 'y', 'z'])
  }))

test('a repair of a file without a readable document succeeds, and the next start has no damage', () =>
  made(async ({ dir }) => {
    ruin(join(dir, 'documents/things/two.json'))
    const store = await openStore({ dir, tables: [things], repair: true })
    assert.match((await store.damages?.())?.join('\n') ?? '', '0 documents were readable')
    await store.close()
    await open(dir, async (reopened) => assert.equal(reopened.damaged, []))
    assert.equal(await ids(dir), ['one', 'x', 'y', 'z'])
  }))

test('a log that a damaged file keeps has a maximum size, and a repair shortens it', () =>
  made(async ({ dir }) => {
    ruin(join(dir, 'documents/things/two.json'))
    const limits = { checkpointAfterBytes: 1000, maxKeptLogBytes: 3000 }
    let written = 0
    for (let start = 0; start < 2; start++) {
      const store = await openStore({ dir, tables: [things, others], ...limits })
      const thrown = await (async () => {
        for (let n = 0; n < 100; n++) {
          await store.insert(others, { id: `${written}`, title: 'accepted' })
          written++
        }
      })().catch((error: unknown) => error)
      assert.instance(thrown, LogFull)
      assert.match(String(thrown), /two\.json.*bindery fsck --repair/)
      assert.is((await store.all(others)).length, written, 'reads continue')
      assert.ok(store.full)
      await store.close()
    }
    assert.ok(written > 5 && written < 60, `${written} were written`)
    const bytes = (): number =>
      readdirSync(join(dir, 'log')).reduce((sum, name) => sum + readFileSync(join(dir, 'log', name)).length, 0)
    assert.ok(bytes() < 3300, `the log has ${bytes()} bytes`)
    await (await openStore({ dir, tables: [things, others], repair: true, ...limits })).close()
    assert.ok(bytes() < 200, `the log has ${bytes()} bytes`)
    const store = await openStore({ dir, tables: [things, others], ...limits })
    assert.is(store.full, null)
    await store.insert(others, { id: 'new', title: 'accepted' })
    assert.is((await store.all(others)).length, written + 1)
    await store.close()
  }))

test('a pending migration does not start on a part of the documents', () =>
  made(async ({ dir }) => {
    ruin(join(dir, 'documents/things/two.json'))
    const migrations = [{ version: 1, name: 'read everything', run: () => assert.unreachable() }]
    assert.match((await damageIn(openStore({ dir, migrations }))) ?? '', 'two.json')
  }))

test('an older copy of the log under newer checkpoints is rejected', () =>
  made(async ({ dir, log }) => {
    const before = readFileSync(log)
    const manifest = readFileSync(join(dir, 'store.json'))
    await ids(dir)
    // Checkpoints of the close, with the manifest and the log from before it, without its last transaction.
    for (const name of readdirSync(join(dir, 'log'))) rmSync(join(dir, 'log', name))
    writeFileSync(join(dir, 'store.json'), manifest)
    writeFileSync(log, before.subarray(0, lines(before).at(-2)))
    assert.match((await refusal(dir)).message, 'the log was truncated')
  }))

test('a missing or damaged manifest is rejected', () =>
  made(async ({ dir }) => {
    const file = join(dir, 'store.json')
    const bytes = readFileSync(file, 'utf8')
    rmSync(file)
    assert.is((await refusal(dir)).file, file)
    writeFileSync(file, bytes.replace('"migrated":0', '"migrated":12'))
    assert.is((await refusal(dir)).file, file)
  }))

test('a store format of a newer release is rejected and not read', async () => {
  const place = temporaryDir()
  await (await openStore({ dir: place.dir })).close()
  const { sealedJson } = await import('../../src/store/checkpoint-file.js')
  writeFileSync(join(place.dir, 'store.json'), sealedJson({ format: 99, migrated: 0, logFrom: 1, owners: {} }))
  try {
    await openStore({ dir: place.dir })
    assert.unreachable()
  } catch (thrown) {
    assert.instance(thrown, StoreTooNew)
  }
  place.remove()
})

test('temporary files left by an interruption are removed', () =>
  made(async ({ dir }) => {
    const left = join(dir, 'documents/things/one.json.tmp')
    writeFileSync(left, '{"half')
    assert.equal(await ids(dir), ['one', 'two', 'x', 'y', 'z'])
    assert.is(existsSync(left), false)
  }))

test.run()
