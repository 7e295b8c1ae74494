import { randomBytes } from 'node:crypto'
import { getPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import type { MergeOutcome, Repository } from '../../../src/git/index.js'
import { MissingObject } from '../../../src/git/index.js'
import type { CommitId, TreeId } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, person, processesOf } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

let repository: Repository
const [test, place] = await suiteWith('git merge', makePlace, clear)
test.before(async () => {
  repository = await place.git.create('space')
})

type Texts = Record<string, string | Uint8Array | null>
const lines = (...changed: string[]): string =>
  Array.from({ length: 20 }, (_, n) => changed[n] ?? `line ${n}`).join('\n')
/** Merges two edits of one base. */
async function mergeOf(base: Texts, ours: Texts, theirs: Texts): Promise<MergeOutcome> {
  const root = await commit(repository, [], base)
  return repository.trees.merge({
    ours: await commit(repository, [root], ours),
    theirs: await commit(repository, [root], theirs),
  })
}
const kinds = (outcome: MergeOutcome): string[] =>
  outcome.clean ? [] : outcome.conflicts.map(({ path, kind }) => `${kind} ${path}`)

test('a clean merge is a valid commit that survives a garbage collection', async () => {
  const root = await commit(repository, [], { 'a/x.md': lines(), 'b.md': '1' })
  const [ours, theirs] = [
    await commit(repository, [root], { 'a/x.md': lines('changed') }),
    await commit(repository, [root], { 'a/x.md': `${lines()}\nend`, 'c.md': '3' }),
  ]
  const merged = await repository.trees.merge({ ours, theirs })
  assert.ok(merged.clean)
  const id = await repository.objects.write({
    parents: [ours, theirs],
    tree: merged.tree,
    changes: [],
    message: 'Merge',
    author: person,
    committer: person,
  })
  await repository.refs.move([{ ref: MAIN, from: null, to: id }], 'merge', anyLease)
  assert.is(admin(repository, ['show', `${id}:a/x.md`]), `${lines('changed')}\nend`)
  assert.is(admin(repository, ['show', `${id}:c.md`]), '3')
  assert.equal(await repository.upkeep.check(), [])
})

test('conflicts are reported by kind, with the stages', async () => {
  const content = await mergeOf({ a: lines() }, { a: lines('ours') }, { a: lines('theirs') })
  assert.equal(kinds(content), ['content a'])
  const [conflict] = content.clean ? [] : content.conflicts
  assert.is(
    await (await repository.objects.snapshot(await commit(repository, [], { z: '' })))
      .read(conflict?.theirs?.oid ?? '')
      .then(String),
    lines('theirs'),
  )
  assert.equal(kinds(await mergeOf({ a: lines(), b: '' }, { a: null }, { a: lines('theirs') })), ['modify/delete a'])
  assert.equal(kinds(await mergeOf({ z: '' }, { a: 'one\n' }, { a: 'two\n' })), ['add/add a'])
  const binary = () => Buffer.concat([Buffer.from([0, 1, 2]), randomBytes(50)])
  assert.equal(kinds(await mergeOf({ a: binary() }, { a: binary() }, { a: binary() })), ['binary a'])
  assert.equal(kinds(await mergeOf({ z: '' }, { a: 'file' }, { 'a/b': 'in a folder' })), ['file/directory a'])
  const renamed = await mergeOf({ a: lines() }, { a: null, ours: lines() }, { a: null, theirs: lines() })
  assert.equal(kinds(renamed).sort(), ['rename a', 'rename ours', 'rename theirs'])
})

const namesOf = async (tree: TreeId): Promise<string[]> =>
  (await repository.objects.tree(tree).walk()).map(({ path }) => path)

test('a rename on one side and an edit on the other merge, but folder renames do not spread', async () => {
  const merged = await mergeOf(
    { 'old/a': lines(), 'old/b': lines('b') },
    { 'old/a': null, 'new/a': lines(), 'old/b': null, 'new/b': lines('b') },
    { 'old/a': lines('edited'), 'old/c': 'new' },
  )
  assert.ok(merged.clean)
  assert.equal(await namesOf(merged.tree), ['new/a', 'new/b', 'old/c'])
  const edited = (await repository.objects.tree(merged.tree).entry('new/a'))?.oid as string
  assert.is(String(await repository.objects.tree(merged.tree).read(edited)), lines('edited'))
})

test('criss-cross histories merge', async () => {
  const root = await commit(repository, [], { a: lines(), b: lines() })
  const [x, y] = [
    await commit(repository, [root], { a: lines('x') }),
    await commit(repository, [root], { b: lines('y') }),
  ]
  const both = { a: lines('x'), b: lines('y') }
  const [p, q] = [await commit(repository, [x, y], both), await commit(repository, [y, x], both)]
  const merged = await repository.trees.merge({
    ours: await commit(repository, [p], { c: 'p' }),
    theirs: await commit(repository, [q], { d: 'q' }),
  })
  assert.ok(merged.clean)
  assert.equal(await namesOf(merged.tree), ['a', 'b', 'c', 'd'])
})

test('a given merge base replaces the one in the history', async () => {
  const base = await commit(repository, [], { a: lines(), leaked: 'key' })
  const ours = await commit(repository, [base], { b: 'ours' })
  const rewritten = await commit(repository, [], { a: lines('rewritten') })
  const plain = await repository.trees.merge({ ours, theirs: rewritten })
  assert.equal(kinds(plain), ['add/add a'])
  const merged = await repository.trees.merge({ ours, theirs: rewritten, base })
  assert.ok(merged.clean)
  assert.equal(await namesOf(merged.tree), ['a', 'b'])
})

test('a missing commit fails only its own merge', async () => {
  const ours = await commit(repository, [], { a: '1' })
  for (const theirs of ['1'.repeat(40), 'HEAD', '--help\n'] as CommitId[]) {
    const error = await repository.trees.merge({ ours, theirs }).catch((thrown: unknown) => thrown)
    assert.instance(error, MissingObject)
  }
  assert.ok((await repository.trees.merge({ ours, theirs: ours })).clean)
})

test('concurrent merges do not affect each other', async () => {
  const root = await commit(repository, [], { a: lines() })
  const sides = await Promise.all(
    Array.from({ length: 10 }, (_, n) => commit(repository, [root], { [`n${n}`]: String(n) })),
  )
  const trees = await Promise.all(
    sides.map((theirs, n) => repository.trees.merge({ ours: sides[(n + 1) % 10] as CommitId, theirs })),
  )
  for (const [n, { tree }] of trees.entries())
    assert.equal(await namesOf(tree), ['a', `n${n}`, `n${(n + 1) % 10}`].sort())
})

test('a long merge gets a low priority, and the next one uses a new process', async () => {
  const own = await place.git.create('long')
  const root = await commit(own, [], { a: lines() })
  const ours = await commit(own, [root], { a: lines('ours') })
  const theirs = await commit(own, [root], { a: `${lines()}\nend` })
  const merged = await own.trees.merge({ ours, theirs })
  const [pid] = processesOf(own, 'merge-tree')
  assert.is(getPriority(pid), 0)
  // A stopped process behaves like one that takes long.
  process.kill(pid as number, 'SIGSTOP')
  const long = own.trees.merge({ ours: theirs, theirs: ours })
  while (getPriority(pid) === 0) await wait(20)
  process.kill(pid as number, 'SIGCONT')
  assert.is((await long).tree, merged.tree)
  assert.equal(await own.trees.merge({ ours, theirs }), merged)
  const [next] = processesOf(own, 'merge-tree').filter((one) => one !== pid)
  assert.is(getPriority(next), 0)
})

test.run()
