import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { type MergeStyle, mergeOnRemote } from '../support/people-on-remote.js'
import { isSoak } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'
import { anyLease } from '../support/lease.js'

const [test, f] = await suiteWith('commits that count as integrated', startFixture)

const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n\n')}\n`
const docs = { 'README.md': '# Home\n', 'guide.md': page('one', 'two', 'three', 'four'), 'old.md': '# Old\n\ntext\n' }
const MAIN = 'refs/heads/main' as RefName
const DOCS = 'refs/heads/docs'
const head = (space: LoadedSpace): CommitId => space.repo.refs.head(MAIN) as CommitId
const styles: readonly MergeStyle[] = ['merge', 'squash', 'rebase']

/** Moves main back to the content of an earlier commit, like a rollback. */
const rollBack = async (space: LoadedSpace, to: CommitId): Promise<void> => {
  const { tree } = await space.repo.objects.commit(to)
  const me = { name: 'Ada', email: 'ada@example.org', seconds: 1_700_000_000, offset: 0 }
  const commit = await space.repo.objects.write({
    parents: [head(space)],
    tree,
    changes: [],
    message: 'Roll back\n',
    author: me,
    committer: me,
  })
  await space.repo.refs.move([{ ref: MAIN, from: head(space), to: commit }], 'roll back', anyLease)
}

/** A remote whose main was imported into a space. */
async function imported(name: string) {
  const remote = await f.remotes.createRepository(`${name}.git`, { files: docs })
  const space = await f.space()
  assert.is((await f.import(space, { url: remote.url })).result, 'adopted')
  return { remote, space, url: remote.url }
}

/** Checks the final result: the same files on both sides, and nothing left to do. */
async function inStep(space: LoadedSpace, url: string): Promise<Record<string, string>> {
  await f.export(space, { url })
  const here = await f.files(space)
  assert.equal(await f.remoteFiles(url), here)
  for (const direction of ['import', 'export'] as const)
    assert.is((await f[direction](space, { url })).result, 'unchanged')
  assert.equal(await f.files(space), here)
  return here
}

/** Imports. If `held`, the import rests on an inference that removes or restores text, and `take` decides its conflict. */
async function decided(
  space: LoadedSpace,
  url: string,
  held: boolean,
  take: 'main' | 'change-request' = 'main',
): Promise<void> {
  const run = await f.import(space, { url })
  assert.is(run.state, held ? 'conflict' : 'success', run.error)
  if (held) await f.decide(space, run, take)
}

for (const style of styles)
  for (const moved of isSoak ? [false, true] : [style === 'squash']) {
    const held = moved && style !== 'merge'
    const told = `${style}${moved ? ', after the remote moved on' : ''}`
    test(`an exported and rolled back deletion stays undone after a branch merge (${told})`, async () => {
      const { remote, space, url } = await imported(`back-${style}-${moved}`)
      const before = head(space)
      await f.edit(space, { 'old.md': null, 'guide.md': page('one', 'two', 'four') })
      assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
      await rollBack(space, before)
      if (moved) await remote.commit({ 'other.md': '# Other\n' })
      await mergeOnRemote(remote, 'docs', style)
      await decided(space, url, held)
      const files = await f.files(space)
      assert.is(files['old.md'], '# Old\n\ntext')
      assert.is(files['guide.md'], docs['guide.md'].trimEnd())
      assert.is('other.md' in files, moved)
      const after = await inStep(space, url)
      assert.is(after['old.md'], '# Old\n\ntext')
    })

    test(`a page that was deleted after its export stays deleted after a branch merge (${told})`, async () => {
      const { remote, space, url } = await imported(`away-${style}-${moved}`)
      const before = head(space)
      await f.edit(space, { 'new.md': '# New\n', 'guide.md': page('one', 'two', 'more', 'three', 'four') })
      assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
      await rollBack(space, before)
      if (moved) await remote.commit({ 'other.md': '# Other\n' })
      await mergeOnRemote(remote, 'docs', style)
      await decided(space, url, held)
      const files = await f.files(space)
      assert.not.ok('new.md' in files)
      assert.is(files['guide.md'], docs['guide.md'].trimEnd())
      assert.not.ok('new.md' in (await inStep(space, url)))
    })

    test(`an edit after an export does not conflict when the branch is merged (${told})`, async () => {
      const { remote, space, url } = await imported(`again-${style}-${moved}`)
      await f.edit(space, { 'guide.md': page('one', 'TWO', 'three', 'four') })
      await f.export(space, { url, ref: DOCS })
      await f.edit(space, { 'guide.md': page('one', 'TWO again', 'three', 'four') })
      if (moved) await remote.commit({ 'other.md': '# Other\n' })
      await mergeOnRemote(remote, 'docs', style)
      const run = await f.import(space, { url })
      assert.is(run.state, 'success', run.error)
      assert.is((await inStep(space, url))['guide.md'], page('one', 'TWO again', 'three', 'four').trimEnd())
    })
  }

