import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { journal, openStore, StoreDamaged } from '../../src/store/index.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('journals')
interface Entry {
  id: string
  org: string
  at: string
  text: string
}
const log = journal<Entry>()({ name: 'journal-log', group: ({ org }) => org, at: ({ at }) => at })
const entry = (n: number, org = 'one'): Entry => ({
  id: String(n).padStart(6, '0'),
  org,
  at: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
  text: `Entry ${n}, with some words, so that it is about as long as others are. ${'x'.repeat(300)}`,
})

const filesOf = (dir: string): string[] =>
  readdirSync(join(dir, 'journals'), { recursive: true, withFileTypes: true }).flatMap((one) =>
    one.isFile() ? [join(one.parentPath, one.name)] : [],
  )

test('a journal file has a bounded size, and records are lines of JSON', async () => {
  const { dir, remove } = temporaryDir()
  const store = await openStore({ dir, checkpointAfterBytes: 64 * 1024 })
  for (let n = 0; n < 4000; n += 100) {
    await store.transact(async (tx) => {
      for (let i = n; i < n + 100; i++) await tx.append(log, 'one', () => entry(i))
    })
  }
  await store.close()
  const files = filesOf(dir)
  for (const file of files) assert.ok(readFileSync(file).length < 600 * 1024)
  // Three days of about 570 KB each. The number of files does not depend on the number of checkpoints.
  assert.ok(files.length <= 6, `${files.length} files`)
  const lines = files.sort().flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    Array.from({ length: 4000 }, (_, n) => entry(n)),
  )
  remove()
})

test('journals can be read while checkpoints replace files and drop old records', async () => {
  const { dir, remove } = temporaryDir()
  const store = await openStore({ dir, checkpointAfterBytes: 1 })
  let written = 0
  const write = async (): Promise<void> => {
    for (; written < 150; written++) await store.transact((tx) => tx.append(log, 'one', () => entry(written)))
  }
  const writing = write()
  while (written < 150) {
    await new Promise((done) => setImmediate(done))
    const from = written
    const { records } = await store.read(log, 'one', { direction: 'desc', limit: 1000 })
    assert.ok(records.length >= from)
    assert.equal(
      records.map(({ position }) => position),
      Array.from({ length: records.length }, (_, n) => records.length - n),
    )
  }
  await writing
  await store.drop(log, 'one', 100)
  const { records } = await store.read(log, 'one', { direction: 'asc', limit: 1000 })
  assert.is(records[0]?.position, 100)
  await store.close()
  remove()
})

test('a damaged journal file is reported, fails when it is read, and lets new records in', async () => {
  const { dir, remove } = temporaryDir()
  const first = await openStore({ dir })
  await first.transact(async (tx) => void (await tx.append(log, 'one', () => entry(1))))
  await first.close()
  const [file = ''] = filesOf(dir)
  const bytes = readFileSync(file)
  const damages = {
    missing: () => rmSync(file),
    truncated: () => writeFileSync(file, bytes.subarray(0, bytes.length - 3)),
    long: () => writeFileSync(file, Buffer.concat([bytes, bytes])),
    changed: () => {
      const changed = Buffer.from(bytes)
      changed[30]! ^= 1
      changed[31]! ^= 1
      writeFileSync(file, changed)
    },
  }
  for (const [name, damage] of Object.entries(damages)) {
    damage()
    const store = await openStore({ dir })
    assert.is(store.damaged?.[0]?.file, name === 'changed' ? undefined : file, name)
    assert.match((await store.damages?.())?.join() ?? '', file)
    const error = await store.read(log, 'one', { direction: 'asc', limit: 1 }).catch((thrown: unknown) => thrown)
    assert.instance(error, StoreDamaged, name)
    await store.transact(async (tx) => void (await tx.append(log, 'one', (n) => entry(n))))
    await store.close()
    // The checkpoint of the close did not depend on the damaged file.
    const again = await openStore({ dir })
    const newest = await again.read(log, 'one', { direction: 'desc', limit: 1 })
    assert.is(newest.records.length, 1, name)
    await again.close()
    writeFileSync(file, bytes)
  }
  const healed = await openStore({ dir })
  assert.is((await healed.read(log, 'one', { direction: 'asc', limit: 9 })).records.length, 5)
  await healed.close()
  remove()
})

