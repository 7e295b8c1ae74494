import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { migrations } from '../../src/domain/upkeep/migrations.js'
import { sealedJson } from '../../src/store/checkpoint-file.js'
import { table, journal, openStore, StoreDamaged } from '../../src/store/index.js'
import { FaultyFs } from '../support/faulty-fs.js'
import { LossyFs } from '../support/lossy-fs.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('journals')
interface Entry {
  id: string
  org: string
  at: string
  text: string
}
/** Entries of `two` were numbered already, with gaps. */
const formerly = {
  table: 'log',
  by: ({ id }: Entry) => id,
  position: ({ org, id }: Entry) => (org === 'two' ? Number(id.slice(0, 6)) : 0),
}
const log = journal<Entry>()({ name: 'journal-log', group: ({ org }) => org, at: ({ at }) => at, formerly })
/** What an earlier release kept the same in. */
const documents = table<Entry>()({ name: 'log', indexes: {}, owner: ({ org, at }) => `${org}/${at.slice(0, 10)}` })
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

test('a file is as long as is good to read; records are lines of JSON', async () => {
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
  // Three days, of about 570 KB each: no more files than that needs, however many checkpoints there were.
  assert.ok(files.length <= 6, `${files.length} files`)
  const lines = files.sort().flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    Array.from({ length: 4000 }, (_, n) => entry(n)),
  )
  remove()
})

test('reading goes on while checkpoints put longer files in the place of short ones, and old records are dropped', async () => {
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

test('a file that is gone, cut or longer: refused at the start; one that was changed: when it is read', async () => {
  const { dir, remove } = temporaryDir()
  const first = await openStore({ dir })
  await first.transact(async (tx) => void (await tx.append(log, 'one', () => entry(1))))
  await first.close()
  const [file] = filesOf(dir)
  const bytes = readFileSync(file as string)
  const refused = async (): Promise<void> => {
    const error = await openStore({ dir }).then(
      (store) => store.close(),
      (thrown: unknown) => thrown,
    )
    assert.instance(error, StoreDamaged)
    assert.is((error as StoreDamaged).file, file)
  }
  rmSync(file as string)
  await refused()
  for (const wrong of [bytes.subarray(0, bytes.length - 3), Buffer.concat([bytes, bytes])]) {
    writeFileSync(file as string, wrong)
    await refused()
  }
  const flipped = Buffer.from(bytes)
  flipped[30]! ^= 1
  writeFileSync(file as string, flipped)
  const store = await openStore({ dir })
  const error = await store.read(log, 'one', { direction: 'asc', limit: 1 }).catch((thrown: unknown) => thrown)
  assert.instance(error, StoreDamaged)
  await store.close()
  writeFileSync(file as string, bytes)
  const again = await openStore({ dir })
  assert.is((await again.read(log, 'one', { direction: 'asc', limit: 9 })).records.length, 1)
  await again.close()
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

/** A store as a release before journals left it. */
async function former(dir: string, fs?: LossyFs): Promise<void> {
  const store = await openStore({ dir, ...(fs ? { fs } : {}) })
  for (const org of ['one', 'two']) {
    await store.transact(async (tx) => {
      for (const n of [7, 3, 2000, 5, 1500])
        await tx.insert(documents, { ...entry(n, org), id: `${entry(n).id}-${org}` })
    })
  }
  await store.close()
}

async function moved(dir: string, fs: LossyFs | FaultyFs): Promise<void> {
  const store = await openStore({ dir, fs, journals: [log] })
  for (const org of ['one', 'two']) {
    const { records } = await store.read(log, org, { direction: 'asc', limit: 99 })
    assert.equal(
      records.map(({ position, record }) => [position, record.id]),
      [3, 5, 7, 1500, 2000].map((n, i) => [org === 'two' ? n : i + 1, `${entry(n).id}-${org}`]),
    )
    assert.is((await store.extent(log, org)).next, org === 'two' ? 2001 : 6)
    assert.is('version' in records[0]!.record, false)
  }
  await store.close()
}

test(
  'documents of an earlier release become records, whatever interrupts it',
  async () => {
    for (let k = 0; ; k++) {
      const place = temporaryDir()
      const dir = join(place.dir, 'store')
      const before = new LossyFs(place.dir)
      await former(dir, before)
      const faulty = new FaultyFs(before, k % 2 === 0 ? 'before' : 'after')
      faulty.failsAt = (call) => call === k
      const isDone = await moved(dir, faulty).then(
        () => faulty.failed.length === 0,
        (thrown: Error) => assert.match(thrown.message, /injected/),
      )
      before.crash()
      const after = before.afterCrash()
      await moved(dir, after)
      await moved(dir, after)
      await moved(dir, after)
      place.remove()
      if (isDone) return
    }
  },
  { timeoutMs: 300_000 },
)

test('an earlier release refuses a store that has journals', async () => {
  const { dir, remove } = temporaryDir()
  mkdirSync(join(dir, 'log'), { recursive: true })
  await (await openStore({ dir })).close()
  const file = join(dir, 'store.json')
  const { crc32: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  assert.is(manifest.format, 2)
  // As it was before: read, and marked before anything else is written.
  writeFileSync(file, sealedJson({ ...manifest, format: 1 }))
  const store = await openStore({ dir })
  assert.is(JSON.parse(readFileSync(file, 'utf8')).format, 2)
  await store.close()
  remove()
})

test(
  "an audit log that an earlier release kept as documents is there after the service's start",
  async () => {
    const here = await startService()
    const list = async () =>
      (await here.admin.call('get', `/v1/orgs/${here.organization}/audit-log?limit=1000`).expect(200)).body
    await here.service.close()
    const old = table<Record<string, unknown> & { id: string; organization: string; at: string }>()({
      name: 'audit-log',
      indexes: {},
      owner: ({ organization, at }) => `${organization}/${at.slice(0, 10)}`,
    })
    const store = await openStore({ dir: join(here.dir, 'data', 'store'), migrations })
    const base = {
      organization: here.organization,
      user: here.admin.user,
      operation: 'x',
      method: 'POST',
      resources: {},
      members: [],
      address: '::1',
      requestId: 'r',
    }
    for (const [n, status] of [200, 403, 201].entries())
      await store.insert(old, { ...base, id: `00000000${n}`, at: new Date().toISOString(), status })
    await store.close()
    await here.restart().catch(() => undefined)
    assert.equal(
      (await list()).items.slice(-3).map(({ status }: { status: number }) => status),
      [201, 403, 200],
    )
    await here.close()
  },
  { embeddedOnly: 'earlier-data' },
)

test.run()
