import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { logRef, readEntries } from '../../src/domain/git-sync/log-entries.js'
import { remoteKey } from '../../src/git/index.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { mergeOnRemote } from '../support/people-on-remote.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'
import { anyLease } from '../support/lease.js'

const [test, f] = await suiteWith('sync log', startFixture)

const files = { 'README.md': '# Home\n', 'guide.md': '# Guide\n\none\n' }
const DOCS = 'refs/heads/docs'
const head = (space: LoadedSpace): CommitId => space.repo.refs.head('refs/heads/main' as RefName) as CommitId
const entries = async (space: LoadedSpace, url: string) =>
  readEntries(
    (await space.repo.objects.commit(space.repo.refs.head(logRef({ url, directory: '' })) as CommitId)).message,
  )

test('a space has one ref for the log, and no more entries than necessary', async () => {
  const remote = await f.remotes.createRepository('long.git', { files })
  const [space, url] = [await f.space(), remote.url]
  await f.import(space, { url })
  const many = 24
  for (let i = 0; i < many; i++) {
    if (i % 2 === 0) await f.edit(space, { 'guide.md': `# Guide\n\n${i}\n` })
    else await remote.commit({ 'README.md': `# Home\n\n${i}\n` })
    assert.is((await f[i % 2 === 0 ? 'export' : 'import'](space, { url })).state, 'success')
  }
  assert.is((await space.repo.refs.list('refs/bindery/sync/')).size, 1)
  const kept = await entries(space, url)
  assert.ok(kept.length <= 20, String(kept.length))
  assert.ok(
    (await space.repo.objects.commit(space.repo.refs.head(logRef({ url, directory: '' })) as CommitId)).parents
      .length <= 2,
  )
  assert.is((await f.import(space, { url })).result, 'unchanged')
  await git(space.repo.path, ['gc', '--quiet', '--prune=now'])
  await remote.commit({ 'README.md': '# Home\n\nlast\n' })
  assert.is((await f.export(space, { url })).state, 'success')
  assert.equal(await space.repo.upkeep.check(), [])
})

test('content that was dropped before a conflict is dropped after it, for any number of heads', async () => {
  const remote = await f.remotes.createRepository('many-heads.git', { files })
  const [space, url] = [await f.space(), remote.url]
  await f.import(space, { url })
  await remote.commit({ 'extra.md': '# Extra\n' })
  await f.import(space, { url })
  // Another branch has the same head, so the head of main only states what was seen there.
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await f.import(space, { url, ref: DOCS })
  await f.edit(space, { 'guide.md': '# Guide\n\nmine\n' })
  await git(remote.path, ['update-ref', 'refs/heads/main', 'main^'])
  await remote.commit({ 'guide.md': '# Guide\n\ntheirs\n' })
  for (let n = 0; n < 16; n++) {
    assert.is((await f.import(space, { url })).state, 'conflict')
    await remote.commit({ 'more.md': `# More\n\n${n}\n` })
  }
  await f.edit(space, { 'guide.md': files['guide.md'] })
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'guide.md', 'more.md'])
})

test('the log is bounded for any number of new branches', async () => {
  const remote = await f.remotes.createRepository('branches.git', { files })
  const [space, url] = [await f.space(), remote.url]
  await f.import(space, { url })
  const { logMoves } = await import('../../src/domain/git-sync/log-moves.js')
  const { readSyncLog } = await import('../../src/domain/git-sync/sync-log.js')
  const link = { key: remoteKey(url, 'refs/heads/main'), url, ref: 'refs/heads/main' as RefName, directory: '' }
  const me = { name: 'Ada', email: 'ada@example.org', seconds: 1_700_000_000, offset: 0 }
  for (let i = 0; i < 130; i++) {
    const main = head(space)
    const remoteCommit = await space.repo.objects.write({
      parents: [main],
      changes: [],
      message: `${i}\n`,
      author: me,
      committer: me,
    })
    const entry = {
      kind: 'known' as const,
      remote: remoteCommit,
      theirs: remoteCommit,
      local: main,
      anchor: main,
      ref: `refs/heads/b${i}`,
    }
    await space.repo.refs.move(
      await logMoves(space.repo, await readSyncLog(space.repo, link, main), main, { added: [entry] }),
      'test',
      anyLease,
    )
  }
  assert.is((await entries(space, url)).length, 100)
  assert.is((await f.import(space, { url })).result, 'unchanged')
})

test('a page that was deleted since a partial drop does not conflict in an export', async () => {
  const remote = await f.remotes.createRepository('left.git', { files })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  const added = await remote.commit({ 'new.md': '# New\n' }, { ref: DOCS })
  await f.import(space, { url, ref: DOCS })
  await f.edit(space, { 'mine.md': '# Mine\n' })
  assert.is((await f.export(space, { url })).result, 'exported')
  // The branch merges main, and is reset to before it: the commits of main are dropped, and the head of main is
  // integrated without them.
  const both = await git(remote.path, ['commit-tree', '-p', DOCS, '-p', 'main', '-m', 'Merge main', 'main^{tree}'])
  await git(remote.path, ['update-ref', DOCS, both])
  await f.import(space, { url, ref: DOCS })
  await git(remote.path, ['update-ref', DOCS, added])
  assert.equal(await f.decide(space, await f.import(space, { url, ref: DOCS }), 'change-request'), ['mine.md'])
  assert.ok((await entries(space, url)).some(({ kind }) => kind === 'left'))
  await f.edit(space, { 'new.md': null })
  assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
  await remote.commit({ 'new.md': '# New\n\nthere\n' })
  await mergeOnRemote(remote, 'docs', 'merge')
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  assert.equal(await f.files(space), {
    'README.md': '# Home',
    'guide.md': '# Guide\n\none',
    'mine.md': '# Mine',
    'new.md': '# New\n\nthere',
  })
})

test.run()
