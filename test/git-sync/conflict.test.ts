import * as assert from 'uvu/assert'
import { findChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { listConflicts } from '../../src/domain/change-requests/conflicts.js'
import { makeCommit } from '../../src/domain/commits/make-commit.js'
import { overridesAt } from '../../src/domain/revisions/identity.js'
import { mergeChangeRequest } from '../../src/domain/change-requests/merge-requests.js'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { type ChangeRequestDoc, changeRequests } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'
import { anyLease } from '../support/lease.js'

const [test, f] = await suiteWith('git sync conflicts', startFixture)

const docs = {
  'README.md': '# Home\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n',
  'guide.md': '# Guide\n\none\n',
}
const head = (space: LoadedSpace, ref = 'refs/heads/main'): CommitId => space.repo.refs.head(ref as RefName) as CommitId
const changeRequest = async (id: string | undefined): Promise<ChangeRequestDoc> =>
  (await f.app.store.get(changeRequests, id ?? '')) as ChangeRequestDoc

/** A space and a remote whose `guide.md` conflicts. The import has run. */
async function collide(name: string, options: { exportedBefore?: boolean } = {}) {
  const remote = await f.remotes.createRepository(`${name}.git`, { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  if (options.exportedBefore) {
    await f.edit(space, { 'extra.md': '# Extra\n\nexported\n' })
    await f.export(space, { url: remote.url })
    await f.edit(space, { 'extra.md': '# Extra\n\nchanged since\n' })
  }
  const mine = await f.edit(space, { 'guide.md': '# Guide\n\nmine\n' })
  const theirs = await remote.commit({ 'guide.md': '# Guide\n\ntheirs\n' })
  return { remote, space, mine, theirs }
}

/** Merges main into the branch by hand with the given content, then merges the change request. */
async function resolve(space: LoadedSpace, id: string | undefined, content: string): Promise<ChangeRequestDoc> {
  const doc = await changeRequest(id)
  const branch = `refs/heads/change-requests/${doc.number}` as RefName
  const ours = head(space, branch)
  const { tree } = await space.repo.trees.merge({ ours, theirs: head(space) })
  const commit = await makeCommit(f.app, space, {
    parents: [ours, head(space)],
    tree,
    changes: [{ path: 'guide.md', content: Buffer.from(content) }],
    message: 'Resolve\n',
    author: f.actor.user,
    overrides: await overridesAt(f.app, space, ours),
  })
  await space.repo.refs.move([{ ref: branch, from: ours, to: commit }], 'resolve', anyLease)
  const loaded = await findChangeRequest(f.app, space, doc.id)
  if (!loaded) throw new Error('no change request')
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), loaded)
  return changeRequest(id)
}

test('a conflict leaves main unchanged, and the merge of its change request unblocks exports', async () => {
  const { remote, space, mine, theirs } = await collide('resolve')
  const blocked = await f.export(space, { url: remote.url, commitMessage: 'Blocked' })
  assert.is(blocked.state, 'conflict')
  assert.match(blocked.error ?? '', /guide\.md/)
  assert.is(head(space), mine)
  assert.is(await remote.head(), theirs)
  const doc = await changeRequest(blocked.changeRequest)
  assert.is(doc.status, 'open')
  assert.is(head(space, `refs/heads/change-requests/${doc.number}`), theirs)
  assert.is((await f.reload(space)).doc.changeRequestsOpen, 1)

  const again = await f.import(space, { url: remote.url })
  assert.is(again.changeRequest, doc.id, 'one change request per remote')
  assert.is(head(space, `refs/heads/change-requests/${doc.number}`), theirs)

  await resolve(space, doc.id, '# Guide\n\nboth\n')
  const run = await f.last(space)
  assert.is(run.direction, 'export')
  assert.is(run.result, 'exported')
  assert.is(await git(remote.path, ['log', '-1', '--format=%s|%P', 'main']), `Blocked|${theirs}`)
  assert.is((await f.remoteFiles(remote.url))['guide.md'], '# Guide\n\nboth')
  assert.is(space.repo.refs.head(`refs/bindery/incoming/${run.key}` as RefName), null)
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
})

test('a later head is merged into the conflict branch if possible, and never resets it', async () => {
  const { remote, space } = await collide('later')
  const first = await f.import(space, { url: remote.url })
  const doc = await changeRequest(first.changeRequest)
  const branch = `refs/heads/change-requests/${doc.number}` as RefName
  const work = await f.edit(space, { 'notes.md': '# Work on the resolution\n' }, branch)
  const later = await remote.commit({ 'README.md': '# Home\n\nlater\n' })
  const run = await f.import(space, { url: remote.url })
  assert.is(run.state, 'conflict')
  assert.is(run.changeRequest, doc.id)
  assert.is(await git(space.repo.path, ['log', '-1', '--format=%P', branch]), `${work} ${later}`)

  await f.edit(space, { 'README.md': '# Home\n\nresolved here\n' }, branch)
  const held = head(space, branch)
  const third = await remote.commit({ 'README.md': '# Home\n\neven later\n' })
  const beside = await f.import(space, { url: remote.url })
  assert.match(beside.error ?? '', new RegExp(third.slice(0, 12)))
  assert.is(head(space, branch), held)
  assert.is(space.repo.refs.head(`refs/bindery/incoming/${beside.key}` as RefName), third)
})

test('an import that merges cleanly archives the conflict change request with the reason', async () => {
  const { remote, space } = await collide('settled')
  const first = await f.import(space, { url: remote.url })
  await remote.commit({ 'guide.md': docs['guide.md'], 'other.md': '# Other\n' })
  const run = await f.import(space, { url: remote.url })
  assert.is(run.result, 'merged')
  const doc = await changeRequest(first.changeRequest)
  assert.is(doc.status, 'archived')
  assert.match(doc.note ?? '', /merged cleanly/)
  assert.is((await f.reload(space)).doc.changeRequestsOpen, 0)
  assert.ok(head(space, `refs/heads/change-requests/${doc.number}`), 'the branch stays')
})

test('content that was exported earlier is not part of a conflict', async () => {
  const { remote, space } = await collide('exported', { exportedBefore: true })
  const run = await f.import(space, { url: remote.url })
  assert.is(run.state, 'conflict')
  assert.not.match(run.error ?? '', /extra\.md/)
  const doc = await changeRequest(run.changeRequest)
  const merge = await space.repo.trees.merge({
    ours: head(space),
    theirs: head(space, `refs/heads/change-requests/${doc.number}`),
  })
  assert.equal(merge.clean ? [] : merge.conflicts.map((one) => one.path), ['guide.md'])
  await resolve(space, doc.id, '# Guide\n\nboth\n')
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
  assert.is((await f.export(space, { url: remote.url })).result, 'exported')
  assert.is((await f.remoteFiles(remote.url))['extra.md'], '# Extra\n\nchanged since')
})

test('a conflict with a rewritten history ends when it is resolved', async () => {
  const { remote, space } = await collide('rewritten-conflict')
  await git(remote.path, [
    'update-ref',
    'refs/heads/main',
    (await git(remote.path, ['commit-tree', '-m', 'New root', 'main^{tree}'])) as string,
  ])
  const run = await f.import(space, { url: remote.url })
  assert.is(run.state, 'conflict')
  await resolve(space, run.changeRequest, '# Guide\n\nboth\n')
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
  assert.is((await f.files(space))['guide.md'], '# Guide\n\nboth')
  assert.is((await f.export(space, { url: remote.url })).result, 'exported')
})

test('the next import repairs a crash before the conflict branch was created', async () => {
  const { remote, space, mine, theirs } = await collide('half')
  const first = await f.import(space, { url: remote.url })
  const { number } = await changeRequest(first.changeRequest)
  const branch = `refs/heads/change-requests/${number}` as RefName
  for (const left of [mine, null] as const) {
    await space.repo.refs.move([{ ref: branch, from: theirs as CommitId, to: left }], 'as after a crash', anyLease)
    assert.is((await f.import(space, { url: remote.url })).state, 'conflict')
    assert.is(head(space, branch), theirs)
  }
})

test('a conflict has one change request for any number of heads', async () => {
  const { remote, space } = await collide('many')
  for (let i = 0; i < 5; i++) {
    await remote.commit({ 'guide.md': `# Guide\n\ntheirs ${i}\n` })
    assert.is((await f.import(space, { url: remote.url })).state, 'conflict')
  }
  assert.is(await f.app.store.count(changeRequests, 'space', space.doc.id), 1)
})

for (const told of ['another branch', 'another branch that is as main is here'])
  test(`a conflict does not undo local reverts after its head was imported by ${told}`, async () => {
    const equal = told !== 'another branch'
    const lines = (...some: string[]): string => `# Guide\n\n${some.join('\n\n')}\n`
    const files = { ...docs, 'guide.md': lines('one', 'two', 'three', 'four') }
    const remote = await f.remotes.createRepository(`overtaken-${equal}.git`, { files })
    const { url } = remote
    const first = (await remote.head()) as string
    const space = await f.space()
    await f.import(space, { url })
    await f.edit(space, { 'guide.md': lines('one', 'three', 'four') })
    await f.export(space, { url })
    await git(remote.path, ['update-ref', 'refs/heads/main', first])
    await f.export(space, { url, ref: 'refs/heads/docs' })
    await f.edit(space, { 'README.md': '# Home\n\nmine\n' })
    const restored = await remote.commit({ 'README.md': '# Home\n\ntheirs\n' })
    const run = await f.import(space, { url })
    assert.is(run.state, 'conflict')

    await git(remote.path, ['update-ref', 'refs/heads/docs-by-hand', restored])
    const byHand = await remote.commit({ 'README.md': '# Home\n\nmine\n' }, { ref: 'refs/heads/docs-by-hand' })
    const both = await git(
      remote.path,
      ['commit-tree', '-p', 'docs', '-p', restored, '-m', 'Merge main', `${byHand}^{tree}`],
      '',
    )
    await git(remote.path, ['update-ref', 'refs/heads/docs', both])
    // A person may have written exactly that here.
    if (equal) await f.edit(space, { 'guide.md': lines('one', 'two', 'three', 'four') })
    assert.is((await f.import(space, { url, ref: 'refs/heads/docs' })).state, 'success')
    assert.is((await f.files(space))['guide.md'], lines('one', 'two', 'three', 'four').trimEnd())
    await f.edit(space, { 'guide.md': lines('one', 'three', 'four') })

    const held = await findChangeRequest(f.app, space, run.changeRequest as string)
    if (!held) throw new Error('no change request')
    await mergeChangeRequest(f.app, f.actor, await f.reload(space), held)
    assert.is((await f.files(space))['guide.md'], lines('one', 'three', 'four').trimEnd())
    assert.is((await f.files(space))['README.md'], '# Home\n\nmine')
  })

test('a later head of a conflict restores content that main dropped with its history', async () => {
  const page = (last: string): string =>
    `# Page\n\n${Array.from({ length: 9 }, (_, n) => `Line ${n}.\n`).join('\n')}${last}`
  const remote = await f.remotes.createRepository('again.git', { files: { ...docs, 'page.md': page('') } })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const first = (await remote.head()) as string
  const long = await remote.commit({ 'page.md': page('\nSaid once.\n'), 'guide.md': '# Guide\n\ntheirs\n' })
  await f.import(space, { url: remote.url })
  await git(remote.path, ['update-ref', 'refs/heads/main', first])
  assert.is((await f.import(space, { url: remote.url })).result, 'merged')
  await f.edit(space, { 'guide.md': '# Guide\n\nmine\n' })
  await git(remote.path, ['update-ref', 'refs/heads/main', long])
  const run = await f.import(space, { url: remote.url })
  assert.is(run.state, 'conflict')
  await remote.commit({ 'other.md': '# Other\n' })
  assert.is((await f.import(space, { url: remote.url })).changeRequest, run.changeRequest)
  const { number } = await changeRequest(run.changeRequest)
  assert.is(await git(space.repo.path, ['show', `refs/heads/change-requests/${number}:other.md`]), '# Other')
  // The person who deletes the page here does not know that the remote has it again.
  await f.edit(space, { 'page.md': null })
  const loaded = (await findChangeRequest(f.app, space, run.changeRequest as string)) as NonNullable<
    Awaited<ReturnType<typeof findChangeRequest>>
  >
  const conflicts = await listConflicts(f.app, await f.reload(space), loaded)
  assert.equal(
    conflicts.map(({ path, kind }) => [path, kind]),
    [
      ['guide.md', 'content'],
      ['page.md', 'modify/delete'],
    ],
  )
})

test.run()
