import * as assert from 'uvu/assert'
import type { LoadedChangeRequest, LoadedSpace } from '../../src/domain/context/loaded.js'
import { findChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { listConflicts } from '../../src/domain/change-requests/conflicts.js'
import { updateFromMain } from '../../src/domain/change-requests/merge-requests.js'
import { mergeChangeRequest } from '../../src/domain/change-requests/merge-requests.js'
import { structureAt } from '../../src/domain/revisions/structures.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('merge bases of conflicts and their imports', startFixture)

const [main, docs] = ['refs/heads/main', 'refs/heads/docs'] as const
const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n')}\n`
const held = async (space: LoadedSpace, id: string | undefined): Promise<LoadedChangeRequest> => {
  const found = await findChangeRequest(f.app, await f.reload(space), id ?? '')
  if (!found) throw new Error('no change request')
  return found
}
const pagesOf = async ({ doc, repo }: LoadedSpace) =>
  (await structureAt(f.app, { doc, repo }, repo.refs.head(main as RefName) as CommitId)).byGitPath

/**
 * Main of the remote and `docs` have a line of `other.md` through an export only. Git's merge of both conflicts
 * there, so the integrated parts of both branches have, for Git, no common text. Then `guide.md` is changed on both
 * sides, and `other.md` here.
 */
async function exportedToBoth(name: string, later = false) {
  const remote = await f.remotes.createRepository(`${name}.git`, {
    files: { 'README.md': '# Home\n', 'guide.md': page('here or there'), 'other.md': page('one', 'two', 'three') },
  })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', docs, main])
  await remote.commit({ 'other.md': page('one, there', 'two', 'three') }, { ref: main })
  await f.import(space, { url })
  await f.edit(space, { 'other.md': page('one, there', 'two, here', 'three') })
  assert.is((await f.export(space, { url, ref: docs })).result, 'exported')
  await remote.commit({ 'new.md': '# New\n' }, { ref: docs })
  assert.is((await f.import(space, { url, ref: docs })).result, 'merged')
  if (later) {
    await remote.commit({ 'guide.md': page('there') }, { ref: main })
    await f.edit(space, { 'guide.md': page('here') })
    assert.is((await f.import(space, { url })).state, 'conflict')
  }
  // The person who merges there keeps the content of both sides.
  await git(remote.path, ['update-ref', 'refs/heads/by-hand', docs])
  const byHand = await remote.commit({ 'guide.md': page('there') }, { ref: 'refs/heads/by-hand' })
  await git(remote.path, [
    'update-ref',
    main,
    await git(remote.path, ['commit-tree', '-p', main, '-p', docs, '-m', 'Merge docs', `${byHand}^{tree}`], ''),
  ])
  await f.edit(space, { 'guide.md': page('here'), 'other.md': page('one, there', 'two, here again', 'three') })
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.match(run.error ?? '', 'conflict in guide.md.')
  return { space, remote, run }
}

for (const later of [false, true])
  test(`two exports to two branches do not conflict in a change request${later ? ', even with a later head' : ''}`, async () => {
    const { space, run } = await exportedToBoth(`two-exports-${later}`, later)
    const request = await held(space, run.changeRequest)
    assert.equal(
      (await listConflicts(f.app, space, request)).map(({ path }) => path),
      ['guide.md'],
    )
    await updateFromMain(f.app, f.actor, space, request, [{ path: 'guide.md', content: page('here and there') }])
    assert.equal(await listConflicts(f.app, space, await held(space, run.changeRequest)), [])
    await mergeChangeRequest(f.app, f.actor, await f.reload(space), await held(space, run.changeRequest))
    const files = await f.files(space)
    assert.is(files['guide.md'], page('here and there').trimEnd())
    assert.is(files['other.md'], page('one, there', 'two, here again', 'three').trimEnd())
  })

test('cleanly imported changes still merge cleanly with later local edits', async () => {
  const { space, remote, run } = await exportedToBoth('meanwhile')
  // Nothing conflicts any more: main integrates the remote commits.
  await f.edit(space, { 'guide.md': page('there'), 'other.md': page('one, there', 'two, here once more', 'three') })
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), await held(space, run.changeRequest))
  const files = await f.files(space)
  assert.is(files['other.md'], page('one, there', 'two, here once more', 'three').trimEnd())
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
})

