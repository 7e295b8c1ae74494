import * as assert from 'uvu/assert'
import { makeCommit } from '../../src/domain/commits/make-commit.js'
import { moveBranch } from '../../src/domain/commits/move-branch.js'
import { unguarded } from '../../src/domain/commits/guards.js'
import { makeMergeCommit } from '../../src/domain/commits/merge/merge-commit.js'
import { overridesAt } from '../../src/domain/revisions/identity.js'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import type { SyncRunDoc } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { anyLease } from '../support/lease.js'
import { mergeOnRemote } from '../support/people-on-remote.js'
import { suiteWith } from '../support/suite.js'
import { type Edit, startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('exports commit by commit', startFixture)

const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n\n')}\n`
const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
const guide = (change: Record<string, string> = {}): string => page(...LINES.map((line) => change[line] ?? line))
const docs = { 'README.md': '# Home\n', 'guide.md': guide() }
const MAIN = 'refs/heads/main' as RefName
const main = (space: LoadedSpace): CommitId => space.repo.refs.head(MAIN) as CommitId
const log = (dir: string, range: string, format = '%an|%ae|%cn|%s'): Promise<string[]> =>
  git(dir, ['log', '--reverse', '--first-parent', `--format=${format}`, range]).then((text) =>
    text.split('\n').filter((line) => line !== ''),
  )

/** The people who may commit here, by first name. */
const people = {
  ada: { displayName: 'Ada Lovelace', email: 'ada@example.org' },
  grace: { displayName: 'Grace Hopper', email: 'grace@example.org' },
}

const write = (
  space: LoadedSpace,
  who: keyof typeof people,
  message: string,
  changes: Edit,
  ref = MAIN,
): Promise<CommitId> =>
  moveBranch(space.repo, { ref, reason: 'edit', guard: unguarded, lease: anyLease }, async (head) =>
    makeCommit(f.app, space, {
      parents: [head as CommitId],
      changes: Object.entries(changes).map(([path, text]) =>
        text === null ? { path, delete: true as const } : { path, content: Buffer.from(text) },
      ),
      message: `${message}\n`,
      author: people[who],
      overrides: await overridesAt(f.app, space, head as CommitId),
    }),
  )

/** Merges a branch of commits by Grace into main, as Ada. */
async function merge(space: LoadedSpace, message: string, changes: Edit): Promise<void> {
  const from = main(space)
  const branch = 'refs/heads/side' as RefName
  await git(space.repo.path, ['update-ref', branch, from])
  await write(space, 'grace', 'On a branch', changes, branch)
  const theirs = await write(space, 'grace', 'More on a branch', { 'branch.md': '# Branch\n' }, branch)
  await moveBranch(space.repo, { ref: MAIN, reason: 'merge', guard: unguarded, lease: anyLease }, async (ours) => {
    const { tree } = await space.repo.trees.merge({ ours: ours as CommitId, theirs })
    return makeMergeCommit(
      f.app,
      space,
      { ours: ours as CommitId, theirs, bases: [from], tree },
      { message: `${message}\n`, author: people.ada },
    )
  })
}

const exported = (space: LoadedSpace, url: string, input: object = {}): Promise<SyncRunDoc> =>
  f.export(space, { url, exportMode: 'commits', ...input })

async function synced(name: string, files: Record<string, string> = docs, input: object = {}) {
  const remote = await f.remotes.createRepository(`${name}.git`, { files })
  const space = await f.space()
  assert.is((await f.import(space, { url: remote.url, ...input })).error, undefined)
  return { remote, space }
}

async function inStep(space: LoadedSpace, url: string, input: object = {}): Promise<void> {
  const before = main(space)
  assert.is((await f.import(space, { url, ...input })).result, 'unchanged', 'the webhook of our own push')
  assert.is((await exported(space, url, input)).result, 'unchanged')
  assert.is(main(space), before)
}

test('each commit keeps its author, date and message, and a merged branch is one commit', async () => {
  const { remote, space } = await synced('plain')
  const before = (await remote.head()) as string
  await write(space, 'grace', 'Say TWO\n\nBecause it matters.', { 'guide.md': guide({ two: 'TWO' }) })
  await write(space, 'ada', 'Nothing', {})
  await merge(
    space,
    'Merge change request #1: Four\n\nChange-Request: 1\nCo-authored-by: Grace Hopper <grace@example.org>',
    {
      'guide.md': guide({ two: 'TWO', four: 'FOUR' }),
    },
  )
  await write(space, 'ada', 'A new page', { 'new.md': '# New\n' })
  const run = await exported(space, remote.url)
  assert.is(run.error, undefined)
  assert.is(run.result, 'exported')
  assert.equal(await log(remote.path, `${before}..main`), [
    'Grace Hopper|grace@example.org|Bindery|Say TWO',
    'Grace Hopper|grace@example.org|Bindery|Merge change request #1: Four',
    'Ada Lovelace|ada@example.org|Bindery|A new page',
  ])
  assert.is(await git(remote.path, ['log', '-1', '--format=%b', 'main~2']), 'Because it matters.')
  assert.is(
    await git(remote.path, ['log', '-1', '--format=%B', 'main~1']),
    'Merge change request #1: Four\n\nChange-Request: 1',
  )
  assert.is(
    await git(remote.path, ['rev-list', '--count', '--merges', `${before}..main`]),
    '0',
    'a branch that demands a linear history takes it',
  )
  assert.equal(
    await log(remote.path, `${before}..main`, '%at %T'),
    (await log(space.repo.path, `${before}..main`, '%at %T')).filter((_, at) => at !== 1),
  )
  assert.is(
    await git(remote.path, ['rev-parse', 'main~2']),
    await git(space.repo.path, ['rev-parse', 'main~3']),
    'a commit that would come out as itself is itself',
  )
  assert.is(await git(remote.path, ['fsck', '--strict']), '')
  await inStep(space, remote.url)
  f.app.content.clear()
  assert.equal(
    [...(await overridesAt(f.app, space, run.remoteRevision as CommitId))],
    [...(await overridesAt(f.app, space, main(space)))],
  )
})

test('one commit per export is the default', async () => {
  const { remote, space } = await synced('default')
  await write(space, 'grace', 'One', { 'a.md': '# A\n' })
  await write(space, 'grace', 'Two', { 'b.md': '# B\n' })
  await f.export(space, { url: remote.url, commitMessage: 'Both' })
  assert.equal(await log(remote.path, 'main', '%s'), ['First', 'Both'])
  await write(space, 'ada', 'Three', { 'c.md': '# C\n' })
  await write(space, 'ada', 'Four', { 'd.md': '# D\n' })
  await exported(space, remote.url)
  assert.equal(await log(remote.path, 'main', '%s'), ['First', 'Both', 'Three', 'Four'], 'each export in its way')
  await inStep(space, remote.url)
})

test('commits that change a folder are mapped to it, and the other files stay unchanged', async () => {
  const folder = { repoProjectDirectory: 'docs' }
  const { remote, space } = await synced(
    'folder',
    { 'code.c': 'int x;\n', 'docs/README.md': '# Home\n', 'docs/guide.md': guide() },
    folder,
  )
  const before = (await remote.head()) as string
  await write(space, 'grace', 'Say TWO', { 'guide.md': guide({ two: 'TWO' }) })
  await write(space, 'ada', 'Nothing', {})
  await write(space, 'ada', 'A new page', { 'new/new.md': '# New\n' })
  assert.is((await exported(space, remote.url, folder)).error, undefined)
  assert.equal(await log(remote.path, `${before}..main`), [
    'Grace Hopper|grace@example.org|Bindery|Say TWO',
    'Ada Lovelace|ada@example.org|Bindery|A new page',
  ])
  assert.is(await git(remote.path, ['diff', '--name-only', before, 'main']), 'docs/guide.md\ndocs/new/new.md')
  await inStep(space, remote.url, folder)
  await remote.commit({ 'docs/guide.md': guide({ two: 'TWO', seven: 'SEVEN' }), 'code.c': 'int y;\n' })
  await write(space, 'grace', 'Say FIVE', { 'guide.md': guide({ two: 'TWO', five: 'FIVE' }) })
  assert.is((await exported(space, remote.url, folder)).error, undefined)
  assert.equal((await log(remote.path, 'main~1..main')).slice(-1), ['Grace Hopper|grace@example.org|Bindery|Say FIVE'])
  await inStep(space, remote.url, folder)
})

test('older commits are added on top of a moved remote and revert none of its changes', async () => {
  const { remote, space } = await synced('moved')
  await write(space, 'grace', 'Say TWO', { 'guide.md': guide({ two: 'TWO' }) })
  await write(space, 'ada', 'Say FOUR', { 'guide.md': guide({ two: 'TWO', four: 'FOUR' }) })
  const theirs = await remote.commit({ 'guide.md': guide({ eight: 'EIGHT' }), 'theirs.md': '# Theirs\n' })
  assert.is((await exported(space, remote.url)).error, undefined)
  assert.equal(await log(remote.path, `${theirs}..main`, '%an %s'), ['Grace Hopper Say TWO', 'Ada Lovelace Say FOUR'])
  for (const commit of ['main', 'main~1', 'main~2']) {
    assert.match(await git(remote.path, ['show', `${commit}:guide.md`]), /EIGHT/, commit)
    assert.is(await git(remote.path, ['show', `${commit}:theirs.md`]), '# Theirs')
  }
  assert.is(
    await git(remote.path, ['rev-parse', 'main^{tree}']),
    await git(space.repo.path, ['rev-parse', 'main^{tree}']),
  )
  await inStep(space, remote.url)
})

test('a commit that does not apply to the remote is squashed with the following ones', async () => {
  const { remote, space } = await synced('collides')
  await write(space, 'grace', 'Say TWO', { 'guide.md': guide({ two: 'TWO' }) })
  const theirs = await remote.commit({ 'guide.md': guide({ two: 'zwei' }) })
  const held = await exported(space, remote.url)
  assert.is(held.result, 'conflict')
  // A person merges it by hand, and another commit follows.
  const into = await git(space.repo.path, [
    'commit-tree',
    '-p',
    'main',
    '-p',
    theirs,
    '-m',
    'By hand',
    await git(space.repo.path, ['rev-parse', 'main^{tree}']),
  ])
  await git(space.repo.path, ['update-ref', 'refs/heads/main', into])
  await write(space, 'ada', 'Say FOUR', { 'guide.md': guide({ two: 'TWO', four: 'FOUR' }) })
  assert.is((await exported(space, remote.url, { commitMessage: 'Ours' })).error, undefined)
  assert.equal(await log(remote.path, `${theirs}..main`, '%an %s'), ['Grace Hopper Ours', 'Ada Lovelace Say FOUR'])
  assert.is(await git(remote.path, ['log', '-1', '--format=%b', 'main~1']), '')
  await inStep(space, remote.url)
})

test('a first export pushes the history to an empty repository, and one commit to another one', async () => {
  const empty = await f.remotes.createRepository('empty.git')
  const space = await f.space()
  await write(space, 'grace', 'One', { 'a.md': '# A\n' })
  assert.is((await exported(space, empty.url)).error, undefined)
  assert.is(await empty.head(), main(space))
  await inStep(space, empty.url)
  await write(space, 'grace', 'Two', { 'b.md': '# B\n' })
  assert.is((await exported(space, empty.url)).error, undefined)
  assert.is(await empty.head(), main(space))
  const other = await f.remotes.createRepository('begun.git')
  assert.is((await exported(space, other.url, { commitMessage: 'Begin' })).error, undefined)
  assert.equal(await log(other.path, 'main', '%s'), ['Begin'])
  await write(space, 'grace', 'Three', { 'c.md': '# C\n' })
  await write(space, 'grace', 'Four', { 'd.md': '# D\n' })
  assert.is((await exported(space, other.url)).error, undefined)
  assert.equal(await log(other.path, 'main', '%an %s'), [
    'Grace Hopper Begin',
    'Grace Hopper Three',
    'Grace Hopper Four',
  ])
  await inStep(space, other.url)
})

test('content that the remote dropped is in no commit that is pushed afterwards', async () => {
  const { remote, space } = await synced('purged')
  const first = (await remote.head()) as string
  await write(space, 'grace', 'Say TWO', { 'guide.md': guide({ two: 'TWO' }) })
  await write(space, 'grace', 'A key', { 'key.md': 'SECRET-1\n' })
  await exported(space, remote.url)
  await remote.commit({ 'theirs.md': 'SECRET-2\n' })
  await write(space, 'ada', 'Say FOUR', { 'guide.md': guide({ two: 'TWO', four: 'FOUR' }) })
  assert.is((await f.import(space, { url: remote.url })).result, 'merged')
  await write(space, 'ada', 'Say SIX', { 'guide.md': guide({ two: 'TWO', four: 'FOUR', six: 'SIX' }) })
  await git(remote.path, ['update-ref', 'refs/heads/main', `${first}`])
  await f.decide(space, await f.import(space, { url: remote.url }), 'change-request')
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'guide.md'])
  await write(space, 'grace', 'A new page', { 'new.md': '# New\n' })
  assert.is((await exported(space, remote.url, { commitMessage: 'The rest' })).error, undefined)
  assert.is(await git(remote.path, ['log', '--format=%s', '-S', 'SECRET', '--pickaxe-regex', `${first}..main`]), '')
  assert.equal(await log(remote.path, `${first}..main`, '%s'), ['A new page'])
  await inStep(space, remote.url)
})

