import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { MissingObject, ObjectTooLarge, type Repository } from '../../../src/git/index.js'
import { encodeObject, type ObjectType } from '../../../src/git/objects/hash.js'
import { makeCaches } from '../../../src/git/objects/caches.js'
import { isLooseFolder } from '../../../src/git/objects/loose.js'
import { OpenPacks } from '../../../src/git/packs/open-packs.js'
import { PackedObjects } from '../../../src/git/packs/packed-objects.js'
import type { CommitId } from '../../../src/kernel/ids.js'
import { git as runGit } from '../../support/hermetic-git.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, openAt, unprotected } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('reads of packed objects', makePlace, clear)
let count = 0

/** Similar pages, so that Git stores most of them as deltas. */
const page = (n: number, edition: number): string =>
  Array.from(
    { length: 40 },
    (_, line) => `line ${line} of page ${line % 7 === edition % 7 ? `${n}.${edition}` : n % 3}`,
  ).join('\n')

/** A repository with a history of commits that change pages. */
async function withHistory(commits = 12): Promise<{ repository: Repository; head: CommitId }> {
  const repository = await place.git.create(`r${++count}`)
  let head: CommitId | null = null
  for (let edition = 0; edition < commits; edition++) {
    const texts = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [`part-${n % 3}/page-${n}.md`, page(n, n % 2 ? edition : 0)]),
    )
    const next: CommitId = await commit(repository, head ? [head] : [], texts)
    await repository.refs.move([{ ref: MAIN, from: head, to: next }], 'edit', anyLease)
    head = next
  }
  await unprotected(repository)
  return { repository, head: head as CommitId }
}

interface Listed {
  oid: string
  type: ObjectType
  size: number
}

const listed = (repository: Repository): Listed[] =>
  admin(repository, ['cat-file', '--batch-all-objects', '--batch-check'])
    .split('\n')
    .map((line) => line.split(' '))
    .map(([oid = '', type, size]) => ({ oid, type: type as ObjectType, size: Number(size) }))

const fresh = (repository: Repository) => new PackedObjects(repository.path, new OpenPacks(), makeCaches().bases)
const packFile = (repository: Repository, end: string): string => {
  const folder = join(repository.path, 'objects/pack')
  return join(folder, readdirSync(folder).find((name) => name.endsWith(end)) as string)
}
const settle = (): Promise<unknown> => new Promise((done) => setTimeout(done, 1100))

for (const [how, settings] of Object.entries({
  'with deltas by offset': ['-c', 'repack.useDeltaBaseOffset=true'],
  'with deltas by name': ['-c', 'repack.useDeltaBaseOffset=false'],
  'in deep chains': ['-c', 'pack.depth=200', '-c', 'pack.window=50'],
  'not deflated': ['-c', 'pack.compression=0'],
}))
  test(`packed objects ${how} are equal to Git's`, async () => {
    const { repository } = await withHistory()
    admin(repository, [...settings, 'repack', '-q', '-a', '-d', '-f'])
    const packs = fresh(repository)
    for (const { oid, type, size } of listed(repository)) {
      assert.equal(packs.info(oid), { type, size }, oid)
      const found = packs.find(oid)
      if (found === null || found === 'unsure') throw new Error(`${oid} was not found`)
      assert.is(encodeObject(found.type, found.content).oid, oid)
    }
    assert.ok(
      /^chain length = \d/m.test(admin(repository, ['verify-pack', '-v', packFile(repository, '.idx')])),
      'there are deltas',
    )
    packs.close()
  })

test('an index with offsets of eight bytes finds its objects', async () => {
  const { repository } = await withHistory(3)
  admin(repository, ['repack', '-q', '-a', '-d'])
  const [pack, index] = [packFile(repository, '.pack'), packFile(repository, '.idx')]
  chmodSync(index, 0o644)
  admin(repository, ['index-pack', '--index-version=2,0x40', '-o', index, pack])
  const packs = fresh(repository)
  for (const { oid } of listed(repository)) assert.is(encodeObject(...typed(packs.find(oid))).oid, oid)
  packs.close()
})