test('files of an interrupted checkpoint are removed', async () => {
  const { dir, remove } = temporaryDir()
  const store = await openStore({ dir })
  await store.transact(async (tx) => void (await tx.append(log, 'one', () => entry(1))))
  await store.close()
  const left = join(filesOf(dir)[0] as string, '..', '000000000002-000000000009.jsonl')
  writeFileSync(left, '{}\n')
  await (await openStore({ dir })).close()
  assert.is(existsSync(left), false)
  remove()
})

/** A store with the entries 0 to 29 in one segment. Returns the segment's path. */
async function withSegment(dir: string): Promise<string> {
  const store = await openStore({ dir })
  await store.transact(async (tx) => {
    for (let n = 0; n < 30; n++) await tx.append(log, 'one', () => entry(n))
  })
  await store.close()
  const [file] = filesOf(dir)
  return file ?? (assert.unreachable('there is no segment') as never)
}

/** Returns the IDs that a read of all entries finds. */
async function read(dir: string, repair = false): Promise<{ ids: number[]; told: string }> {
  const store = await openStore({ dir, repair })
  const told = (await store.damages?.())?.join('\n') ?? ''
  try {
    const { records } = await store.read(log, 'one', { direction: 'asc', limit: 1000 })
    return { ids: records.map(({ record }) => Number(record.id)), told }
  } finally {
    await store.close()
  }
}

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n)

/** Damage of a segment with 30 records, and the records that a repair keeps. */
const DAMAGES: Record<string, { ruin(bytes: Buffer): Buffer; kept: number[] }> = {
  'an overwritten record': {
    ruin: (bytes) => bytes.fill(0, bytes.indexOf('Entry 12,') - 20, bytes.indexOf('Entry 12,') + 20),
    kept: [...from(0, 11), ...from(13, 29)],
  },
  'two joined records': {
    ruin: (bytes) => bytes.fill(0, bytes.indexOf('"000012"') - 10, bytes.indexOf('"000012"')),
    kept: [...from(0, 10), ...from(13, 29)],
  },
  'a truncated file': {
    ruin: (bytes) => bytes.subarray(0, bytes.indexOf('Entry 20,')),
    kept: from(0, 19),
  },
  'changed characters': {
    ruin: (bytes) => bytes.fill('y', bytes.indexOf('xxx'), bytes.indexOf('xxx') + 3),
    kept: from(0, 29),
  },
  'an empty file': { ruin: () => Buffer.alloc(0), kept: [] },
}

for (const [name, { ruin, kept }] of Object.entries(DAMAGES))
  test(`a repair of a journal keeps the readable records of ${name}`, async () => {
    const { dir, remove } = temporaryDir()
    const file = await withSegment(dir)
    const ruined = ruin(readFileSync(file))
    writeFileSync(file, ruined)
    const thrown = await read(dir).catch((error: unknown) => error)
    assert.instance(thrown, StoreDamaged)
    assert.match(String(thrown), 'bindery fsck --repair')
    const repaired = await read(dir, true)
    assert.equal(repaired.ids, kept)
    assert.match(repaired.told, `${file} was damaged`)
    assert.match(repaired.told, `${kept.length} of 30 records were readable`)
    const [copy] = readdirSync(join(dir, 'damaged'))
    assert.equal(readFileSync(join(dir, 'damaged', copy ?? '')), ruined)

    assert.equal(await read(dir), { ids: kept, told: '' })
    const store = await openStore({ dir })
    await store.transact((tx) => tx.append(log, 'one', () => entry(30)))
    await store.close()
    assert.equal((await read(dir)).ids, [...kept, 30], 'the journal continues at its next position')
    remove()
  })

test('a repair of a journal with a lost file keeps the other files, and can be interrupted', async () => {
  const { dir, remove } = temporaryDir()
  const file = await withSegment(dir)
  const bytes = readFileSync(file)
  writeFileSync(file, DAMAGES['two joined records']?.ruin(Buffer.from(bytes)) ?? '')
  // As after a kill before the checkpoint: the first repair changed neither the manifest nor the damaged file.
  const kept = ['store.json', 'documents/journal-log/one.json'].map((name) => join(dir, name))
  const before = [...kept, file].map((path) => [path, readFileSync(path)] as const)
  await read(dir, true)
  for (const [path, content] of before) writeFileSync(path, content)
  assert.equal((await read(dir, true)).ids, [...from(0, 10), ...from(13, 29)])
  for (const one of filesOf(dir)) rmSync(one)
  assert.match((await read(dir, true)).told, 'Its records are lost')
  assert.equal(await read(dir), { ids: [], told: '' })
  remove()
})

test.run()