test('a squash, rebase or partial merge of a commit series on the remote duplicates nothing', async () => {
  const cases: { told: string; act(dir: string, first: string): Promise<unknown>; expected: Record<string, string> }[] =
    [
      {
        told: 'squashed',
        act: async () => mergeOnRemote(remoteOf('squashed'), 'docs', 'squash'),
        expected: { two: 'TWO again', four: 'FOUR', six: 'SIX' },
      },
      {
        told: 'rebased',
        act: async () => mergeOnRemote(remoteOf('rebased'), 'docs', 'rebase'),
        expected: { two: 'TWO again', four: 'FOUR', six: 'SIX' },
      },
      { told: 'first', act: (dir) => pick(dir, ['docs~2']), expected: { two: 'TWO again', four: 'FOUR', six: 'SIX' } },
      { told: 'last', act: (dir) => pick(dir, ['docs']), expected: { two: 'TWO again', four: 'FOUR', six: 'SIX' } },
      { told: 'middle', act: (dir) => pick(dir, ['docs~1']), expected: { two: 'TWO again', four: 'FOUR', six: 'SIX' } },
    ]
  const remotes = new Map<string, Awaited<ReturnType<typeof synced>>['remote']>()
  const remoteOf = (name: string) => remotes.get(name) as Awaited<ReturnType<typeof synced>>['remote']
  for (const { told, act, expected } of cases) {
    const { remote, space } = await synced(`taken-${told}`)
    remotes.set(told, remote)
    const first = (await remote.head()) as string
    await write(space, 'grace', 'Say TWO', { 'guide.md': guide({ two: 'TWO' }) })
    await write(space, 'ada', 'Say FOUR', { 'guide.md': guide({ two: 'TWO', four: 'FOUR' }) })
    await write(space, 'grace', 'Say SIX', { 'guide.md': guide({ two: 'TWO', four: 'FOUR', six: 'SIX' }) })
    assert.is((await exported(space, remote.url, { ref: 'refs/heads/docs' })).error, undefined)
    await write(space, 'ada', 'Say TWO again', { 'guide.md': guide({ two: 'TWO again', four: 'FOUR', six: 'SIX' }) })
    await remote.commit({ 'theirs.md': '# Theirs\n' })
    await act(remote.path, first)
    const run = await f.import(space, { url: remote.url })
    assert.is(run.result, 'merged', `${told}: ${run.error}`)
    assert.is((await f.files(space))['guide.md'], guide(expected).trim(), told)
    assert.ok((await f.files(space))['theirs.md'])
    assert.is((await exported(space, remote.url)).error, undefined, told)
    assert.is(await git(remote.path, ['show', 'main:guide.md']), guide(expected).trim(), told)
    await inStep(space, remote.url)
  }
})

