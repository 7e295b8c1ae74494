import * as assert from 'uvu/assert'
import { overridesAt } from '../../src/domain/revisions/identity.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'
import { anyLease } from '../support/lease.js'

const [test, f] = await suiteWith('git export', startFixture)

const docs = {
  'README.md': '# Home\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n',
  'guide.md': '# Guide\n\none\ntwo\nthree\n',
}
const main = (repo: { refs: { head(ref: RefName): string | null } }): CommitId =>
  repo.refs.head('refs/heads/main' as RefName) as CommitId
const count = async (dir: string, ref = 'main'): Promise<number> => Number(await git(dir, ['rev-list', '--count', ref]))

test('an export is one commit on the remote head and changes nothing else', async () => {
  const remote = await f.remotes.createRepository('one.git', {
    files: { ...docs, 'crlf.md': '\ufeff# A\r\n\r\n| a |b|\r\n' },
  })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const before = (await remote.head()) as string
  await f.edit(space, { 'guide.md': '# Guide\n\none\ntwo\nthree\nfour\n' })
  await f.edit(space, { 'new.md': '# New\n' })
  const run = await f.export(space, { url: remote.url, commitMessage: 'Publish the guide\n\nWith a new page.' })
  assert.is(run.error, undefined)
  assert.is(run.result, 'exported')
  const { dir } = await f.clone(remote.url)
  assert.is(await git(dir, ['log', '-1', '--format=%P']), before)
  assert.is(
    await git(dir, ['log', '-1', '--format=%an <%ae>|%cn|%B']),
    'Ada Lovelace <ada@example.org>|Bindery|Publish the guide\n\nWith a new page.',
  )
  assert.is(await git(dir, ['diff', '--name-status', 'HEAD~']), 'M\tguide.md\nA\tnew.md')
  assert.is(await git(dir, ['rev-parse', 'HEAD^{tree}']), await git(space.repo.path, ['rev-parse', 'main^{tree}']))
  assert.is(await git(dir, ['fsck', '--strict']), '')
  assert.is(await git(dir, ['rev-parse', 'HEAD']), run.remoteRevision)

  const revision = main(space.repo)
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged', 'the webhook of our own push')
  assert.is((await f.export(space, { url: remote.url })).result, 'unchanged')
  assert.is(main(space.repo), revision)
  assert.is(await remote.head(), run.remoteRevision)
})

