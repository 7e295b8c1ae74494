import * as assert from 'uvu/assert'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { changeRequests } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('git import', startFixture)

const docs = {
  'README.md': '# Home\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n',
  'guide.md': '# Guide\n\none\ntwo\nthree\n',
}
const main = (repo: { refs: { head(ref: RefName): CommitId | null } }): CommitId =>
  repo.refs.head('refs/heads/main' as RefName) as CommitId

test('an untouched space adopts the history of the remote unchanged', async () => {
  const remote = await f.remotes.createRepository('adopt.git', { files: docs })
  const second = await remote.commit({ 'guide.md': '# Guide\n\nmore\n' }, { message: 'Second' })
  const space = await f.space()
  const started = main(space.repo)
  const run = await f.import(space, { url: remote.url })
  assert.is(run.error, undefined)
  assert.is(run.state, 'success')
  assert.is(run.result, 'adopted')
  assert.is(main(space.repo), second)
  assert.is(space.repo.refs.head('refs/bindery/adopted' as RefName), second)
  assert.is(
    space.repo.refs.head(`refs/bindery/keep/${started}` as RefName),
    started,
    'the first revision can still be named',
  )
  assert.is((await f.reload(space)).doc.git?.url, remote.url.replace(/\.git$/, '.git'))

  const again = await f.import(space, { url: remote.url })
  assert.is(again.result, 'unchanged')
  assert.is(main(space.repo), second)
})

test('edits on both sides are merged with the space as first parent', async () => {
  const remote = await f.remotes.createRepository('merge.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const mine = await f.edit(space, { 'README.md': '# Home\n\nmine\n' })
  const theirs = await remote.commit({ 'guide.md': '# Guide\n\none\ntwo\nthree\nfour\n' })
  const run = await f.import(space, { url: remote.url })
  assert.is(run.result, 'merged')
  assert.is(await git(space.repo.path, ['log', '-1', '--format=%P', 'main']), `${mine} ${theirs}`)
  assert.is(
    await git(space.repo.path, ['log', '-1', '--format=%s|%an|%cn', 'main']),
    `Merge remote changes from ${remote.url.slice(7, -4)} (main)|Ada Lovelace|Bindery`,
  )
  const files = await f.files(space)
  assert.is(files['README.md'], '# Home\n\nmine')
  assert.is(files['guide.md'], '# Guide\n\none\ntwo\nthree\nfour')
  assert.equal(await space.repo.upkeep.check(), [])
})

test('unrelated content on both sides is merged, or held as a conflict', async () => {
  const space = await f.space()
  await f.edit(space, { 'mine.md': '# Mine\n' })
  const apart = await f.remotes.createRepository('apart.git', { files: { 'theirs.md': '# Theirs\n' } })
  assert.is((await f.import(space, { url: apart.url })).result, 'merged')
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'SUMMARY.md', 'mine.md', 'theirs.md'])

  const other = await f.space()
  const before = await f.edit(other, { 'README.md': '# Mine\n\nquite\n' })
  const clash = await f.remotes.createRepository('clash.git', { files: { 'README.md': '# Theirs\n' } })
  const run = await f.import(other, { url: clash.url })
  assert.is(run.state, 'conflict')
  assert.is(main(other.repo), before)
})

test('an import of a rewritten history drops the removed commits and keeps local work', async () => {
  const remote = await f.remotes.createRepository('rewritten.git', { files: docs })
  const base = (await remote.head()) as string
  await remote.commit({ 'secret.md': 'a key that leaked\n' })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'mine.md': '# Mine\n' })
  await git(remote.path, ['update-ref', 'refs/heads/main', base])
  await remote.commit({ 'other.md': '# Other\n' })
  const run = await f.import(space, { url: remote.url })
  assert.is(run.result, 'merged')
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'SUMMARY.md', 'guide.md', 'mine.md', 'other.md'])

  await git(remote.path, ['update-ref', 'refs/heads/main', base])
  assert.is((await f.import(space, { url: remote.url })).result, 'merged', 'a plain rewind drops as well')
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'SUMMARY.md', 'guide.md', 'mine.md'])
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
})

