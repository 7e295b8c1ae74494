import * as assert from 'uvu/assert'
import type { RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { type MergeStyle, mergeOnRemote } from '../support/people-on-remote.js'
import { isSoak } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('export to a missing branch', startFixture)

const files = { 'README.md': '# Home\n', 'guide.md': '# Guide\n\none\n' }
const DOCS = 'refs/heads/docs'
const isAncestor = (dir: string, ancestor: string, ref: string): Promise<boolean> =>
  git(dir, ['merge-base', '--is-ancestor', ancestor, ref]).then(
    () => true,
    () => false,
  )

for (const style of ['merge', 'squash', 'rebase'] satisfies MergeStyle[])
  for (const directory of isSoak ? ['', 'docs'] : [style === 'merge' ? 'docs' : ''])
    test(`a new branch after a merge (${style}) and a deletion starts at the default branch${directory && ', of a folder'}`, async () => {
      const below = directory === '' ? '' : `${directory}/`
      const remote = await f.remotes.createRepository(`again-${style}${directory}.git`, {
        files: Object.fromEntries(Object.entries(files).map(([path, text]) => [below + path, text])),
      })
      const space = await f.space()
      const link = { url: remote.url, repoProjectDirectory: directory }
      // Only exports went to the branch: main was adopted from it.
      await f.import(space, link)
      await f.edit(space, { 'one.md': '# One\n' })
      await f.export(space, { ...link, ref: DOCS })
      await remote.commit({ 'code.c': 'int x;\n' })
      const merged = await mergeOnRemote(remote, 'docs', style)
      await git(remote.path, ['update-ref', '-d', DOCS])
      await f.edit(space, { 'two.md': '# Two\n' })
      const run = await f.export(space, { ...link, ref: DOCS })
      assert.is(run.result, 'exported', run.error)
      assert.ok(await git(remote.path, ['merge-base', 'docs', merged]), 'no orphan')
      const changed = await git(remote.path, ['diff', '--name-only', 'docs~', 'docs'])
      // It cannot be put on the squash itself: the commit before it is not known here, and would be undone.
      assert.is(changed, style === 'merge' || directory !== '' ? `${below}two.md` : 'one.md\ntwo.md')
      await mergeOnRemote(remote, 'docs', 'merge')
      const after = await f.remoteFiles(remote.url)
      for (const name of ['code.c', `${below}one.md`, `${below}two.md`]) assert.ok(name in after, name)
      assert.is((await f.import(space, link)).state, 'success')
      assert.is((await f.export(space, link)).result, 'unchanged')
    })

test('a merged and deleted branch can be exported again without another synced branch', async () => {
  for (const style of ['merge', 'squash', 'rebase'] satisfies MergeStyle[]) {
    const remote = await f.remotes.createRepository(`alone-${style}.git`, { files })
    await git(remote.path, ['update-ref', DOCS, 'main'])
    await remote.commit({ 'guide.md': '# Guide\n\none\ntwo\n' }, { ref: DOCS })
    const space = await f.space()
    await f.import(space, { url: remote.url, ref: DOCS })
    await f.edit(space, { 'one.md': '# One\n' })
    await f.export(space, { url: remote.url, ref: DOCS })
    const merged = await mergeOnRemote(remote, 'docs', style)
    await git(remote.path, ['update-ref', '-d', DOCS])
    await f.edit(space, { 'two.md': '# Two\n' })
    assert.is((await f.export(space, { url: remote.url, ref: DOCS })).result, 'exported')
    assert.ok(await git(remote.path, ['merge-base', 'docs', merged]), 'no orphan')
    assert.is(await git(remote.path, ['diff', '--name-only', `${merged}...docs`]), 'two.md', style)
  }
})

test('a default branch with another name works if exports only went to a branch', async () => {
  const remote = await f.remotes.createRepository('trunk.git', { files })
  await git(remote.path, ['branch', '-m', 'main', 'trunk'])
  const space = await f.space()
  await f.import(space, { url: remote.url, ref: 'refs/heads/trunk' })
  await f.edit(space, { 'one.md': '# One\n' })
  await f.export(space, { url: remote.url, ref: DOCS })
  assert.ok(await isAncestor(remote.path, 'trunk', 'docs'))
  const missing = await f.import(space, { url: remote.url, ref: 'refs/heads/main' })
  assert.is(missing.state, 'failure')
  assert.match(missing.error ?? '', /does not exist.*default branch is refs\/heads\/trunk/)
  const empty = await f.remotes.createRepository('nothing.git')
  assert.match((await f.import(await f.space(), { url: empty.url })).error ?? '', /repository is empty/)
})

test("a folder's new branch starts at the commit that the default branch was reset to", async () => {
  const remote = await f.remotes.createRepository('between.git', {
    files: { 'docs/README.md': '# Home\n', 'code.c': 'int x;\n' },
  })
  const space = await f.space()
  const input = { url: remote.url, repoProjectDirectory: 'docs' }
  await f.import(space, input)
  const between = await remote.commit({ 'docs/one.md': '# One\n' }, { message: 'One' })
  await remote.commit({ 'docs/two.md': '# Two\n' }, { message: 'Two' })
  await f.import(space, input)
  await git(remote.path, ['update-ref', 'refs/heads/main', between])
  const head = await remote.commit({ 'docs/three.md': '# Three\n' }, { message: 'Three' })
  await f.edit(space, { 'mine.md': '# Mine\n' })
  assert.is((await f.export(space, { ...input, ref: DOCS })).result, 'exported')
  assert.is(await git(remote.path, ['merge-base', head, 'docs']), between)
})

test("unchanged content makes no commit, and the branch starts at the remote's commit", async () => {
  const remote = await f.remotes.createRepository('same.git', { files })
  const head = await remote.head()
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const run = await f.export(space, { url: remote.url, ref: DOCS })
  assert.is(run.result, 'exported')
  assert.is(run.remoteRevision, head)
  assert.is(await remote.head(DOCS), head)
  assert.is((await f.export(space, { url: remote.url, ref: DOCS })).result, 'unchanged')

  await f.edit(space, { 'one.md': '# One\n' })
  const exported = await f.export(space, { url: remote.url, ref: DOCS })
  assert.is((await f.export(space, { url: remote.url, ref: 'refs/heads/more' })).result, 'exported')
  assert.is(await remote.head('refs/heads/more'), exported.remoteRevision)
  assert.is((await f.import(space, { url: remote.url, ref: 'refs/heads/more' })).result, 'unchanged')
  assert.is(space.repo.refs.head('refs/heads/main' as RefName), exported.revision)
})

test.run()