test('a squash of several exports is integrated, even if the remote also changed the page', async () => {
  const { remote, space, url } = await imported('several')
  const before = head(space)
  await f.edit(space, { 'guide.md': page('one', 'two', 'three') })
  await f.export(space, { url, ref: DOCS })
  await f.edit(space, { 'old.md': null })
  await f.export(space, { url, ref: DOCS })
  await rollBack(space, before)
  await remote.commit({ 'guide.md': page('ONE', 'two', 'three', 'four') })
  assert.is((await f.import(space, { url })).result, 'merged')
  await mergeOnRemote(remote, 'docs', 'squash')
  await decided(space, url, true)
  const files = await f.files(space)
  assert.is(files['guide.md'], page('ONE', 'two', 'three', 'four').trimEnd())
  assert.ok('old.md' in files)
})

test('local reverts survive two remote branches that were integrated in different ways', async () => {
  const { remote, space, url } = await imported('two-lines')
  const before = head(space)
  await f.edit(space, { 'old.md': null })
  await f.export(space, { url, ref: DOCS })
  await remote.commit({ 'guide.md': page('one', 'two', 'three', 'four', 'five') })
  assert.is((await f.import(space, { url })).result, 'merged')
  await rollBack(space, before)
  await mergeOnRemote(remote, 'docs', 'merge')
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  const files = await f.files(space)
  assert.ok('old.md' in files, 'restored after the export')
  assert.is(files['guide.md'], docs['guide.md'].trimEnd(), 'removed after the import')
  assert.ok('old.md' in (await inStep(space, url)))
})

test('an edit or revert on the remote after the merge of a branch is imported', async () => {
  const { remote, space, url } = await imported('news')
  await f.edit(space, { 'guide.md': page('one', 'two', 'three', 'four', 'five') })
  await f.export(space, { url, ref: DOCS })
  const merged = await mergeOnRemote(remote, 'docs', 'squash')
  await remote.commit({ 'guide.md': docs['guide.md'] }, { message: 'Revert' })
  await f.import(space, { url })
  assert.is((await f.files(space))['guide.md'], docs['guide.md'].trimEnd())
  await git(remote.path, ['update-ref', 'refs/heads/main', merged])
  await f.import(space, { url })
  assert.is(
    (await f.files(space))['guide.md'],
    page('one', 'two', 'three', 'four', 'five').trimEnd(),
    'the revert was taken back by force',
  )
})

/** Lets the next push arrive, and cuts off its response. */
const cutPush = (): void => {
  f.remotes.behaviour.onRequest = (request) => {
    if (request.method === 'POST' && request.url.includes('receive-pack')) f.remotes.behaviour.cutAfter = 0
    else delete f.remotes.behaviour.cutAfter
  }
}
const heal = (): void => {
  delete f.remotes.behaviour.onRequest
  delete f.remotes.behaviour.cutAfter
}

