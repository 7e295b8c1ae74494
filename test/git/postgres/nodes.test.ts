import { existsSync, rmSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { NoRepository, RepositoryExists, StaleRef } from '../../../src/git/index.js'
import { newId, type RefName } from '../../../src/kernel/ids.js'
import { anyLease } from '../../support/lease.js'
import { startPostgres } from '../../support/postgres.js'
import { suite } from '../../support/suite.js'
import { commit, MAIN, person } from '../fixture.js'
import { fsck, type Node, openNode, refsOf, refsOnDisk } from './fixture.js'

const test = suite('repositories that nodes share')
const postgres = await startPostgres()
test.after(() => postgres.close())

const url = await postgres.database()
const [a, b, c] = [await openNode(url), await openNode(url), await openNode(url)]
test.after(() => Promise.all([a, b, c].map((node) => node.close())))

/** A repository with one commit on main, created on node a. */
async function begin(name = newId(), on = a) {
  const repository = await on.git.create(name)
  const first = await commit(repository, [], { 'README.md': '# Hello\n', 'guide/a.md': 'A\n' })
  await repository.refs.move([{ ref: MAIN, from: null, to: first }], 'create space', anyLease)
  return { name, repository, first }
}

const textOf = async (node: Node, name: string, path: string): Promise<string> => {
  const repository = await node.git.open(name)
  const snapshot = await repository.objects.snapshot(repository.refs.head(MAIN) as never)
  return (await snapshot.read((await snapshot.entry(path))?.oid ?? '')).toString()
}

test('other nodes read the writes of one node and have them on disk as plain Git has them', async () => {
  const { name, repository, first } = await begin()
  assert.is((await b.git.open(name)).refs.head(MAIN), first)
  assert.is(await textOf(b, name, 'guide/a.md'), 'A\n')
  const second = await commit(repository, [first], { 'guide/a.md': 'AA\n' })
  await repository.refs.move([{ ref: MAIN, from: first, to: second }], 'edit', anyLease)
  const there = await b.git.open(name)
  assert.is(there.refs.head(MAIN), second)
  assert.is(await textOf(b, name, 'guide/a.md'), 'AA\n')
  const third = await commit(there, [second], { 'b.md': 'B\n' })
  await there.refs.move([{ ref: MAIN, from: second, to: third }], 'edit', anyLease)
  assert.is(await textOf(a, name, 'b.md'), 'B\n')
  for (const node of [a, b, c]) {
    await node.git.refresh(name)
    assert.equal(refsOnDisk(node, name), { [MAIN]: third })
    assert.is(fsck(node, name), '')
    assert.equal(node.aside, [])
    assert.equal(node.notices, [])
  }
})

test('an empty commit is complete on every node', async () => {
  const { name, repository, first } = await begin()
  const empty = await commit(repository, [first], { 'README.md': null, 'guide/a.md': null })
  await repository.refs.move([{ ref: MAIN, from: first, to: empty }], 'edit', anyLease)
  for (const node of [a, b, c]) {
    await node.git.refresh(name)
    assert.is(refsOnDisk(node, name)[MAIN], empty)
    assert.is(fsck(node, name), '')
  }
})

test('of two nodes that move one ref, one succeeds and the other gets the new value', async () => {
  const { name, first } = await begin()
  const both = await Promise.all([a, b].map((node) => node.git.open(name)))
  const commits = await Promise.all(both.map((one, n) => commit(one, [first], { 'a.md': `${n}` })))
  const ends = await Promise.allSettled(
    both.map((one, n) => one.refs.move([{ ref: MAIN, from: first, to: commits[n] ?? null }], 'edit', anyLease)),
  )
  assert.is(ends.filter(({ status }) => status === 'fulfilled').length, 1)
  const winner = commits[ends.findIndex(({ status }) => status === 'fulfilled')]
  const lost = ends.find((one) => one.status === 'rejected') as PromiseRejectedResult
  assert.instance(lost.reason, StaleRef)
  assert.is(lost.reason.actual, winner)
  // The node that lost knows the current value of the ref at once.
  for (const one of both) assert.is(one.refs.head(MAIN), winner)
})

test('several refs are moved together or not at all, and conflicting names are rejected', async () => {
  const { name, repository, first } = await begin()
  const [one, two] = ['refs/heads/change-requests/1', 'refs/heads/change-requests/2'] as RefName[]
  const moves = [
    { ref: one as RefName, from: null, to: first },
    { ref: two as RefName, from: first, to: first },
  ]
  assert.instance(await repository.refs.move(moves, 'x', anyLease).catch((error: unknown) => error), StaleRef)
  assert.equal(Object.keys(await refsOf(b, name)), [MAIN])
  await repository.refs.move([{ ref: one as RefName, from: null, to: first }], 'x', anyLease)
  for (const ref of ['refs/heads/change-requests', 'refs/heads/change-requests/1/x'] as RefName[])
    assert.match(
      String(
        await repository.refs.move([{ ref, from: null, to: first }], 'x', anyLease).catch((error: unknown) => error),
      ),
      /cannot also be a folder/,
    )
  await (await b.git.open(name)).refs.move([{ ref: one as RefName, from: first, to: null }], 'x', anyLease)
  await repository.refs
    .move([{ ref: 'refs/heads/change-requests' as RefName, from: null, to: first }], 'x', anyLease)
    .catch(() => {})
  await a.git.refresh(name)
  await b.git.refresh(name)
  assert.equal(refsOnDisk(a, name), refsOnDisk(b, name))
  assert.equal(a.notices, [])
})

test('merges, drafts and staged commits are published with all their objects', async () => {
  const { name, repository, first } = await begin()
  const topic = 'refs/heads/change-requests/1' as RefName
  const staging = repository.objects.stage()
  const write = (parent: typeof first, path: string) =>
    staging.write({
      parents: [parent],
      changes: [{ path, content: Buffer.from(`${path}\n`) }],
      message: path,
      author: person,
      committer: person,
    })
  const one = await write(first, 'x/1.md')
  const two = await write(one, 'x/2.md')
  await staging.settle()
  await repository.refs.move([{ ref: topic, from: null, to: two }], 'new change request', anyLease)
  const there = await b.git.open(name)
  const mine = await commit(there, [first], { 'y.md': 'y\n' })
  await there.refs.move([{ ref: MAIN, from: first, to: mine }], 'edit', anyLease)
  const here = await a.git.open(name)
  const merged = await here.trees.merge({ ours: mine, theirs: two })
  assert.ok(merged.clean)
  if (!merged.clean) return
  const tree = await here.trees.draft(merged.tree, [{ path: 'z.md', content: Buffer.from('z\n') }])
  const merge = await here.objects.write({
    parents: [mine, two],
    tree,
    changes: [],
    message: 'Merge',
    author: person,
    committer: person,
  })
  await here.refs.move([{ ref: MAIN, from: mine, to: merge }], 'merge', anyLease)
  for (const path of ['x/1.md', 'x/2.md', 'y.md', 'z.md'])
    assert.is(await textOf(c, name, path), `${path.replace(/^(?:y|z)\.md$/, (p) => p.slice(0, 1))}\n`)
  await c.git.refresh(name)
  assert.is(fsck(c, name), '')
})

test('a node whose disk was wiped, even while it runs, reads everything again', async () => {
  const { name, first } = await begin()
  assert.is((await b.git.open(name)).refs.head(MAIN), first)
  rmSync(b.path(name), { recursive: true })
  assert.is(await textOf(b, name, 'guide/a.md'), 'A\n')
  await b.git.refresh(name)
  assert.is(fsck(b, name), '')
  assert.equal(refsOnDisk(b, name), { [MAIN]: first })
})

test('a repository that one node removes disappears from all nodes and their disks', async () => {
  const { name, first } = await begin()
  const open = await b.git.open(name)
  await c.git.open(name)
  await a.git.remove(name)
  assert.not.ok(existsSync(a.path(name)))
  assert.instance(await a.git.remove(name).catch((error: unknown) => error), NoRepository)
  assert.instance(
    await open.refs.move([{ ref: MAIN, from: first, to: null }], 'x', anyLease).catch((error: unknown) => error),
    NoRepository,
  )
  assert.instance(await b.git.open(name).catch((error: unknown) => error), NoRepository)
  assert.not.ok(existsSync(b.path(name)))
  assert.is(open.refs.head(MAIN), null)
  assert.not.ok(await c.git.exists(name))
  await c.git.trimScratches()
  assert.not.ok(existsSync(c.path(name)))
  const again = await begin(name, b)
  assert.is(await textOf(c, name, 'guide/a.md'), 'A\n')
  assert.instance(await a.git.create(again.name).catch((error: unknown) => error), RepositoryExists)
})

test("a duplicate has the source's content on all nodes, but none of its change requests", async () => {
  const { name, repository, first } = await begin()
  const topic = 'refs/heads/change-requests/1' as RefName
  await repository.refs.move([{ ref: topic, from: null, to: first }], 'x', anyLease)
  const there = await b.git.open(name)
  const second = await commit(there, [first], { 'b.md': 'B\n' })
  await there.refs.move([{ ref: MAIN, from: first, to: second }], 'edit', anyLease)
  const to = newId()
  const copy = await a.git.duplicate(name, to)
  assert.equal(Object.fromEntries(await copy.refs.list('refs/')), { [MAIN]: second })
  assert.is(await textOf(b, to, 'b.md'), 'B\n')
  for (const node of [a, b]) {
    await node.git.refresh(to)
    assert.equal(refsOnDisk(node, to), { [MAIN]: second })
    assert.is(fsck(node, to), '')
  }
  await a.git.remove(name)
  assert.is(await textOf(c, to, 'b.md'), 'B\n')
  assert.instance(await a.git.duplicate(name, newId()).catch((error: unknown) => error), NoRepository)
})

test.run()
