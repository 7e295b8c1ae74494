import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import * as assert from 'uvu/assert'
import {
  FileRows,
  openSharedLfsFiles,
  openSharedShelf,
  openSharedSpecFiles,
  prepareFiles,
} from '../../src/shared-files/index.js'
import type { PrintResult } from '../../src/printing/index.js'
import { type Database, openDatabase } from '../../src/postgres/index.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'

const test = suite('files in the database')
const postgres = await startPostgres()
const database = openDatabase({ url: await postgres.database() })
await prepareFiles(database)
const root = await mkdtemp(join(tmpdir(), 'files-'))
test.after(async () => {
  await database.close()
  await postgres.close()
  await rm(root, { recursive: true, force: true })
})

const MIB = 1024 * 1024
let folders = 0
const folder = (): string => join(root, `node-${++folders}`)
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const specs = (at = folder()) => openSharedSpecFiles(database, at)
const gone = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it is there',
    (error: NodeJS.ErrnoException) => error.code,
  )
const count = async (table: string): Promise<number> =>
  (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1
/** Ages all stored files by more than an hour, by the time of the database. */
const age = (from: Database = database) =>
  from.query(
    "WITH f AS (UPDATE files SET written = written - interval '2 hours') UPDATE file_uploads SET began = began - interval '2 hours'",
  )

test('a node with an empty disk reads a file of any size that another node wrote', async () => {
  const [one, other] = [await specs(), await specs()]
  for (const size of [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 17]) {
    const bytes = randomBytes(size)
    const hash = await one.write(bytes)
    assert.is(hash, hashOf(bytes))
    assert.ok(bytes.equals(await other.read(hash)), `${size} bytes`)
    if (size > 100) {
      const [head, tail] = await other.readRanges(hash, [
        { at: 0, length: 10 },
        { at: size - 5, length: 50 },
      ])
      assert.ok(head?.equals(bytes.subarray(0, 10)) && tail?.equals(bytes.subarray(size - 5)))
    }
  }
  const [{ most } = { most: 0 }] = await database.query<{ most: number }>(
    'SELECT max(length(bytes)) AS most FROM file_chunks',
  )
  assert.is(most, MIB)
  assert.is(await gone(other.read(hashOf(Buffer.from('never written')))), 'ENOENT')
})

test('a modified local copy is detected at the next start and fetched again', async () => {
  const at = folder()
  const bytes = randomBytes(5000)
  const hash = await (await specs(at)).write(bytes)
  await (await specs(at)).read(hash)
  const path = join(at, hash.slice(0, 2), hash)
  await writeFile(path, randomBytes(5000))
  assert.ok(bytes.equals(await (await specs(at)).read(hash)))
  assert.is(hashOf(await readFile(path)), hash)
  await rm(path)
  assert.ok(bytes.equals(await (await specs(at)).read(hash)))
})

test('a check reports the files of the database, including changed bytes', async () => {
  const files = await specs()
  const hash = await files.write(Buffer.from('a specification'))
  assert.is(await files.check(hash, { deep: true }), 'whole')
  await database.query("UPDATE file_chunks SET bytes = 'b specification' WHERE bytes = 'a specification'")
  assert.is(await files.check(hash, { deep: false }), 'whole')
  assert.is(await files.check(hash, { deep: true }), 'damaged')
  assert.match(String(await files.read(hash).catch((error: Error) => error.message)), /should have/)
  await files.remove(hash)
  assert.is(await files.check(hash, { deep: true }), 'missing')
  assert.is(await gone(files.read(hash)), 'ENOENT')
})

test('a sweep deletes unused and abandoned files, except new ones', async () => {
  const files = await specs()
  const [used, unused] = [await files.write(Buffer.from('used')), await files.write(Buffer.from('unused'))]
  await database.query("INSERT INTO file_uploads (upload) VALUES ('given-up')")
  await database.query("INSERT INTO file_chunks VALUES ('given-up', 0, 'half of a file')")
  const isUsed = async (hash: string): Promise<boolean> => hash === used
  await files.sweep(isUsed)
  assert.is(await files.check(unused, { deep: true }), 'whole')
  await age()
  // A writer of the same bytes is about to record their name.
  const young = await files.write(Buffer.from('written again'))
  await files.sweep(isUsed)
  assert.equal(await Promise.all([used, unused, young].map((hash) => files.check(hash, { deep: true }))), [
    'whole',
    'missing',
    'whole',
  ])
  assert.is(await count('file_uploads'), 0)
  assert.equal(await database.query("SELECT 1 FROM file_chunks WHERE upload = 'given-up'"), [])
})

test('bytes that do not match their hash are not stored and leave nothing', async () => {
  const rows = new FileRows(database, 'lfs')
  const before = await count('file_chunks')
  const bytes = async function* () {
    yield randomBytes(MIB)
    yield randomBytes(MIB)
  }
  const error = await rows
    .put('x', { bytes: bytes(), size: 2 * MIB, hash: hashOf(Buffer.from('other')) })
    .catch((thrown: Error) => thrown)
  assert.match(String((error as Error)?.message), /should have/)
  assert.is(await rows.find('x'), null)
  assert.is(await count('file_chunks'), before)
})

test('two nodes that write one file at the same time leave one file without extra chunks', async () => {
  const nodes = await Promise.all([specs(), specs(), specs()])
  const before = await count('file_chunks')
  const bytes = randomBytes(2 * MIB + 1)
  const hashes = await Promise.all(nodes.map((node) => node.write(bytes)))
  assert.is(new Set(hashes).size, 1)
  assert.is(await count('file_chunks'), before + 3)
  assert.ok(bytes.equals(await (await specs()).read(hashes[0] as string)))
})

test('local copies stay within their limit', async () => {
  const at = folder()
  const files = await openSharedLfsFiles(database, at, 3 * MIB)
  const oids: string[] = []
  for (let i = 0; i < 6; i++) {
    const bytes = randomBytes(MIB)
    const object = { oid: hashOf(bytes), size: MIB }
    const draft = await files.draft(object)
    await draft.write(bytes)
    assert.is(await draft.commit(), null)
    oids.push(object.oid)
  }
  const kept = async (): Promise<number> => {
    const found = await readdir(at, { recursive: true })
    return found.filter((name) => /[0-9a-f]{64}$/.test(name)).length
  }
  assert.ok((await kept()) <= 3)
  for (const oid of oids) assert.is(hashOf(await buffer(files.stream(oid))), oid)
  assert.ok((await kept()) <= 3)
})

test('another node streams LFS objects and their ranges, and a wrong draft is deleted', async () => {
  const [one, other] = [
    await openSharedLfsFiles(database, folder(), 100 * MIB),
    await openSharedLfsFiles(database, folder(), 100 * MIB),
  ]
  const bytes = randomBytes(2 * MIB + 5)
  const object = { oid: hashOf(bytes), size: bytes.length }
  assert.is(await other.has(object), false)
  const wrong = await one.draft(object)
  await wrong.write(randomBytes(bytes.length))
  assert.match(String(await wrong.commit()), /hash/)
  await wrong.discard()
  assert.is(await one.has(object), false)
  const draft = await one.draft(object)
  await draft.write(bytes)
  assert.is(await draft.commit(), null)
  assert.is(await other.has(object), true)
  assert.is(await other.has({ ...object, size: 3 }), false)
  assert.ok(bytes.equals(await buffer(other.stream(object.oid))))
  assert.ok(bytes.subarray(10, 20).equals(await buffer(other.stream(object.oid, { start: 10, end: 19 }))))
  assert.ok(bytes.subarray(0, 100).equals(await other.head(object.oid, 100)))
  const failed = await buffer(other.stream('0'.repeat(64))).catch((error: NodeJS.ErrnoException) => error.code)
  assert.is(failed, 'ENOENT')
})

const shelfIn = (dir: string) => ({ shelf: 'pdf', made: 'book.pdf', dir, maxBytes: 3 * MIB })

test('a PDF of one node is served, replaced, trimmed and removed on another', async () => {
  const [one, other] = [
    await openSharedShelf<PrintResult>(database, shelfIn(folder())),
    await openSharedShelf<PrintResult>(database, shelfIn(folder())),
  ]
  const print = async (owner: string, key: string, bytes: Buffer): Promise<void> => {
    const work = await one.workFolder('job')
    await writeFile(join(work, 'book.pdf'), bytes)
    await one.keep(owner, key, work, { pages: 7, bytes: bytes.length, missingGlyphs: [], peakBytes: 1 })
    assert.is(await stat(work).catch(() => null), null)
  }
  assert.is(await other.find('space', 'key'), null)
  for (const bytes of [randomBytes(MIB), randomBytes(MIB)]) {
    await print('space', 'key', bytes)
    for (const shelf of [one, other]) {
      const found = await shelf.find('space', 'key')
      assert.is(found?.pages, 7)
      assert.ok(bytes.equals(await readFile(found?.path as string)))
    }
  }
  await print('space', 'second', randomBytes(MIB))
  await database.query("UPDATE files SET used = used - interval '1 hour' WHERE name = 'space/second'")
  await print('space-2', 'third', randomBytes(MIB))
  await print('space-2', 'fourth', randomBytes(MIB))
  assert.is(await other.find('space', 'second'), null, 'the least recently used one')
  assert.ok(await other.find('space', 'key'))
  await other.remove('space')
  assert.is(await one.find('space', 'key'), null)
  assert.ok(await one.find('space-2', 'third'), 'of another owner whose name begins alike')
})

test('during a database outage, no write is confirmed and local files can be read', async () => {
  const files = await specs()
  const hash = await files.write(Buffer.from('here'))
  await files.read(hash)
  await postgres.crash()
  const refused = await files.write(Buffer.from('lost')).catch((error: Error) => error.name)
  assert.is(refused, 'DatabaseAway')
  assert.is(String(await files.read(hash)), 'here')
  await postgres.start()
  assert.is(await files.check(hashOf(Buffer.from('lost')), { deep: false }), 'missing')
  assert.is(await files.write(Buffer.from('found')), hashOf(Buffer.from('found')))
})

test.run()