test('a remote commit cannot claim a merge base to remove local content', async () => {
  const remote = await f.remotes.createRepository('forged.git', {
    files: { 'README.md': '# Home\n', 'guide.md': page('first') },
  })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const edited = await f.edit(space, { 'guide.md': page('here'), 'kept.md': page('written here') })
  const head = await remote.commit({ 'guide.md': page('there') }, { ref: main })
  const commit = await git(remote.path, ['cat-file', 'commit', head])
  const forged = commit.replace('\n\n', `\ncommon-ground ${edited} ${edited} ${'0'.repeat(64)}\n\n`)
  await git(remote.path, [
    'update-ref',
    main,
    await git(remote.path, ['hash-object', '-t', 'commit', '-w', '--stdin'], forged),
  ])
  const run = await f.import(space, { url: remote.url })
  assert.is(run.state, 'conflict')
  const request = await held(space, run.changeRequest)
  assert.equal(
    (await listConflicts(f.app, space, request)).map(({ path }) => path),
    ['guide.md'],
  )
  await updateFromMain(f.app, f.actor, space, request, [{ path: 'guide.md', content: page('both') }])
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), await held(space, run.changeRequest))
  assert.is((await f.files(space))['kept.md'], page('written here').trimEnd())
})

test('content dropped during a conflict does not come back after the conflict is merged', async () => {
  const remote = await f.remotes.createRepository('learned.git', {
    files: { 'README.md': '# Home\n', 'guide.md': page('here or there'), 'extra.md': '# Extra\n' },
  })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  await f.import(space, { url })
  await remote.commit({ 'extra.md': null }, { ref: main })
  await git(remote.path, ['update-ref', docs, main])
  await remote.commit({ 'guide.md': page('there') }, { ref: docs })
  assert.is((await f.import(space, { url })).result, 'merged')
  await f.edit(space, { 'guide.md': page('here') })
  const run = await f.import(space, { url, ref: docs })
  assert.is(run.state, 'conflict')
  await git(remote.path, ['update-ref', main, first])
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.is((await f.files(space))['extra.md'], '# Extra', 'its deletion was dropped')
  await updateFromMain(f.app, f.actor, space, await held(space, run.changeRequest), [
    { path: 'guide.md', content: page('here and there') },
  ])
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), await held(space, run.changeRequest))
  const kept = (await f.files(space))['extra.md']
  if (kept === undefined) await f.edit(space, { 'extra.md': '# Extra\n' })
  await remote.commit({ 'README.md': '# Home\n\nthere\n' }, { ref: docs })
  const later = await f.import(space, { url, ref: docs })
  assert.is(later.state, 'success', later.error)
  const files = await f.files(space)
  assert.is(files['README.md'], '# Home\n\nthere')
  assert.is(files['extra.md'], '# Extra')
})

for (const exported of [false, true])
  test(`a page deleted and renamed remotely in a conflict is main's page${exported ? ', also after an export' : ''}`, async () => {
    const text = Array.from({ length: 9 }, (_, n) => `line ${n}`)
    const remote = await f.remotes.createRepository(`restored-later-${exported}.git`, {
      files: { 'README.md': '# Home\n', 'guide.md': page('here or there'), 'old.md': page(...text) },
    })
    const { url } = remote
    const space = await f.space()
    await f.import(space, { url })
    if (exported) {
      await f.edit(space, { 'README.md': '# Home of all\n' })
      assert.is((await f.export(space, { url })).result, 'exported')
    }
    await f.edit(space, { 'guide.md': page('here') })
    await remote.commit({ 'guide.md': page('there') })
    assert.is((await f.import(space, { url })).state, 'conflict')
    const { id } = (await pagesOf(space)).get('old.md') ?? {}
    await remote.commit({ 'old.md': null })
    assert.is((await f.import(space, { url })).state, 'conflict')
    await remote.commit({ 'new.md': page(...text, 'and more') })
    const run = await f.import(space, { url })
    assert.is(run.state, 'conflict')
    // Local edits reach the page at its current path.
    await f.edit(space, { 'old.md': page('here', ...text.slice(1)) })
    const request = await held(space, run.changeRequest)
    assert.equal(
      (await listConflicts(f.app, space, request)).map(({ path }) => path),
      ['guide.md'],
    )
    await updateFromMain(f.app, f.actor, space, request, [{ path: 'guide.md', take: 'main' }])
    await mergeChangeRequest(f.app, f.actor, await f.reload(space), await held(space, run.changeRequest))
    const pages = await pagesOf(await f.reload(space))
    assert.equal([pages.has('old.md'), pages.get('new.md')?.id], [false, id])
    assert.is((await f.files(space))['new.md'], page('here', ...text.slice(1), 'and more').trimEnd())
  })

test.run()