test('a squash of imported commits does not conflict', async () => {
  const remote = await f.remotes.createRepository('squash.git', { files: docs })
  const base = (await remote.head()) as string
  await remote.commit({ 'guide.md': '# Guide\n\nONE\ntwo\nthree\n' })
  await remote.commit({ 'guide.md': '# Guide\n\nONE\nTWO\nthree\n' })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'guide.md': '# Guide\n\nONE\nTWO\nmine\n' })
  await git(remote.path, ['update-ref', 'refs/heads/main', base])
  await remote.commit({ 'guide.md': '# Guide\n\nONE\nTWO\nthree\n', 'new.md': '# New\n' }, { message: 'Squashed' })
  assert.is((await f.import(space, { url: remote.url })).result, 'merged')
  const files = await f.files(space)
  assert.is(files['guide.md'], '# Guide\n\nONE\nTWO\nmine')
  assert.is(files['new.md'], '# New')
})

test('a forced import takes the tree of the remote in a merge commit', async () => {
  const remote = await f.remotes.createRepository('force.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const mine = await f.edit(space, { 'guide.md': '# Mine\n', 'mine.md': '# Mine\n' })
  const head = await remote.commit({ 'guide.md': '# Theirs\n' })
  assert.is((await f.import(space, { url: remote.url, force: true })).result, 'merged')
  assert.is(await git(space.repo.path, ['log', '-1', '--format=%P', 'main']), `${mine} ${head}`)
  assert.is(
    await git(space.repo.path, ['rev-parse', 'main^{tree}']),
    await git(remote.path, ['rev-parse', 'main^{tree}']),
  )
})

test('a standalone import creates a revision and leaves main unchanged', async () => {
  const remote = await f.remotes.createRepository('standalone.git', { files: docs })
  const head = (await remote.head()) as string
  await git(remote.path, ['update-ref', 'refs/pull/7/head', head])
  const space = await f.space()
  const before = main(space.repo)
  const run = await f.import(space, { url: remote.url, ref: 'refs/pull/7/head', standalone: true })
  assert.is(run.result, 'standalone')
  assert.is(run.revision, head)
  assert.is(main(space.repo), before)
  assert.is(space.repo.refs.head(`refs/bindery/keep/${head}` as RefName), head)
  assert.is((await f.reload(space)).doc.git, undefined)
})

test('a missing branch, an emptied tree or a wrong repository leaves the content unchanged', async () => {
  const remote = await f.remotes.createRepository('gone.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const before = main(space.repo)
  const missing = await f.import(space, { url: remote.url, ref: 'refs/heads/gone' })
  assert.is(missing.state, 'failure')
  assert.match(missing.error ?? '', /gone\) does not exist/)
  await remote.commit({ 'README.md': null, 'SUMMARY.md': null, 'guide.md': null, LICENSE: 'free\n' })
  const emptied = await f.import(space, { url: remote.url })
  assert.is(emptied.state, 'failure')
  assert.match(emptied.error ?? '', /has no Markdown file/)
  const wrong = await f.import(space, { url: `${f.remotes.url}/nothing.git` })
  assert.is(wrong.state, 'failure')
  assert.is(main(space.repo), before)
  assert.is((await f.import(space, { url: remote.url, force: true })).result, 'merged')
  assert.equal(Object.keys(await f.files(space)), ['LICENSE'])
})

test('a locked space only accepts standalone imports', async () => {
  const remote = await f.remotes.createRepository('locked.git', { files: docs })
  const space = await f.space()
  const { spaces } = await import('../../src/model/index.js')
  await f.app.store.replace(spaces, { ...(await f.reload(space)).doc, editMode: 'locked' })
  try {
    await f.import(space, { url: remote.url })
    assert.unreachable()
  } catch (error) {
    assert.is((error as { status?: number }).status, 423)
  }
  assert.is((await f.import(space, { url: remote.url, standalone: true })).result, 'standalone')
})

test('pages keep their IDs after a rename on the remote', async () => {
  const remote = await f.remotes.createRepository('renamed.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const { overridesAt } = await import('../../src/domain/revisions/identity.js')
  const { idOf, defaultId } = await import('../../src/content/identity.js')
  await f.edit(space, { 'mine.md': '# Mine\n' })
  await remote.commit({
    'guide.md': null,
    'handbook.md': docs['guide.md'],
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Guide](handbook.md)\n',
  })
  await f.import(space, { url: remote.url })
  const ids = async (): Promise<string> =>
    idOf(await overridesAt(f.app, space, main(space.repo)))('page', 'handbook.md')
  assert.is(await ids(), defaultId('page', 'guide.md'))
  f.app.content.clear()
  assert.is(await ids(), defaultId('page', 'guide.md'), 'read back from Git')
})

test('no change request is created without a conflict', async () => {
  const all = await f.app.store.all(changeRequests)
  assert.is(all.length, 1, 'the one of the clash above')
})

test.run()