test('the first of two exports stays in the space if the remote cherry-picks only the second', async () => {
  const { remote, space } = await synced('picked-single')
  const docsRef = { url: remote.url, ref: 'refs/heads/docs' }
  await write(space, 'grace', 'Say TWO', { 'guide.md': guide({ two: 'TWO' }) })
  await f.export(space, docsRef)
  await write(space, 'ada', 'Say SIX', { 'guide.md': guide({ two: 'TWO', six: 'SIX' }) })
  await f.export(space, docsRef)
  await remote.commit({ 'theirs.md': '# Theirs\n' })
  await pick(remote.path, ['docs'])
  assert.is((await f.import(space, { url: remote.url })).error, undefined)
  assert.is((await f.files(space))['guide.md'], guide({ two: 'TWO', six: 'SIX' }).trim())
})

/** A person's commit on the branch docs of the remote, imported, and an export to docs on top of it. */
async function exportOnTheirs(name: string) {
  const { remote, space } = await synced(name)
  const docsRef = { url: remote.url, ref: 'refs/heads/docs' }
  await git(remote.path, ['update-ref', docsRef.ref, 'main'])
  await remote.commit({ 'guide.md': guide({ two: 'TWO' }) }, { ref: docsRef.ref })
  assert.is((await f.import(space, docsRef)).error, undefined)
  await write(space, 'ada', 'Say SIX', { 'guide.md': guide({ two: 'TWO', six: 'SIX' }) })
  assert.is((await f.export(space, docsRef)).error, undefined)
  await remote.commit({ 'theirs.md': '# Theirs\n' })
  return { remote, space }
}

