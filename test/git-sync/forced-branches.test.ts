import * as assert from 'uvu/assert'
import { findChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { mergeChangeRequest, updateFromMain } from '../../src/domain/change-requests/merge-requests.js'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { mergeOnRemote } from '../support/people-on-remote.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('two branches of one remote, one of them reset', startFixture)

const DOCS = 'refs/heads/docs'
const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n\n')}\n`
const docs = { 'README.md': '# Home\n', 'guide.md': page('one', 'two', 'three', 'four') }

/**
 * A space that is up to date with both branches. `docs` holds `extra.md` of main and local work. Then that work is
 * changed here, and main is reset.
 */
async function forcedBack(name: string) {
  const remote = await f.remotes.createRepository(`${name}.git`, { files: docs })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  await f.import(space, { url })
  const second = await remote.commit({ 'extra.md': '# Extra\n' })
  await f.import(space, { url })
  await f.edit(space, { 'README.md': '# Home\n\nmine\n', 'new.md': '# New\n' })
  assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
  await f.edit(space, { 'README.md': '# Home\n\nmine again\n', 'new.md': null })
  const force = (to: string) => git(remote.path, ['update-ref', 'refs/heads/main', to])
  await force(first)
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.not.ok('extra.md' in (await f.files(space)), 'dropped there, dropped here')
  return { remote, url, space, force, first, second }
}

/** Checks that local changes since the last sync with `docs` are kept. */
async function hasOurs(space: LoadedSpace): Promise<Record<string, string>> {
  const files = await f.files(space)
  assert.is(files['README.md'], '# Home\n\nmine again')
  assert.not.ok('new.md' in files)
  return files
}

test('the other branch stays integrated except for the dropped commits', async () => {
  const { remote, url, space } = await forcedBack('other')
  await remote.commit({ 'guide.md': page('one', 'TWO', 'three', 'four') }, { ref: DOCS })
  const run = await f.import(space, { url, ref: DOCS })
  assert.is(run.state, 'success', run.error)
  const files = await hasOurs(space)
  assert.is(files['guide.md'], page('one', 'TWO', 'three', 'four').trimEnd())
  assert.is(files['extra.md'], '# Extra', 'docs still has it')
  assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'unchanged')
})

test('the other branch can be merged into the reset one', async () => {
  const { remote, url, space } = await forcedBack('merged')
  await mergeOnRemote(remote, 'docs', 'merge')
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  assert.is((await hasOurs(space))['extra.md'], '# Extra', 'it came back with docs')
})

test('a further reset and a restore bring back exactly the dropped commits', async () => {
  const { url, space, force, second, remote } = await forcedBack('further')
  await remote.commit({ 'guide.md': page('one', 'two', 'three') })
  await f.import(space, { url })
  await force(second)
  assert.is((await f.import(space, { url })).result, 'merged')
  const files = await hasOurs(space)
  assert.is(files['extra.md'], '# Extra')
  assert.is(files['guide.md'], page('one', 'two', 'three', 'four').trimEnd())
  await remote.commit({ 'guide.md': page('one', 'two', 'three', 'four', 'five') }, { ref: DOCS })
  assert.is((await f.import(space, { url, ref: DOCS })).state, 'success')
  assert.is((await hasOurs(space))['guide.md'], page('one', 'two', 'three', 'four', 'five').trimEnd())
})

test('a conflict with the other branch only contains the conflicting changes', async () => {
  const { remote, url, space } = await forcedBack('conflict')
  await f.edit(space, { 'guide.md': page('one', 'here', 'three', 'four') })
  await remote.commit({ 'guide.md': page('one', 'there', 'three', 'four') }, { ref: DOCS })
  const run = await f.import(space, { url, ref: DOCS })
  assert.is(run.state, 'conflict')
  const branch = space.repo.refs.head('refs/heads/change-requests/1' as RefName) as CommitId
  const merged = await space.repo.trees.merge({
    ours: space.repo.refs.head('refs/heads/main' as RefName) as CommitId,
    theirs: branch,
  })
  assert.equal(merged.clean ? [] : merged.conflicts.map((one) => one.path), ['guide.md'])
})

