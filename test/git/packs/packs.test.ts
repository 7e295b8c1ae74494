import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  chmodSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { LostObject, type Repository } from '../../../src/git/index.js'
import { type Disk, disk } from '../../../src/git/objects/disk.js'
import { encodeObject, type ObjectType } from '../../../src/git/objects/hash.js'
import { entriesOf, packEntry } from '../../../src/git/objects/pack-format.js'
import { writePack } from '../../../src/git/objects/pack-writer.js'
import { joinPacks, smallPacksIn } from '../../../src/git/objects/small-packs.js'
import { BareRepository } from '../../../src/git/repository.js'
import type { CommitId } from '../../../src/kernel/ids.js'
import { anyLease } from '../../support/lease.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, files, MAIN, makePlace, person, repackedMeanwhile, unprotected } from '../fixture.js'

const [test, place] = await suiteWith('git packs', makePlace, clear)
const folder = (repository: Repository): string => join(repository.path, 'objects/pack')
const packs = (repository: Repository): string[] =>
  readdirSync(folder(repository)).filter((name) => name.endsWith('.pack'))
const looseCount = (repository: Repository): number =>
  Number(/^count: (\d+)/m.exec(admin(repository, ['count-objects', '-v']))?.[1])

/** A chain of commits that become durable together. */
async function batch(
  repository: Repository,
  parent: CommitId | null,
  texts: Record<string, string>[],
): Promise<CommitId[]> {
  const staging = repository.objects.stage()
  const made: CommitId[] = []
  for (const one of texts) {
    const parents = [made.at(-1) ?? parent].filter((id) => id !== null)
    made.push(await staging.write({ parents, changes: files(one), message: 'Edit', author: person, committer: person }))
  }
  await staging.settle()
  return made
}

test('a batch is one pack with the index that Git would write, and Git verifies it', async () => {
  const repository = await place.git.create('batch')
  const [first, , last] = await batch(repository, null, [
    { 'a/b.md': 'one' },
    { 'a/b.md': 'two', 'c.md': 'c' },
    { 'd.md': 'd' },
  ])
  const [pack] = packs(repository) as [string]
  assert.is(packs(repository).length, 1)
  assert.is(looseCount(repository), 0)
  const [from, copy] = [join(folder(repository), pack), join(place.dir, 'copy.pack')]
  copyFileSync(from, copy)
  admin(repository, ['index-pack', '--index-version=2', '--no-rev-index', copy])
  assert.ok(readFileSync(copy.replace(/pack$/, 'idx')).equals(readFileSync(from.replace(/pack$/, 'idx'))))
  admin(repository, ['verify-pack', from])
  assert.is(statSync(from).mode & 0o777, 0o444)
  await repository.refs.move([{ ref: MAIN, from: null, to: last as CommitId }], 'begin', anyLease)
  assert.equal(await repository.upkeep.check(), [])
  assert.is(admin(repository, ['show', `${first}:a/b.md`]), 'one')
})

test('Git reads entries of every size and type', async () => {
  const repository = await place.git.create('sizes')
  const sizes = [0, 1, 15, 16, 17, 2047, 2048, 2049, 262_143, 262_144, 300_000]
  const objects = [
    ...sizes.map((size) => encodeObject('blob', randomBytes(size))),
    // Trees and commits are stored uncompressed up to 1,024 bytes.
    ...[0, 1, 1023, 1024, 1025, 5000].flatMap((size) => [
      encodeObject('tree', randomBytes(size)),
      encodeObject('commit', Buffer.alloc(size, 0xff)),
    ]),
    encodeObject('tag', Buffer.from(`object ${'0'.repeat(40)}\ntype blob\ntag x\ntagger A <a@b.c> 0 +0000\n\nx\n`)),
  ]
  const entries = await Promise.all(
    objects.map(async (object) => ({ oid: object.oid, bytes: await packEntry(object) })),
  )
  const { name, bytes } = await writePack(disk, folder(repository), entries.length, entries)
  assert.is(statSync(join(folder(repository), name)).size, bytes)
  admin(repository, ['verify-pack', join(folder(repository), name)])
  const typeOf = ({ header }: { header: Buffer }): ObjectType => header.toString('latin1').split(' ')[0] as ObjectType
  for (const object of objects)
    assert.is(
      admin(repository, ['cat-file', '--batch-check'], `${object.oid}\n`),
      `${object.oid} ${typeOf(object)} ${object.content.length}`,
      String(object.content.length),
    )
  const read = entriesOf(
    readFileSync(join(folder(repository), name)),
    readFileSync(join(folder(repository), name.replace(/pack$/, 'idx'))),
  )
  assert.equal(read, entries)
})