test("a cherry-picked export does not revert the person's commit that it was based on", async () => {
  const { remote, space } = await exportOnTheirs('picked-above-theirs')
  await pick(remote.path, ['docs'])
  assert.is((await f.import(space, { url: remote.url })).error, undefined)
  assert.is((await f.files(space))['guide.md'], guide({ two: 'TWO', six: 'SIX' }).trim())
})

for (const [way, make] of [
  ['both are picked', (dir: string) => pick(dir, ['docs~1', 'docs'])],
  ['both are squashed', (dir: string) => squash(dir, 'docs')],
] as const)
  test(`an export on top of a person's commit is recognized after it was ${way} on the remote`, async () => {
    const { remote, space } = await exportOnTheirs(way.replaceAll(' ', '-'))
    await make(remote.path)
    await write(space, 'ada', 'Say SEVEN', { 'guide.md': guide({ two: 'TWO', six: 'SEVEN' }) })
    assert.is((await f.import(space, { url: remote.url })).error, undefined)
    assert.is((await f.files(space))['guide.md'], guide({ two: 'TWO', six: 'SEVEN' }).trim())
    assert.is((await f.files(space))['theirs.md'], '# Theirs')
  })

/** Squashes a branch onto main of a bare repository. */
async function squash(dir: string, branch: string): Promise<void> {
  const tree = await git(dir, ['merge-tree', '--write-tree', 'main', branch])
  await git(dir, [
    'update-ref',
    'refs/heads/main',
    await git(dir, ['commit-tree', tree, '-p', 'main', '-m', 'Squashed']),
  ])
}