test('a conflict with a reset branch is not settled by another branch that always had its head', async () => {
  const remote = await f.remotes.createRepository('set-back.git', { files: docs })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  await f.import(space, { url })
  await f.edit(space, { 'README.md': '# Home\n\nmine\n', 'guide.md': page('one', 'mine', 'three', 'four') })
  for (const ref of ['refs/heads/main', DOCS]) assert.is((await f.export(space, { url, ref })).state, 'success')
  await git(remote.path, ['update-ref', DOCS, first])
  await f.edit(space, { 'guide.md': page('one', 'mine again', 'three', 'four') })
  const run = await f.import(space, { url, ref: DOCS })
  assert.is(run.state, 'conflict')
  await remote.commit({ 'other.md': '# Other\n' })
  assert.is((await f.import(space, { url })).result, 'merged')

  const held = await findChangeRequest(f.app, await f.reload(space), run.changeRequest as string)
  if (!held) throw new Error('no change request')
  await updateFromMain(f.app, f.actor, await f.reload(space), held, [
    { path: 'guide.md', take: 'main' },
    { path: 'README.md', take: 'change-request' },
  ])
  const updated = await findChangeRequest(f.app, await f.reload(space), run.changeRequest as string)
  if (!updated) throw new Error('no change request')
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), updated)
  const files = await f.files(space)
  assert.is(files['README.md'], '# Home', 'dropped there, and so decided here')
  assert.is(files['guide.md'], page('one', 'mine again', 'three', 'four').trimEnd())
  assert.ok('other.md' in files)
})

test('a branch that starts at the reset head does not settle the conflict of the reset', async () => {
  const remote = await f.remotes.createRepository('follows-force.git', { files: docs })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  await f.import(space, { url })
  await f.edit(space, { 'guide.md': page('one', 'mine', 'three', 'four') })
  assert.is((await f.export(space, { url })).result, 'exported')
  await remote.commit({ 'extra.md': '# Extra\n' })
  assert.is((await f.import(space, { url })).result, 'merged')
  await f.edit(space, { 'guide.md': page('one', 'mine again', 'three', 'four') })
  await git(remote.path, ['update-ref', 'refs/heads/main', first])
  await remote.commit({ 'later.md': '# Later\n' })
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')

  await git(remote.path, ['update-ref', DOCS, 'main'])
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  const files = await f.files(space)
  assert.ok('later.md' in files && 'extra.md' in files, 'nothing was dropped from docs')
  const again = await f.import(space, { url })
  assert.is(again.state, 'conflict')
  assert.is(again.changeRequest, run.changeRequest)

  const request = async () =>
    (await findChangeRequest(f.app, await f.reload(space), run.changeRequest as string)) as NonNullable<
      Awaited<ReturnType<typeof findChangeRequest>>
    >
  await updateFromMain(f.app, f.actor, await f.reload(space), await request(), [{ path: 'guide.md', take: 'main' }])
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), await request())
  const after = await f.files(space)
  assert.not.ok('extra.md' in after, 'dropped there, dropped here')
  assert.is(after['guide.md'], page('one', 'mine again', 'three', 'four').trimEnd())
  assert.ok('later.md' in after)
})

test('exports to two branches are reintroduced after resets with the branch that has them', async () => {
  const remote = await f.remotes.createRepository('forth.git', { files: docs })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await remote.commit({ 'there.md': '# There\n' })
  await remote.commit({ 'docs.md': '# Docs\n' }, { ref: DOCS })
  const exportToBoth = async (files: Record<string, string>): Promise<string> => {
    await f.edit(space, files)
    for (const ref of ['refs/heads/main', DOCS]) assert.is((await f.export(space, { url, ref })).result, 'exported')
    return (await remote.head()) as string
  }
  for (const ref of ['refs/heads/main', DOCS]) assert.is((await f.import(space, { url, ref })).state, 'success')
  const before = await exportToBoth({ 'README.md': '# Home\n\nmine\n' })
  const exported = await exportToBoth({ 'new.md': '# New\n' })
  await git(remote.path, ['update-ref', 'refs/heads/main', before])
  assert.equal(await f.decide(space, await f.import(space, { url }), 'change-request'), ['new.md'])
  assert.not.ok('new.md' in (await f.files(space)), 'dropped there, and so decided here')
  await git(remote.path, ['update-ref', 'refs/heads/main', exported])
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.is((await f.files(space))['new.md'], '# New')
})