test('a push whose response was lost counts as integrated', async () => {
  const { remote, space, url } = await imported('lost-response')
  const [before, first] = [head(space), await remote.head()]
  await f.edit(space, { 'old.md': null, 'new.md': '# New\n' })
  cutPush()
  assert.is((await f.export(space, { url })).state, 'failure')
  heal()
  assert.is.not(await remote.head(), first, 'it arrived')
  await rollBack(space, before)
  assert.is((await f.import(space, { url })).result, 'unchanged')
  assert.ok('old.md' in (await f.files(space)))
  const after = await inStep(space, url)
  assert.is(after['old.md'], '# Old\n\ntext')
  assert.not.ok('new.md' in after)
})

test('a push to a branch whose response was lost is recognized when the branch is merged', async () => {
  const { remote, space, url } = await imported('lost-branch')
  const before = head(space)
  await f.edit(space, { 'old.md': null })
  cutPush()
  assert.is((await f.export(space, { url, ref: DOCS })).state, 'failure')
  heal()
  await rollBack(space, before)
  await mergeOnRemote(remote, 'docs', 'squash')
  assert.is((await f.import(space, { url })).state, 'success')
  assert.ok('old.md' in (await inStep(space, url)))
})

test('a remote revert of an export is imported, even if the branch was rebased', async () => {
  for (const style of styles) {
    const { remote, space, url } = await imported(`reverted-${style}`)
    await f.edit(space, { 'guide.md': page('one', 'two', 'three', 'four', 'five') })
    await f.export(space, { url, ref: DOCS })
    await remote.commit({ 'other.md': '# Other\n' })
    await f.import(space, { url })
    await mergeOnRemote(remote, 'docs', style)
    await remote.commit({ 'guide.md': docs['guide.md'] }, { message: 'Revert' })
    await decided(space, url, style !== 'merge', 'change-request')
    assert.is((await inStep(space, url))['guide.md'], docs['guide.md'].trimEnd(), style)
  }
})

test('a recorded export that never arrived has no effect', async () => {
  const { remote, space, url } = await imported('never')
  const before = head(space)
  await f.edit(space, { 'old.md': null })
  f.remotes.behaviour.onRequest = (request) => {
    if (request.url.includes('receive-pack') && request.method === 'POST')
      f.remotes.behaviour.redirectTo = 'http://127.0.0.1:1'
  }
  assert.is((await f.export(space, { url })).state, 'failure')
  delete f.remotes.behaviour.redirectTo
  heal()
  await remote.commit({ 'README.md': '# Home\n\nmore\n' })
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'guide.md'])
  await rollBack(space, before)
  assert.ok('old.md' in (await inStep(space, url)))
})

test('dropped content comes back after a restore, and no export deletes it', async () => {
  const { remote, space, url } = await imported('restored')
  const first = (await remote.head()) as string
  const second = await remote.commit({
    'extra.md': '# Extra\n',
    'guide.md': page('one', 'two', 'three', 'four', 'five'),
  })
  await f.import(space, { url })
  await f.edit(space, { 'mine.md': '# Mine\n' })
  const force = (to: string) => git(remote.path, ['update-ref', 'refs/heads/main', to])
  for (let i = 0; i < 2; i++) {
    await force(first)
    assert.is((await f.import(space, { url })).result, 'merged')
    assert.not.ok('extra.md' in (await f.files(space)), 'dropped there, dropped here')
    await force(second)
    assert.is((await f.import(space, { url })).result, 'merged')
    assert.is((await f.files(space))['extra.md'], '# Extra')
  }
  await force(first)
  await f.import(space, { url })
  const third = await git(remote.path, ['commit-tree', '-p', second, '-m', 'on top', `${second}^{tree}`], '')
  await force(third)
  assert.is((await f.export(space, { url })).result, 'exported')
  const files = await f.remoteFiles(url)
  assert.is(files['extra.md'], '# Extra')
  assert.is(files['guide.md'], page('one', 'two', 'three', 'four', 'five').trimEnd())
  assert.is(files['mine.md'], '# Mine')
  await inStep(space, url)
})

