import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { table, openStore, StoreDamaged, type StoreEvent, StoreTooNew } from '../../src/store/index.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('damaged files')
const things = table<{ id: string; owner: string; text: string }>()({
  name: 'things',
  indexes: {},
  owner: (thing) => thing.owner,
})

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

test('a damaged checkpoint is rejected with the file and the byte', () =>
  made(async ({ dir }) => {
    const file = join(dir, 'documents/things/two.json')
    const good = readFileSync(file)
    for (const at of [0, 20, good.length >> 1, good.length - 4]) {
      const bad = Buffer.from(good)
      bad[at]! ^= 2
      writeFileSync(file, bad)
      const error = await refusal(dir)
      assert.is(error.file, file)
      assert.match(error.message, 'damaged at byte')
    }
    writeFileSync(file, good.subarray(0, 30))
    assert.is((await refusal(dir)).file, file)
    writeFileSync(file, '')
    assert.is((await refusal(dir)).file, file)
    writeFileSync(file, good)
    assert.equal(await ids(dir), ['one', 'two', 'x', 'y', 'z'])
  }))

test('a missing or renamed checkpoint is rejected, whether the log names it or not', () =>
  made(async ({ dir }) => {
    for (const name of ['one', 'two']) {
      const file = join(dir, `documents/things/${name}.json`)
      const bytes = readFileSync(file)
      rmSync(file)
      await refusal(dir)
      writeFileSync(join(dir, 'documents/things/other.json'), bytes)
      assert.match((await refusal(dir)).message, 'renamed')
      renameSync(join(dir, 'documents/things/other.json'), file)
    }
    assert.equal(await ids(dir), ['one', 'two', 'x', 'y', 'z'])
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
    writeFileSync(file, bytes.replace('"migrated":0', '"migrated":1'))
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