test('a merged branch brings back content that a reset and its reversal dropped', async () => {
  const remote = await f.remotes.createRepository('forth-and-merged.git', { files: docs })
  const { url } = remote
  const [first, space] = [(await remote.head()) as string, await f.space()]
  await f.import(space, { url })
  await git(remote.path, ['update-ref', DOCS, first])
  const there = await remote.commit({ 'guide.md': null, 'moved.md': page('one', 'three', 'four') }, { ref: DOCS })
  await f.import(space, { url, ref: DOCS })
  await f.edit(space, { 'new.md': '# New\n' })
  const exported = (await f.export(space, { url })).remoteRevision as string
  await git(remote.path, ['update-ref', 'refs/heads/main', first])
  assert.equal(await f.decide(space, await f.import(space, { url }), 'change-request'), ['guide.md', 'new.md'])
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'guide.md'])
  await f.edit(space, { 'README.md': '# Home\n\nmine\n' })

  const both = await git(
    remote.path,
    ['commit-tree', '-p', exported, '-p', there, '-m', 'Merge docs', `${exported}^{tree}`],
    '',
  )
  await git(remote.path, ['update-ref', 'refs/heads/main', both])
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  const files = await f.files(space)
  assert.equal(Object.keys(files).sort(), ['README.md', 'moved.md', 'new.md'])
  assert.is(files['moved.md'], page('one', 'three', 'four').trimEnd())
  assert.is(files['README.md'], '# Home\n\nmine')
  // Later local changes to it count as changes of this side.
  await f.edit(space, { 'moved.md': null, 'guide.md': docs['guide.md'] })
  await remote.commit({ 'new.md': '# New\n\nmore\n' })
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'guide.md', 'new.md'])
})

test('a reset drops the rest of a head that another branch had partly dropped', async () => {
  const remote = await f.remotes.createRepository('rest.git', { files: docs })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  await f.import(space, { url })
  await remote.commit({ 'extra.md': '# Extra\n' })
  await f.import(space, { url })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await remote.commit({ 'docs.md': '# Docs\n' }, { ref: DOCS })
  await remote.commit({ 'docs.md': '# Docs\n\nthere\n' }, { ref: DOCS })
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  await git(remote.path, ['update-ref', 'refs/heads/main', first])
  assert.is((await f.import(space, { url })).result, 'merged')
  await git(remote.path, ['update-ref', DOCS, `${DOCS}^`])
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  assert.is((await f.files(space))['docs.md'], '# Docs')
  await f.export(space, { url, ref: DOCS })
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'unchanged')
})

test('a branch that another one partly dropped can be reset and exported to', async () => {
  const remote = await f.remotes.createRepository('both-back.git', { files: docs })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  await f.import(space, { url })
  const second = await remote.commit({ 'extra.md': '# Extra\n' })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await remote.commit({ 'main.md': '# Main\n' })
  for (const ref of ['refs/heads/main', DOCS]) assert.is((await f.import(space, { url, ref })).state, 'success')
  await git(remote.path, ['update-ref', DOCS, first])
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  await f.edit(space, { 'README.md': '# Home\n\nmine\n' })
  assert.is((await f.export(space, { url })).result, 'exported')
  await git(remote.path, ['update-ref', 'refs/heads/main', second])
  assert.equal(await f.decide(space, await f.import(space, { url }), 'change-request'), ['README.md'])
  await f.edit(space, { 'new.md': '# New\n' })
  const run = await f.export(space, { url })
  assert.is(run.result, 'exported', run.error)
  assert.is((await f.import(space, { url })).result, 'unchanged')
})

