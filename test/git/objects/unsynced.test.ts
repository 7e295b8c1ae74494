import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync, chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { LostObject, type Repository } from '../../../src/git/index.js'
import { disk } from '../../../src/git/objects/disk.js'
import type { CommitId, RefName, TreeId } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, files, MAIN, makePlace, openAt, person, unprotected } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('unsynced objects', makePlace, clear)
let count = 0
const fresh = (): Promise<Repository> => place.git.create(`r${++count}`)
const text = (first: string, last: string): string => `${first}\n${'same\n'.repeat(20)}${last}\n`
const objectFile = (repository: Repository, oid: string): string =>
  join(repository.path, 'objects', oid.slice(0, 2), oid.slice(2))
const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

function listed(repository: Repository): string[] {
  return (readdirSync(join(repository.path, 'objects'), { recursive: true }) as string[]).sort()
}

/** An empty file in place of an object, which a power cut leaves if the object was never synced. */
function empty(repository: Repository, oid: string): void {
  mkdirSync(dirname(objectFile(repository, oid)), { recursive: true })
  if (existsSync(objectFile(repository, oid))) chmodSync(objectFile(repository, oid), 0o644)
  writeFileSync(objectFile(repository, oid), '')
}

async function sides(repository: Repository): Promise<{ root: CommitId; ours: CommitId; theirs: CommitId }> {
  const root = await commit(repository, [], { 'a/x.md': text('1', '2'), 'b.md': 'b' })
  return {
    root,
    ours: await commit(repository, [root], { 'a/x.md': text('ours', '2') }),
    theirs: await commit(repository, [root], { 'a/x.md': text('1', 'theirs') }),
  }
}
const take = (repository: Repository, parents: CommitId[], tree: TreeId): Promise<CommitId> =>
  repository.objects.write({ parents, tree, changes: [], message: 'Merge', author: person, committer: person })

test('a merge preview writes nothing to the repository', async () => {
  const repository = await fresh()
  const { root, ours, theirs } = await sides(repository)
  const other = await commit(repository, [root], { 'a/x.md': text('other', '2') })
  const before = listed(repository)
  const clean = await repository.trees.merge({ ours, theirs })
  const conflict = await repository.trees.merge({ ours, theirs: other })
  const based = await repository.trees.merge({ ours, theirs, base: root })
  assert.equal([clean.clean, conflict.clean, based.clean], [true, false, true])
  const file = await repository.objects.tree(clean.tree).entry('a/x.md')
  assert.is(String(await repository.objects.tree(clean.tree).read(file?.oid as string)), text('ours', 'theirs'))
  const drafted = await repository.trees.draft(conflict.tree, files({ 'a/x.md': 'resolved', 'new.md': 'n' }))
  assert.equal(
    (await repository.objects.tree(drafted).walk()).map(({ path }) => path),
    ['a/x.md', 'b.md', 'new.md'],
  )
  assert.equal(listed(repository), before)
  const id = await take(repository, [ours, other], drafted)
  assert.is(admin(repository, ['show', `${id}:a/x.md`]), 'resolved')
  await repository.refs.move([{ ref: MAIN, from: null, to: id }], 'merge', anyLease)
  assert.equal(await repository.upkeep.check(), [])
})

test('a merge writes its objects again if the repository has empty files for them', async () => {
  for (const which of ['tree', 'folder', 'blob'] as const) {
    const repository = await fresh()
    const { ours, theirs } = await sides(repository)
    const tree = admin(repository, ['merge-tree', '--write-tree', ours, theirs]) as TreeId
    const oid =
      which === 'tree' ? tree : admin(repository, ['rev-parse', `${tree}:${which === 'folder' ? 'a' : 'a/x.md'}`])
    empty(repository, oid)
    const merged = await repository.trees.merge({ ours, theirs })
    assert.equal(merged, { clean: true, tree })
    const id = await take(repository, [ours, theirs], merged.tree)
    await repository.refs.move([{ ref: MAIN, from: null, to: id }], 'merge', anyLease)
    assert.equal(await repository.upkeep.check(), [], which)
    assert.is(admin(repository, ['show', `${id}:a/x.md`]), text('ours', 'theirs').trimEnd())
  }
})

test('a reused object is verified, and an empty or damaged one is written again', async () => {
  const repository = await fresh()
  for (const content of ['kept in a pack', 'kept in memory']) await repository.objects.writeBlob(Buffer.from(content))
  const root = await commit(repository, [], { 'a.md': 'kept in a pack', 'b.md': 'kept in memory' })
  await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'begin', anyLease)
  const [packed, read] = ['a.md', 'b.md'].map((path) => admin(repository, ['rev-parse', `${root}:${path}`])) as [
    string,
    string,
  ]
  const again = await openAt(place.dir)
  const other = await again.open(`r${count}`)
  admin(other, ['repack', '-q', '-a'])
  empty(other, packed)
  assert.is(String(await (await other.objects.snapshot(root)).read(read)), 'kept in memory')
  chmodSync(objectFile(other, read), 0o644)
  writeFileSync(objectFile(other, read), readFileSync(objectFile(other, read)).subarray(0, 9))
  const changes = [
    { path: 'moved/a.md', oid: packed },
    { path: 'moved/b.md', oid: read },
  ]
  const next = await other.objects.write({
    parents: [root],
    changes,
    message: 'Move',
    author: person,
    committer: person,
  })
  await other.refs.move([{ ref: MAIN, from: root, to: next }], 'edit', anyLease)
  assert.equal(await other.upkeep.check(), [])
  assert.ok(statSync(objectFile(other, packed)).size > 0)
  await again.close()
})