test('a revert on a reset remote to the content of an export is imported', async () => {
  const { remote, space, url } = await imported('reverted-part')
  await f.edit(space, { 'guide.md': page('ONE', 'two', 'three', 'four') })
  await f.export(space, { url, ref: DOCS })
  const exported = (await remote.head(DOCS)) as string
  const part = await remote.commit({ 'guide.md': page('ONE', 'two', 'three', 'four', 'five') }, { ref: DOCS })
  await remote.commit({ 'other.md': '# Other\n' }, { ref: DOCS })
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  for (const ref of [undefined, DOCS]) await f.export(space, ref ? { url, ref } : { url })
  await f.edit(space, { 'old.md': '# Old\n\nmine\n' })
  await git(remote.path, ['update-ref', DOCS, part])
  const revert = await git(remote.path, ['commit-tree', '-p', part, '-m', 'Revert', `${exported}^{tree}`], '')
  await git(remote.path, ['update-ref', DOCS, revert])
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  const files = await f.files(space)
  assert.is(files['guide.md'], page('ONE', 'two', 'three', 'four').trimEnd())
  assert.not.ok('other.md' in files)
  assert.is(files['old.md'], '# Old\n\nmine')
})

test('a conflict holds the content that a restore brings back', async () => {
  const { remote, space, url } = await imported('restored-conflict')
  const first = (await remote.head()) as string
  const second = await remote.commit({ 'guide.md': page('one', 'TWO', 'three', 'four'), 'extra.md': '# Extra\n' })
  await f.import(space, { url })
  await git(remote.path, ['update-ref', 'refs/heads/main', first])
  await f.import(space, { url })
  await f.edit(space, { 'guide.md': page('one', 'two of mine', 'three', 'four') })
  await git(remote.path, ['update-ref', 'refs/heads/main', second])
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.match(run.error ?? '', /guide\.md/)
  assert.is((await f.export(space, { url })).state, 'conflict', 'and no export goes over it')
  assert.is(await remote.head(), second)
  const branch = 'refs/heads/change-requests/1' as RefName
  const merge = await space.repo.trees.merge({ ours: head(space), theirs: space.repo.refs.head(branch) as CommitId })
  assert.equal(merge.clean ? [] : merge.conflicts.map((one) => one.path), ['guide.md'])
})

/** Resets main but nothing else, as if the process had ended between two refs. */
const crashBefore = (space: LoadedSpace, main: CommitId) =>
  git(space.repo.path, ['update-ref', 'refs/heads/main', main])

test('an import is repeated after a crash between its record and the move of main', async () => {
  const { remote, space, url } = await imported('crash-import')
  const before = await f.edit(space, { 'mine.md': '# Mine\n' })
  const theirs = await remote.commit({ 'new.md': '# New\n' })
  await f.import(space, { url })
  await crashBefore(space, before)
  assert.is((await f.export(space, { url })).result, 'exported')
  const files = await f.remoteFiles(url)
  assert.is(files['new.md'], '# New')
  assert.is(files['mine.md'], '# Mine')
  assert.is(await git(remote.path, ['log', '-1', '--format=%P', 'main']), theirs)
})

test('an import is repeated after a crash in an adoption', async () => {
  const remote = await f.remotes.createRepository('crash-adopt.git', { files: docs })
  const space = await f.space()
  const before = head(space)
  await f.import(space, { url: remote.url })
  await crashBefore(space, before)
  const run = await f.export(space, { url: remote.url })
  assert.is(run.state, 'success', run.error)
  assert.is((await f.remoteFiles(remote.url))['guide.md'], docs['guide.md'].trimEnd())
  assert.is((await f.files(space))['guide.md'], docs['guide.md'].trimEnd())
})

test('remote content is imported again after an administrator resets main to before it', async () => {
  const { remote, space, url } = await imported('reset')
  const before = head(space)
  await remote.commit({ 'new.md': '# New\n' })
  await f.import(space, { url })
  await remote.commit({ 'newer.md': '# Newer\n' })
  await f.import(space, { url })
  await crashBefore(space, before)
  await f.edit(space, { 'mine.md': '# Mine\n' })
  assert.equal(Object.keys(await inStep(space, url)).sort(), [
    'README.md',
    'guide.md',
    'mine.md',
    'new.md',
    'newer.md',
    'old.md',
  ])
})

test.run()