test('an export succeeds after a reset conflict during which another branch dropped commits', async () => {
  const remote = await f.remotes.createRepository('meanwhile.git', { files: docs })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  const force = (ref: string) => git(remote.path, ['update-ref', ref, first])
  await f.import(space, { url })
  await remote.commit({ 'extra.md': '# Extra\n' })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await remote.commit({ 'docs.md': '# Docs\n' }, { ref: DOCS })
  for (const ref of ['refs/heads/main', DOCS]) assert.is((await f.import(space, { url, ref })).state, 'success')
  await force('refs/heads/main')
  assert.is((await f.import(space, { url })).result, 'merged')
  await f.edit(space, { 'docs.md': '# Docs\n\nmine\n' })
  await force(DOCS)
  const run = await f.import(space, { url, ref: DOCS })
  assert.is(run.state, 'conflict')
  await remote.commit({ 'more.md': '# More\n' })
  assert.is((await f.import(space, { url })).result, 'merged')
  await force('refs/heads/main')
  assert.is((await f.import(space, { url })).result, 'merged')

  const held = await findChangeRequest(f.app, await f.reload(space), run.changeRequest as string)
  if (!held) throw new Error('no change request')
  await updateFromMain(f.app, f.actor, await f.reload(space), held, [{ path: 'docs.md', take: 'main' }])
  const updated = await findChangeRequest(f.app, await f.reload(space), run.changeRequest as string)
  if (!updated) throw new Error('no change request')
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), updated)
  const exported = await f.export(space, { url, ref: DOCS })
  assert.is(exported.state, 'success', exported.error)
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'unchanged')
})

test('a reset after a resolved conflict drops an export that was made during the conflict', async () => {
  const remote = await f.remotes.createRepository('left-behind.git', { files: docs })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  await f.import(space, { url })
  const second = await remote.commit({ 'extra.md': '# Extra\n' })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await remote.commit({ 'docs.md': '# Docs\n' }, { ref: DOCS })
  for (const ref of ['refs/heads/main', DOCS]) assert.is((await f.import(space, { url, ref })).state, 'success')
  await f.edit(space, { 'guide.md': page('one', 'here', 'three', 'four') })
  await git(remote.path, ['update-ref', DOCS, first])
  await remote.commit({ 'guide.md': page('one', 'there', 'three', 'four') }, { ref: DOCS })
  const run = await f.import(space, { url, ref: DOCS })
  assert.is(run.state, 'conflict')
  await f.edit(space, { 'new.md': '# New\n' })
  assert.is((await f.export(space, { url })).result, 'exported')
  const held = await findChangeRequest(f.app, await f.reload(space), run.changeRequest as string)
  if (!held) throw new Error('no change request')
  await updateFromMain(f.app, f.actor, await f.reload(space), held, [{ path: 'guide.md', take: 'main' }])
  const updated = await findChangeRequest(f.app, await f.reload(space), run.changeRequest as string)
  if (!updated) throw new Error('no change request')
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), updated)
  assert.ok('new.md' in (await f.files(space)))

  await git(remote.path, ['update-ref', 'refs/heads/main', second])
  const paths = await f.decide(space, await f.import(space, { url }), 'change-request')
  assert.ok(paths.includes('new.md'))
  assert.not.ok('new.md' in (await f.files(space)), 'dropped there, and so decided here')
})

test('work on top of partly dropped commits, and deletions, stay integrated', async () => {
  const remote = await f.remotes.createRepository('rests.git', { files: docs })
  const { url } = remote
  const first = (await remote.head()) as string
  const space = await f.space()
  await f.import(space, { url })
  await remote.commit({ 'guide.md': page('one', 'TWO', 'three', 'four') })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await remote.commit({ 'guide.md': page('one', 'TWO and more', 'three', 'four'), 'extra.md': '# Extra\n' })
  for (const ref of ['refs/heads/main', DOCS]) assert.is((await f.import(space, { url, ref })).state, 'success')
  await f.edit(space, { 'extra.md': null, 'guide.md': page('one', 'TWO', 'three', 'four') })
  await git(remote.path, ['update-ref', DOCS, first])
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  assert.is(
    (await f.files(space))['guide.md'],
    page('one', 'two', 'three', 'four').trimEnd(),
    'dropped there, dropped here',
  )
  await remote.commit({ 'README.md': '# Home\n\nthere\n' })
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  const files = await f.files(space)
  assert.equal(Object.keys(files).sort(), ['README.md', 'guide.md'], 'deleted here')
  assert.is(files['guide.md'], page('one', 'two', 'three', 'four').trimEnd(), 'changed back here, then dropped')
})