/** Picks commits onto main of a bare repository. */
async function pick(dir: string, commits: readonly string[]): Promise<void> {
  for (const commit of commits) {
    const tree = await git(dir, ['merge-tree', '--write-tree', `--merge-base=${commit}^`, 'main', commit]).catch(() =>
      pickedTree(dir, commit),
    )
    await git(dir, [
      'update-ref',
      'refs/heads/main',
      await git(dir, ['commit-tree', tree, '-p', 'main', '-m', 'Picked']),
    ])
  }
}

/** Git before 2.40 has no `--merge-base`, so both sides are put on a commit of that tree. */
async function pickedTree(dir: string, commit: string): Promise<string> {
  const on = (tree: string, ...parents: string[]): Promise<string> =>
    git(dir, ['commit-tree', `${tree}^{tree}`, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'side'])
  const base = await on(`${commit}^`)
  return git(dir, ['merge-tree', '--write-tree', await on('main', base), await on(commit, base)])
}

test('commits after a remote reset to the middle of a commit series are held', async () => {
  const { remote, space } = await synced('middle')
  await write(space, 'grace', 'Say TWO', { 'guide.md': guide({ two: 'TWO' }) })
  await write(space, 'ada', 'Say FOUR', { 'guide.md': guide({ two: 'TWO', four: 'FOUR' }) })
  await exported(space, remote.url)
  await write(space, 'ada', 'Say SIX', { 'guide.md': guide({ two: 'TWO', four: 'FOUR', six: 'SIX' }) })
  await git(remote.path, ['update-ref', 'refs/heads/main', 'main~1'])
  assert.equal(await f.decide(space, await f.import(space, { url: remote.url }), 'main'), ['guide.md'])
  assert.is((await f.files(space))['guide.md'], guide({ two: 'TWO', four: 'FOUR', six: 'SIX' }).trim())
  assert.is((await exported(space, remote.url)).error, undefined)
  assert.is(await git(remote.path, ['show', 'main:guide.md']), guide({ two: 'TWO', four: 'FOUR', six: 'SIX' }).trim())
  await inStep(space, remote.url)
})