test('the exported commit has the page IDs of main, and other writers are co-authors', async () => {
  const remote = await f.remotes.createRepository('ids.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await remote.commit({ 'guide.md': null, 'handbook.md': docs['guide.md'] })
  await f.edit(space, { 'mine.md': '# Mine\n' })
  await f.import(space, { url: remote.url })
  const { makeCommit } = await import('../../src/domain/commits/make-commit.js')
  const { moveBranch } = await import('../../src/domain/commits/move-branch.js')
  const { unguarded } = await import('../../src/domain/commits/guards.js')
  await moveBranch(
    space.repo,
    { ref: 'refs/heads/main' as RefName, reason: 'edit', guard: unguarded, lease: anyLease },
    async (head) =>
      makeCommit(f.app, space, {
        parents: [head as CommitId],
        changes: [{ path: 'mine.md', content: Buffer.from('# Grace\n') }],
        message: 'Edit\n',
        author: { displayName: 'Grace Hopper', email: 'grace@example.org' },
        overrides: await overridesAt(f.app, space, head as CommitId),
      }),
  )
  const run = await f.export(space, { url: remote.url })
  assert.match(
    await git(remote.path, ['log', '-1', '--format=%b', 'main']),
    /^Co-authored-by: Grace Hopper <grace@example\.org>$/,
  )
  f.app.content.clear()
  const exported = await overridesAt(f.app, space, run.remoteRevision as CommitId)
  const here = await overridesAt(f.app, space, main(space.repo))
  assert.ok(here.size > 0)
  assert.equal([...exported].sort(), [...here].sort())
})

test('remote commits that main lacks are merged before the export', async () => {
  const remote = await f.remotes.createRepository('both.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'README.md': '# Home\n\nmine\n' })
  const theirs = await remote.commit({ 'guide.md': '# Guide\n\none\ntwo\nTHREE\n' })
  const run = await f.export(space, { url: remote.url })
  assert.is(run.result, 'exported')
  const { dir, files } = await f.clone(remote.url)
  assert.is(await git(dir, ['log', '-1', '--format=%P']), theirs)
  assert.is(files['guide.md'], '# Guide\n\none\ntwo\nTHREE')
  assert.is(files['README.md'], '# Home\n\nmine')
})

test('work on both sides after an export is merged on top of the exported commit', async () => {
  const remote = await f.remotes.createRepository('after.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'guide.md': '# Guide\n\nONE\ntwo\nthree\n' })
  await f.export(space, { url: remote.url })
  await f.edit(space, { 'guide.md': '# Guide\n\nONE again\ntwo\nthree\n' })
  await remote.commit({ 'README.md': '# Home\n\ntheirs\n' })
  assert.is((await f.import(space, { url: remote.url })).result, 'merged')
  assert.is((await f.files(space))['guide.md'], '# Guide\n\nONE again\ntwo\nthree')
  assert.is((await f.export(space, { url: remote.url })).result, 'exported')
})

test('a first export to an empty repository pushes the history and a commit with the message', async () => {
  const remote = await f.remotes.createRepository('empty.git')
  const space = await f.space()
  const edited = await f.edit(space, { 'guide.md': '# Guide\n' })
  assert.is((await f.export(space, { url: remote.url, commitMessage: 'First export' })).result, 'exported')
  const { dir, files } = await f.clone(remote.url)
  assert.is(await git(dir, ['log', '-1', '--format=%s|%P']), `First export|${edited}`)
  assert.equal(files, await f.files(space))
  await remote.commit({ 'guide.md': '# Guide\n\ntheirs\n' })
  assert.is((await f.import(space, { url: remote.url })).result, 'merged')
})

test('a new branch starts at the head of its repository, without history from another one', async () => {
  const remote = await f.remotes.createRepository('branch.git', { files: docs })
  const head = await remote.head()
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'new.md': '# New\n' })
  await f.export(space, { url: remote.url, ref: 'refs/heads/proposal' })
  assert.is(await git(remote.path, ['log', '-1', '--format=%P', 'proposal']), head)
  const other = await f.remotes.createRepository('other.git')
  await f.export(space, { url: other.url })
  assert.is(await count(other.path), 1)
})

test('a remote that moves during the push is imported, and none of its commits is lost', async () => {
  const remote = await f.remotes.createRepository('race.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'README.md': '# Home\n\nmine\n' })
  let raced = false
  f.remotes.behaviour.onRequest = async (request) => {
    if (raced || request.method !== 'POST' || !request.url.includes('git-receive-pack')) return
    raced = true
    await remote.commit({ 'late.md': '# Late\n' })
  }
  const run = await f.export(space, { url: remote.url })
  delete f.remotes.behaviour.onRequest
  assert.ok(raced)
  assert.is(run.result, 'exported')
  assert.ok('late.md' in (await f.remoteFiles(remote.url)))
  assert.ok('late.md' in (await f.files(space)))
})

test("a forced export adds the local tree on top of the remote's history", async () => {
  const remote = await f.remotes.createRepository('forced.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'guide.md': '# Mine\n' })
  const theirs = await remote.commit({ 'guide.md': '# Theirs\n' })
  assert.is((await f.export(space, { url: remote.url, force: true })).result, 'exported')
  assert.is(await git(remote.path, ['log', '-1', '--format=%P', 'main']), theirs)
  assert.is((await f.remoteFiles(remote.url))['guide.md'], '# Mine')
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
})

test("a rejected push to a protected branch fails with the remote's message and is not recorded", async () => {
  const remote = await f.remotes.createRepository('protected.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'new.md': '# New\n' })
  await remote.rejectPushes('GH006: Protected branch update failed.')
  const run = await f.export(space, { url: remote.url })
  assert.is(run.state, 'failure')
  assert.match(run.error ?? '', /GH006: Protected branch update failed/)
  assert.is((await space.repo.refs.list(`refs/bindery/sync/`)).size, 1, 'the log of what is known')
  await remote.rejectPushes(null)
  assert.is((await f.export(space, { url: remote.url })).result, 'exported')
})

test('an export is recognized after a crash that followed its push', async () => {
  const remote = await f.remotes.createRepository('crash.git', { files: docs })
  const space = await f.space()
  const first = await f.import(space, { url: remote.url })
  const imported = await remote.head()
  await f.edit(space, { 'new.md': '# New\n' })
  const run = await f.export(space, { url: remote.url })
  // As if the process had ended between the push and the next step.
  await git(space.repo.path, ['update-ref', `refs/bindery/sync/${first.key}/head`, imported as string])
  const before = main(space.repo)
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
  assert.is(main(space.repo), before)
  assert.is((await f.export(space, { url: remote.url })).result, 'unchanged')
  assert.is(await remote.head(), run.remoteRevision)
})

test('a locked space can be exported', async () => {
  const remote = await f.remotes.createRepository('locked.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'new.md': '# New\n' })
  const { spaces } = await import('../../src/model/index.js')
  await f.app.store.replace(spaces, { ...(await f.reload(space)).doc, editMode: 'locked' })
  assert.is((await f.export(space, { url: remote.url })).result, 'exported')
  await remote.commit({ 'late.md': '# Late\n' })
  const blocked = await f.export(space, { url: remote.url })
  assert.is(blocked.state, 'failure')
  assert.match(blocked.error ?? '', /locked/)
})

test.run()