function typed(found: ReturnType<PackedObjects['find']>): [ObjectType, Buffer] {
  if (found === null || found === 'unsure') throw new Error('it was not found')
  return [found.type, found.content]
}

test('objects are read without a process, except large or very new ones', async () => {
  const { repository, head } = await withHistory()
  const large = await repository.objects.writeBlob(randomBytes(300_000))
  const root = await commit(repository, [head], { 'large.bin': readFileSync(process.execPath).subarray(0, 400_000) })
  await repository.refs.move([{ ref: MAIN, from: head, to: root }], 'edit', anyLease)
  admin(repository, ['pack-objects', '-q', join(repository.path, 'objects/pack/pack')], `${large}\n`)
  admin(repository, ['repack', '-q', '-a', '-d'])
  admin(repository, ['prune-packed'])
  await settle()
  const there = await openAt(place.dir)
  const other = await there.open(`r${count}`)
  const before = there.processesStarted
  const files = await (await other.objects.snapshot(head)).walk()
  assert.is(files.length, 10)
  for (const { oid } of files) await (await other.objects.snapshot(head)).read(oid)
  assert.equal(await other.objects.hasCommit('1'.repeat(40)), false)
  assert.instance(
    await (await other.objects.snapshot(head)).read(files[0]?.oid as string, 5).catch((error) => error),
    ObjectTooLarge,
  )
  assert.is(there.processesStarted, before, 'nothing was started')
  const file = await (await other.objects.snapshot(root)).entry('large.bin')
  assert.is((await (await other.objects.snapshot(root)).read(file?.oid as string)).length, 400_000)
  assert.is(there.processesStarted, before + 1)
  await there.close()
})

test('damaged, truncated and foreign packs are left to Git, and other copies are used', async () => {
  const { repository, head } = await withHistory()
  admin(repository, ['repack', '-q', '-a', '-d', '-f'])
  const all = listed(repository)
  const [pack, index] = [packFile(repository, '.pack'), packFile(repository, '.idx')]
  for (const file of [pack, index]) chmodSync(file, 0o644)
  const [sound, soundIndex] = [readFileSync(pack), readFileSync(index)]
  for (let at = 12; at < sound.length - 20; at += 97) {
    const bytes = Buffer.from(sound)
    bytes[at] = (bytes[at] as number) ^ 0x55
    writeFileSync(pack, bytes)
    const packs = fresh(repository)
    for (const { oid } of all) {
      const found = packs.find(oid)
      if (found !== null && found !== 'unsure' && encodeObject(found.type, found.content).oid !== oid)
        assert.unreachable(`${oid} was read wrongly (byte ${at})`)
      assert.is.not(found, null)
    }
    packs.close()
  }
  writeFileSync(pack, sound)
  for (const length of [0, 11, 40, sound.length >> 1, sound.length - 1]) {
    truncateSync(pack, length)
    const packs = fresh(repository)
    for (const { oid } of all) assert.is(packs.find(oid), 'unsure')
    packs.close()
    writeFileSync(pack, sound)
  }
  for (const length of [0, 7, 500, 1032, soundIndex.length >> 1, soundIndex.length - 1]) {
    truncateSync(index, length)
    const packs = fresh(repository)
    for (const { oid } of all) assert.is(packs.find(oid), 'unsure')
    packs.close()
    writeFileSync(index, soundIndex)
  }
  truncateSync(pack, sound.length >> 1)
  const there = await openAt(place.dir)
  const tree = (await repository.objects.commit(head)).tree
  assert.instance(
    await (await there.open(`r${count}`)).objects
      .tree(tree)
      .walk()
      .catch((error) => error),
    Error,
  )
  writeFileSync(pack, sound)
  assert.is(
    (await (await there.open(`r${count}`)).objects.tree(tree).walk()).length,
    10,
    'as soon as it is there again',
  )
  await there.close()
})