test('a reset does not drop content from another branch if the new head has it by its own commit', async () => {
  const remote = await f.remotes.createRepository('own-commit.git', { files: docs })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  const added = await remote.commit({ 'extra.md': '# Extra\n' }, { ref: DOCS })
  await remote.commit({ 'README.md': '# Home\n\nthere\n', 'extra.md': '# Extra\n' })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  for (const ref of ['refs/heads/main', DOCS]) assert.is((await f.import(space, { url, ref })).state, 'success')
  await f.edit(space, { 'extra.md': null })
  await git(remote.path, ['update-ref', DOCS, added])
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  assert.equal(await f.files(space), { 'README.md': '# Home', 'guide.md': docs['guide.md'].trimEnd() })
  await remote.commit({ 'guide.md': page('one', 'two') })
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'guide.md'], 'deleted here')
})

test('files that had exchanged paths are exchanged back if a recreated branch is reset', async () => {
  const [one, two] = [page('one', 'of', 'the', 'first'), page('two', 'of', 'the', 'second')]
  const remote = await f.remotes.createRepository('anew.git', { files: { ...docs, 'one.md': one } })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await f.edit(space, {
    'README.md': '# Home\n\nmine\n',
    'one.md': page('one', 'of', 'mine', 'the', 'first'),
    'two.md': two,
  })
  assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
  const exported = await git(remote.path, ['rev-parse', DOCS])
  await mergeOnRemote(remote, 'docs', 'squash')
  await remote.commit({ 'one.md': two, 'two.md': page('one', 'of', 'mine', 'the', 'first') })
  await f.edit(space, { 'new.md': '# New\n' })
  assert.is((await f.export(space, { url })).result, 'exported')
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await f.edit(space, { 'README.md': '# Home\n\nmine again\n' })
  assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
  await f.edit(space, { 'two.md': page('one', 'of', 'mine', 'the', 'first', 'edited') })
  await git(remote.path, ['update-ref', DOCS, exported])
  assert.equal(await f.decide(space, await f.import(space, { url, ref: DOCS }), 'change-request'), [
    'README.md',
    'new.md',
  ])
  const files = await f.files(space)
  assert.is(files['one.md'], page('one', 'of', 'mine', 'the', 'first', 'edited').trimEnd())
  assert.is(files['two.md'], two.trimEnd())
  assert.is(files['README.md'], '# Home\n\nmine')
})

for (const arrived of [true, false])
  test(`work after a push that ${arrived ? 'arrived but' : 'did not arrive and'} got no response stays after a partial drop`, async () => {
    const remote = await f.remotes.createRepository(`lost-response-${arrived}.git`, {
      files: { ...docs, 'other.md': page('some', 'text') },
    })
    const { url } = remote
    const first = (await remote.head()) as string
    const space = await f.space()
    await f.import(space, { url })
    await f.edit(space, { 'extra.md': '# Extra\n' })
    assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
    await mergeOnRemote(remote, 'docs', 'merge')
    const merged = await remote.commit({ 'README.md': '# Home\n\nthere\n' })
    assert.is((await f.import(space, { url })).state, 'success')
    await f.edit(space, { 'guide.md': page('one', 'three', 'four'), 'new.md': '# New\n', 'other.md': null })
    f.remotes.behaviour.losePushResponses = true
    assert.is((await f.export(space, { url })).state, 'failure')
    delete f.remotes.behaviour.losePushResponses
    if (!arrived) await git(remote.path, ['update-ref', 'refs/heads/main', merged])
    await git(remote.path, ['update-ref', DOCS, first])
    assert.equal(await f.decide(space, await f.import(space, { url, ref: DOCS }), 'change-request'), ['extra.md'])
    assert.not.ok('extra.md' in (await f.files(space)), 'dropped there, and so decided here')
    await f.edit(space, { 'guide.md': docs['guide.md'], 'new.md': null, 'other.md': page('some', 'text') })
    await remote.commit({ 'README.md': '# Home\n\nthere again\n' })
    const run = await f.import(space, { url })
    assert.is(run.state, 'success', run.error)
    const files = await f.files(space)
    assert.is(files['README.md'], '# Home\n\nthere again')
    assert.is(files['guide.md'], docs['guide.md'].trimEnd(), 'restored here')
    assert.ok('other.md' in files, 'restored here')
    assert.not.ok('new.md' in files, 'deleted here')
    assert.is((await f.export(space, { url })).state, 'success')
    assert.is(
      await git(remote.path, ['rev-parse', 'main^{tree}']),
      await git(space.repo.path, ['rev-parse', 'main^{tree}']),
    )
    assert.is((await f.import(space, { url })).result, 'unchanged')
  })

test.run()