test('many batches leave few packs, and readers lose nothing', async () => {
  const repository = await place.git.create('many')
  const other = (await makePlace({ reposDir: place.dir })).git
  const reader = await other.open('many')
  const all: CommitId[] = []
  for (let round = 0; round < 300; round++) {
    const made = await batch(repository, all.at(-1) ?? null, [
      { [`${round % 7}/${round}.md`]: `${round}` },
      { [`${round % 7}/${round}.md`]: `${round}, again` },
    ])
    await repository.refs.move([{ ref: MAIN, from: all.at(-1) ?? null, to: made[1] as CommitId }], 'edit', anyLease)
    all.push(...made)
    if (round % 10 === 0)
      assert.is((await (await reader.objects.snapshot(made[0] as CommitId)).walk()).length, round + 1)
  }
  assert.ok(repository instanceof BareRepository)
  await repository.parts.writer.deletingPacks(async () => {})
  assert.ok(packs(repository).length < 35, `${packs(repository).length} packs`)
  for (const name of packs(repository)) admin(repository, ['verify-pack', join(folder(repository), name)])
  assert.equal(await repository.upkeep.check(), [])
  assert.is(Number(admin(repository, ['rev-list', '--count', MAIN])), 600)
  for (const id of all) assert.ok(await reader.objects.hasCommit(id))
  await repository.upkeep.maintain()
  assert.ok(packs(repository).length <= 2, `${packs(repository).length} packs after maintenance`)
  assert.equal(await repository.upkeep.check(), [])
  assert.is((await batch(repository, all.at(-1) as CommitId, [{ a: '1' }, { a: '2' }])).length, 2)
  await other.close()
})

test('writes do not wait for the deletion of joined packs, until too many are left', async () => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const slow: Disk = {
    ...disk,
    unlink: async (path) => {
      if (/\.(?:pack|idx)$/.test(path)) await released
      await disk.unlink(path)
    },
  }
  const other = await makePlace({ disk: slow })
  try {
    const repository = await other.git.create('slow')
    let head: CommitId | null = null
    let written = 0
    const writing = (async () => {
      for (; written < 200; written++) {
        const [made] = (await batch(repository, head, [{ 'a.md': `${written}` }])) as [CommitId]
        await repository.refs.move([{ ref: MAIN, from: head, to: made }], 'edit', anyLease)
        head = made
      }
    })()
    for (let before = -1; written > before; ) {
      before = written
      await Promise.race([writing, setTimeout(1000)])
    }
    assert.ok(written > 60 && written < 120, `${written} writes while nothing could be deleted`)
    release()
    await writing
    await repository.upkeep.maintain()
    assert.equal(await repository.upkeep.check(), [])
    assert.ok(packs(repository).length <= 2, `${packs(repository).length} packs after maintenance`)
  } finally {
    release()
    await clear(other)
  }
})

test('a missing pack is noticed, and no commit is based on its commits', async () => {
  const repository = await place.git.create('gone')
  const [, last] = await batch(repository, null, [{ 'a/b.md': '1' }, { 'a/b.md': '2', c: 'c' }])
  const hidden = packs(repository).map((name) => join(folder(repository), name))
  for (const path of hidden) unlinkSync(path)
  const outcomes = await Promise.allSettled([
    repository.refs.move([{ ref: MAIN, from: null, to: last as CommitId }], 'begin', anyLease),
    batch(repository, last as CommitId, [{ d: 'd' }]),
  ])
  for (const one of outcomes) assert.instance(one.status === 'rejected' && one.reason, LostObject)
})