test('after a push whose response was lost, the same commits are pushed again', async () => {
  for (const arrives of [true, false]) {
    const { remote, space } = await synced(`lost-${arrives}`)
    const before = await remote.head()
    await write(space, 'grace', 'Say TWO', { 'guide.md': guide({ two: 'TWO' }) })
    await merge(space, 'Merge', { 'guide.md': guide({ two: 'TWO', four: 'FOUR' }) })
    if (arrives) f.remotes.behaviour.losePushResponses = true
    else f.remotes.behaviour.pushStatus = 502
    assert.is((await exported(space, remote.url)).state, 'failure')
    const offered = (await git(space.repo.path, ['log', '-1', '--format=%B', ...(await syncRefs(space))]))
      .split('\n')
      .filter((line) => line.startsWith('offered'))
    assert.is(offered.length, 1)
    f.remotes.behaviour.losePushResponses = false
    delete f.remotes.behaviour.pushStatus
    assert.is(await remote.head(), arrives ? offered[0]?.split(' ')[1] : before)
    assert.is((await exported(space, remote.url)).error, undefined)
    assert.is(await remote.head(), offered[0]?.split(' ')[1])
    await inStep(space, remote.url)
  }
})

const syncRefs = async (space: LoadedSpace): Promise<string[]> =>
  (await git(space.repo.path, ['for-each-ref', '--format=%(refname)', 'refs/bindery/sync/']))
    .split('\n')
    .filter((ref) => ref.endsWith('/log'))

test.run()