test('packed objects stay readable while an admin repacks, collects garbage and commits', async () => {
  const { repository } = await withHistory(4)
  const expected = new Map(listed(repository).map(({ oid, type }) => [oid, type]))
  let tidying = true
  const git = (...args: string[]) => runGit(repository.path, args).catch(() => '')
  const tidy = async (): Promise<void> => {
    for (let round = 0; round < 24; round++) {
      const old = (await git('rev-parse', MAIN)).trim()
      const next = (await git('commit-tree', '-p', old, '-m', `his ${round}`, `${old}^{tree}`)).trim()
      if (next !== '') await git('update-ref', MAIN, next, old)
      const how = [
        ['repack', '-q', '-a', '-d'],
        ['gc', '--quiet', '--prune=now'],
        ['repack', '-q', '-A', '-d', '-f'],
        ['unpack'],
        ['pack-refs', '--all'],
      ][round % 5] as string[]
      if (how[0] !== 'unpack') await git(...how)
      else await unpackAll(repository)
    }
    tidying = false
  }
  const reader = async (): Promise<number> => {
    let reads = 0
    while (tidying) {
      // Opened again, so that no cache has the results.
      const there = await openAt(place.dir)
      const other = await there.open(`r${count}`)
      for (const [oid, type] of expected) {
        if (type === 'commit') assert.is((await other.objects.commit(oid as CommitId)).id, oid)
        else if (type === 'tree') await other.objects.tree(oid as never).list('')
        else assert.is(encodeObject('blob', await other.objects.tree('' as never).read(oid)).oid, oid)
        reads++
      }
      const head = other.refs.head(MAIN) as CommitId
      assert.is((await (await other.objects.snapshot(head)).walk()).length, 10)
      await there.close()
    }
    return reads
  }
  const [reads] = await Promise.all([reader(), tidy()])
  assert.ok(reads > 300, `${reads} objects were read`)
  assert.instance(await repository.objects.commit('1'.repeat(40) as CommitId).catch((error) => error), MissingObject)
  const lender = await withHistory(1)
  const foreign = admin(lender.repository, ['hash-object', '-w', '--stdin'], 'borrowed')
  writeFileSync(join(repository.path, 'objects/info/alternates'), `${lender.repository.path}/objects\n`)
  assert.is(String(await repository.objects.tree('' as never).read(foreign)), 'borrowed')
})

/** Makes all objects loose again, and deletes the packs. */
async function unpackAll(repository: Repository): Promise<void> {
  const folder = join(repository.path, 'objects/pack')
  const names = readdirSync(folder)
  const beside = mkdtempSync(join(place.dir, 'unpacked-'))
  admin({ path: beside }, ['init', '-q', '--bare', '.'])
  for (const name of names.filter((one) => one.endsWith('.pack')))
    admin({ path: beside }, ['unpack-objects', '-q'], readFileSync(join(folder, name)))
  for (const part of readdirSync(join(beside, 'objects')).filter(isLooseFolder)) {
    mkdirSync(join(repository.path, 'objects', part), { recursive: true })
    for (const name of readdirSync(join(beside, 'objects', part)))
      renameSync(join(beside, 'objects', part, name), join(repository.path, 'objects', part, name))
  }
  for (const name of names) rmSync(join(folder, name))
}

test('the memory for small files, loose or packed, is limited to their bytes', async () => {
  const { repository, head } = await withHistory(3)
  for (const packed of [false, true]) {
    if (packed) admin(repository, ['repack', '-q', '-a', '-d'])
    const there = await openAt(place.dir)
    const snapshot = await (await there.open(`r${count}`)).objects.snapshot(head)
    for (const { oid } of await snapshot.walk()) {
      const bytes = await snapshot.read(oid)
      assert.ok(bytes.buffer.byteLength <= 1.25 * bytes.length, `${bytes.length} bytes keep ${bytes.buffer.byteLength}`)
    }
    await there.close()
  }
})
test.run()