test("an admin's repack does not delete a pack before refs name its commits", async () => {
  const repacked = repackedMeanwhile()
  const other = await makePlace({ disk: repacked.disk })
  const repository = await other.git.create('repacked')
  let head: CommitId | null = null
  // This many, so that small packs are joined, too.
  for (let round = 0; round < 20; round++) {
    const [, last]: CommitId[] = await batch(repository, head, [
      { 'a/b.md': `${round}` },
      { 'a/b.md': `${round}, again`, c: `${round}` },
    ])
    await repository.refs.move([{ ref: MAIN, from: head, to: last as CommitId }], 'edit', anyLease)
    head = last as CommitId
  }
  assert.ok(repacked.repacks >= 40)
  await unprotected(repository)
  assert.equal(await repository.upkeep.check(), [])
  assert.is(Number(admin(repository, ['rev-list', '--count', '--objects', MAIN])), 20 * 8)
  await clear(other)
})

test('an object with a damaged loose file is written loose again, not into a pack', async () => {
  const repository = await place.git.create('damaged')
  const oid = admin(repository, ['hash-object', '-w', '--stdin'], 'same')
  const path = join(repository.path, 'objects', oid.slice(0, 2), oid.slice(2))
  chmodSync(path, 0o644)
  truncateSync(path, 0)
  const [, last] = await batch(repository, null, [{ 'a/b.md': '1' }, { 'a/b.md': 'same', c: 'c' }])
  await repository.refs.move([{ ref: MAIN, from: null, to: last as CommitId }], 'begin', anyLease)
  assert.is(packs(repository).length, 1)
  assert.ok(statSync(path).size > 0)
  assert.equal(await repository.upkeep.check(), [])
})

test('packs with deltas, foreign packs and damaged packs are not joined', async () => {
  const repository = await place.git.create('others')
  const long = randomBytes(20_000).toString('hex')
  const made = await batch(repository, null, [{ a: long }, { a: `${long}.` }, { a: `${long}..` }])
  await repository.refs.move([{ ref: MAIN, from: null, to: made[2] as CommitId }], 'begin', anyLease)
  await unprotected(repository)
  admin(repository, ['repack', '-q', '-a', '-d', '-f'])
  const [deltas] = packs(repository) as [string]
  let head = made[2] as CommitId
  for (let round = 0; round < 4; round++) {
    const [, last] = await batch(repository, head, [{ [`x/${round}`]: '1' }, { [`x/${round}`]: '2', y: String(round) }])
    await repository.refs.move([{ ref: MAIN, from: head, to: last as CommitId }], 'edit', anyLease)
    head = last as CommitId
  }
  await unprotected(repository)
  const [kept, damaged, ...rest] = packs(repository).filter((name) => name !== deltas) as [
    string,
    string,
    string,
    string,
  ]
  writeFileSync(join(folder(repository), kept.replace(/pack$/, 'keep')), '')
  chmodSync(join(folder(repository), damaged), 0o644)
  const whole = readFileSync(join(folder(repository), damaged))
  const broken = Buffer.from(whole)
  broken.writeUInt8((broken[30] as number) ^ 0xff, 30)
  writeFileSync(join(folder(repository), damaged), broken)
  await joinPacks(disk, folder(repository), await smallPacksIn(folder(repository)))
  for (const name of [deltas, kept, damaged]) assert.ok(existsSync(join(folder(repository), name)), name)
  for (const name of rest) assert.not(existsSync(join(folder(repository), name)), name)
  assert.is(packs(repository).length, 4)
  writeFileSync(join(folder(repository), damaged), whole)
  assert.equal(await repository.upkeep.check(), [])
})

test('a pack that disappears during the search for small packs is not joined', async () => {
  const repository = await place.git.create('going')
  const made = await batch(repository, null, [{ a: '1' }])
  await repository.refs.move([{ ref: MAIN, from: null, to: made[0] as CommitId }], 'begin', anyLease)
  await unprotected(repository)
  const before = packs(repository)
  // It is listed, but does not exist.
  symlinkSync('nowhere', join(folder(repository), 'pack-0.pack'))
  writeFileSync(join(folder(repository), 'pack-0.idx'), '')
  assert.equal(await smallPacksIn(folder(repository)), before)
})

test.run()