test('an object that an admin pruned is written again from memory or rejected', async () => {
  const repository = await fresh()
  const root = await commit(repository, [], { 'a.md': 'a' })
  await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'begin', anyLease)
  const gone = await commit(repository, [root], {
    'old/page.md': 'an old text',
    'old/large.bin': Buffer.alloc(600_000, 'x'),
  })
  const snapshot = await repository.objects.snapshot(gone)
  const [page, large] = [
    (await snapshot.entry('old/page.md'))?.oid as string,
    (await snapshot.entry('old/large.bin'))?.oid as string,
  ]
  await snapshot.read(page)
  await snapshot.sizes([page, large])
  const tree = (await repository.objects.commit(gone)).tree
  // A write under way would be protected.
  const side = 'refs/heads/side' as RefName
  await repository.refs.move([{ ref: side, from: null, to: gone }], 'begin', anyLease)
  await repository.refs.move([{ ref: side, from: gone, to: null }], 'delete', anyLease)
  await unprotected(repository)
  for (const args of [
    ['reflog', 'expire', '--expire=now', '--all'],
    ['gc', '--quiet', '--prune=now'],
  ])
    admin(repository, args)
  const name = (path: string, oid: string) => ({
    parents: [root],
    changes: [{ path, oid }],
    message: 'Revert',
    author: person,
    committer: person,
  })
  const next = await repository.objects.write(name('page.md', page))
  await repository.refs.move([{ ref: MAIN, from: root, to: next }], 'edit', anyLease)
  assert.equal(await repository.upkeep.check(), [])
  assert.instance(await thrown(repository.objects.write(name('large.bin', large))), LostObject)
  assert.instance(await thrown(take(repository, [next], tree)), LostObject)
  assert.instance(await thrown(commit(repository, [gone], { 'b.md': 'b' })), LostObject, 'a commit on one that is gone')
  assert.instance(
    await thrown(repository.refs.move([{ ref: MAIN, from: next, to: gone }], 'restore', anyLease)),
    LostObject,
    'a ref to one that is gone',
  )
  assert.equal(await repository.upkeep.check(), [])
})

test('a deleted pack does not count, even if a process has it open', async () => {
  const repository = await fresh()
  const root = await commit(repository, [], { 'a.md': 'a' })
  await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'begin', anyLease)
  const blob = await repository.objects.writeBlob(Buffer.from('packed, then pruned'))
  const pack = admin(repository, ['pack-objects', '-q', join(repository.path, 'objects/pack/pack')], `${blob}\n`)
  admin(repository, ['prune-packed', '-q'])
  const put = (path: string) => ({
    parents: [root],
    changes: [{ path, oid: blob }],
    message: 'Use',
    author: person,
    committer: person,
  })
  const there = await openAt(place.dir)
  const other = await there.open(`r${count}`)
  const used = await other.objects.write(put('used.md'))
  assert.is(admin(repository, ['show', `${used}:used.md`]), 'packed, then pruned')
  for (const end of ['pack', 'idx']) await disk.unlink(join(repository.path, `objects/pack/pack-${pack}.${end}`))
  const again = await other.objects.write(put('again.md'))
  assert.is(
    admin(repository, ['show', `${again}:again.md`]),
    'packed, then pruned',
    'written again, from where it could still be read',
  )
  await there.close()
})

test("another user's file stays while it is new, and is written again when it is old", async () => {
  const other = await makePlace({
    disk: {
      ...disk,
      utimes: () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' })),
    },
  })
  try {
    const repository = await other.git.create('space')
    for (const content of ['a', 'b']) await repository.objects.writeBlob(Buffer.from(content))
    const root = await commit(repository, [], { 'a.md': 'a', 'b.md': 'b' })
    await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'begin', anyLease)
    const [young, old] = ['a.md', 'b.md'].map((path) => admin(repository, ['rev-parse', `${root}:${path}`])) as [
      string,
      string,
    ]
    const [was, long] = [statSync(objectFile(repository, young)).ino, statSync(objectFile(repository, old)).ino]
    await disk.utimes(objectFile(repository, old), Date.now() / 1000 - 30 * 86_400)
    const changes = [young, old].map((oid) => ({ path: `moved/${oid}.md`, oid }))
    await repository.objects.write({ parents: [root], changes, message: 'Move', author: person, committer: person })
    assert.is(statSync(objectFile(repository, young)).ino, was)
    assert.is.not(statSync(objectFile(repository, old)).ino, long)
    assert.ok(statSync(objectFile(repository, old)).mtimeMs > Date.now() - 60_000)
  } finally {
    await clear(other)
  }
})
test.run()
