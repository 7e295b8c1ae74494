import * as assert from 'uvu/assert'
import { structureAt } from '../../src/domain/revisions/structures.js'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { type Edit, startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('IDs of arriving pages', startFixture)

const text = (word: string): string =>
  `# ${word}\n\n${Array.from({ length: 9 }, (_, n) => `${word} line ${n}.\n`).join('')}`
type Remote = Awaited<ReturnType<typeof f.remotes.createRepository>>
const DOCS = {
  'README.md': '# Home\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [A](a.md)\n* [B](b.md)\n',
  'a.md': text('alpha'),
  'b.md': text('beta'),
}
const idsOf = async ({ doc, repo }: LoadedSpace, ref = 'refs/heads/main'): Promise<Record<string, string>> => {
  const head = repo.refs.head(ref as RefName) as CommitId
  const { byGitPath } = await structureAt(f.app, { doc, repo }, head)
  return Object.fromEntries([...byGitPath].map(([path, page]) => [path, page.id]))
}

/** Creates a new head of main as an administrator would, so that its IDs are inferred. */
async function byHand({ repo }: LoadedSpace): Promise<void> {
  const plain = await git(repo.path, ['commit-tree', 'main^{tree}', '-p', 'main^', '-m', 'By hand'])
  await git(repo.path, ['update-ref', 'refs/heads/main', plain.trim()])
}

for (const [n, page] of ['notes.md', 'README.md'].entries())
  test(`pages keep their IDs if an unrecorded export returns below a person's commit of ${page}`, async () => {
    const remote = await f.remotes.createRepository(`cut-${n}.git`, { files: DOCS })
    const space = await f.space()
    await f.import(space, { url: remote.url })
    await f.edit(space, { 'README.md': '# Home\n\nOne.\n' })
    await f.export(space, { url: remote.url })
    const before = await idsOf(space)
    const refs = await git(space.repo.path, [
      'for-each-ref',
      '--format=update %(refname) %(objectname)',
      'refs/bindery/sync',
    ])
    // In place, by edits of the two pages: nothing has moved.
    await f.edit(space, { 'a.md': DOCS['b.md'], 'b.md': DOCS['a.md'] })
    await f.export(space, { url: remote.url })
    // The response was cut off, and the record was mistaken for that of a push that never happened.
    const all = await git(space.repo.path, ['for-each-ref', '--format=delete %(refname)', 'refs/bindery/sync'])
    const gone = all.split('\n').filter((line) => !refs.includes(`${line.slice('delete '.length)} `))
    await git(space.repo.path, ['update-ref', '--stdin'], `${[...refs.split('\n'), ...gone].join('\n')}\n`)
    await f.edit(space, { 'other.md': 'Two.\n' })
    await remote.commit({ [page]: page === 'README.md' ? '# Home of all\n\nOne.\n' : 'New.\n' })
    const run = await f.import(space, { url: remote.url })
    assert.is(run.error, undefined)
    assert.is(run.result, 'merged')
    assert.equal(await idsOf(space), before)
    f.app.content.clear()
    assert.equal(await idsOf(space), before)
  })

test('a forced import keeps the ID of an equal page, whatever its ID was before', async () => {
  const remote = await f.remotes.createRepository('same-page.git', { files: DOCS })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const entries = '# Table of contents\n\n* [Home](README.md)\n* [A](x.md)\n* [B](b.md)\n'
  // Here it is another page. On the remote it is the moved one.
  await f.edit(space, { 'a.md': null })
  await f.edit(space, { 'x.md': DOCS['a.md'], 'SUMMARY.md': entries })
  const before = await idsOf(space)
  await remote.commit({ 'a.md': null, 'x.md': DOCS['a.md'], 'SUMMARY.md': entries, 'README.md': '# Home of all\n' })
  assert.is((await f.import(space, { url: remote.url, force: true })).result, 'merged')
  assert.equal(await idsOf(space), before)
  f.app.content.clear()
  assert.equal(await idsOf(space), before)
})

test('a manual merge that restores a page at a path that another page took keeps both IDs', async () => {
  const remote = await f.remotes.createRepository('put-back.git', { files: DOCS })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const before = await idsOf(space)
  await f.edit(space, { 'README.md': '# Home\n\nOne.\n' })
  await f.export(space, { url: remote.url })
  await git(remote.path, ['update-ref', 'refs/heads/docs', 'main'])
  await remote.commit({ 'b.md': `${DOCS['b.md']}\nThere.\n` }, { ref: 'refs/heads/docs' })
  await remote.commit({ 'a.md': DOCS['b.md'], 'b.md': DOCS['a.md'] })
  await f.import(space, { url: remote.url })
  assert.is((await idsOf(space))['b.md'], before['a.md'])
  const merged = {
    'a.md': null,
    'b.md': DOCS['b.md'],
    'apart.md': DOCS['a.md'],
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [B](b.md)\n* [A](apart.md)\n',
  }
  await remote.commit(merged)
  const tree = await git(remote.path, ['rev-parse', 'main^{tree}'])
  const merge = await git(remote.path, [
    'commit-tree',
    tree.trim(),
    '-p',
    'main^',
    '-p',
    'docs',
    '-m',
    'Merge docs by hand',
  ])
  await git(remote.path, ['update-ref', 'refs/heads/main', merge.trim()])
  assert.is((await f.import(space, { url: remote.url })).result, 'merged')
  const after = await idsOf(space)
  assert.equal([after['b.md'], after['apart.md']], [before['b.md'], before['a.md']])
  f.app.content.clear()
  assert.equal(await idsOf(space), after)
})

for (const [what, edit, listed] of [
  ['a page that was renamed here', { 'x.md': null, 'y.md': DOCS['a.md'] }, '* [A](y.md)\n* [B](b.md)\n'],
  ['pages that changed places here', { 'x.md': DOCS['b.md'], 'b.md': DOCS['a.md'] }, '* [B](x.md)\n* [A](b.md)\n'],
  ['a page that was deleted here', { 'x.md': null }, '* [B](b.md)\n'],
] as const)
  test(`a forced import restores ${what} as the page that the remote has`, async () => {
    const remote = await f.remotes.createRepository(`taken-${what.replaceAll(' ', '-')}.git`, { files: DOCS })
    const space = await f.space()
    await f.import(space, { url: remote.url })
    const summary = (entries: string): string => `# Table of contents\n\n* [Home](README.md)\n${entries}`
    await remote.commit({ 'a.md': null, 'x.md': DOCS['a.md'], 'SUMMARY.md': summary('* [A](x.md)\n* [B](b.md)\n') })
    await f.import(space, { url: remote.url })
    const before = await idsOf(space)
    await f.edit(space, { ...edit, 'SUMMARY.md': summary(listed) })
    await byHand(space)
    assert.not.equal(await idsOf(space), before)
    await remote.commit({ 'README.md': '# Home of all\n' })
    const run = await f.import(space, { url: remote.url, force: true })
    assert.is(run.result, 'merged')
    assert.equal(await idsOf(space), before)
    f.app.content.clear()
    assert.equal(await idsOf(space), before)
  })

test('a page keeps its ID if a merge on the remote brought it to the branch at another path', async () => {
  const remote = await f.remotes.createRepository('put-elsewhere.git', { files: DOCS })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await f.edit(space, { 'README.md': '# Home\n\nOne.\n' })
  await f.export(space, { url })
  const list = `${DOCS['SUMMARY.md']}* [New](new.md)\n`
  await f.edit(space, { 'new.md': text('new'), 'SUMMARY.md': list })
  await f.export(space, { url, ref: 'refs/heads/docs' })
  const { 'new.md': id, ...others } = await idsOf(space)
  await git(remote.path, ['update-ref', 'refs/heads/by-hand', 'main'])
  const byHand = await remote.commit(
    { 'moved.md': text('new'), 'SUMMARY.md': list.replace('new.md', 'moved.md') },
    { ref: 'refs/heads/by-hand' },
  )
  await git(remote.path, [
    'update-ref',
    'refs/heads/main',
    await git(remote.path, ['commit-tree', '-p', 'main', '-p', 'docs', '-m', 'Merge docs', `${byHand}^{tree}`], ''),
  ])
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.equal(await idsOf(space), { ...others, 'moved.md': id })
})

test('a page keeps its ID if a merge on the remote put it at a new path with an edit', async () => {
  const remote = await f.remotes.createRepository('put-and-edited.git', { files: DOCS })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  // An export records the page IDs, so the remote history counts.
  await f.edit(space, { 'README.md': '# Home\n\nOne.\n' })
  await f.export(space, { url })
  const { 'a.md': id, ...others } = await idsOf(space)
  const list = (path: string): string => DOCS['SUMMARY.md'].replace('a.md', path)
  await git(remote.path, ['update-ref', 'refs/heads/docs', 'main'])
  await remote.commit({ 'a.md': null, 'ours.md': DOCS['a.md'], 'SUMMARY.md': list('ours.md') })
  await remote.commit(
    { 'a.md': null, 'theirs.md': `${DOCS['a.md']}More.\n`, 'SUMMARY.md': list('theirs.md') },
    { ref: 'refs/heads/docs' },
  )
  await git(remote.path, ['update-ref', 'refs/heads/by-hand', 'main'])
  const files = { 'ours.md': null, 'third.md': `${DOCS['a.md']}More, and more.\n`, 'SUMMARY.md': list('third.md') }
  const byHand = await remote.commit(files, { ref: 'refs/heads/by-hand' })
  const merge = await git(
    remote.path,
    ['commit-tree', '-p', 'main', '-p', 'docs', '-m', 'Merge docs', `${byHand}^{tree}`],
    '',
  )
  await git(remote.path, ['update-ref', 'refs/heads/main', merge])
  await f.edit(space, { 'README.md': '# Home\n\nTwo.\n' })
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.equal(await idsOf(space), { ...others, 'third.md': id })
  // The way back only through plain Git commits, which the service has not recorded.
  f.app.content.clear()
  assert.equal(await idsOf(space), { ...others, 'third.md': id })
})

test('a page that was exported to two branches and renamed on one keeps its ID', async () => {
  const remote = await f.remotes.createRepository('went-back.git', { files: DOCS })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', 'refs/heads/docs', 'main'])
  await remote.commit({ 'docs.md': '# Docs\n' }, { ref: 'refs/heads/docs' })
  await f.import(space, { url, ref: 'refs/heads/docs' })
  const list = `${DOCS['SUMMARY.md']}* [New](new.md)\n`
  await f.edit(space, { 'new.md': text('new'), 'SUMMARY.md': list })
  for (const ref of ['refs/heads/main', 'refs/heads/docs'])
    assert.is((await f.export(space, { url, ref })).result, 'exported')
  const { 'new.md': id, ...others } = await idsOf(space)
  await remote.commit({
    'new.md': null,
    'moved.md': `${text('new')}more\n`,
    'SUMMARY.md': list.replace('new.md', 'moved.md'),
  })
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.equal(await idsOf(space), { ...others, 'moved.md': id })
  await remote.commit({ 'a.md': 'Mistaken.\n' })
  await remote.commit({ 'a.md': DOCS['a.md'] })
  await remote.commit({ 'README.md': '# Home of all\n' })
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.equal(await idsOf(space), { ...others, 'moved.md': id })
})

test('a page keeps its ID if the remote deleted it under its old name and restored the new one', async () => {
  const remote = await f.remotes.createRepository('same-place.git', { files: DOCS })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  const list = DOCS['SUMMARY.md'].replace('a.md', 'x.md')
  await remote.commit({ 'a.md': null, 'x.md': DOCS['a.md'], 'SUMMARY.md': list })
  await f.import(space, { url })
  await f.edit(space, { 'README.md': '# Home of all\n' })
  await f.export(space, { url })
  const before = await idsOf(space)
  await remote.commit({ 'a.md': DOCS['a.md'], 'x.md': null, 'SUMMARY.md': DOCS['SUMMARY.md'] })
  await remote.commit({ 'a.md': null, 'SUMMARY.md': list.replace('* [A](x.md)\n', '') })
  await remote.commit({ 'x.md': `${DOCS['a.md']}more\n`, 'SUMMARY.md': list })
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.equal(await idsOf(space), before)
  f.app.content.clear()
  assert.equal(await idsOf(space), before)
})

test('a restored page keeps its ID under a new name with an edit, but not by its title alone', async () => {
  const remote = await f.remotes.createRepository('back-elsewhere.git', { files: DOCS })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await f.edit(space, { 'README.md': '# Home of all\n' })
  await f.export(space, { url })
  const { 'a.md': a, 'b.md': b, ...others } = await idsOf(space)
  await remote.commit({ 'a.md': null, 'b.md': null, 'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n' })
  const entries = '* [A](x.md)\n* [B](y.md)\n'
  await remote.commit({
    'x.md': `${DOCS['a.md']}more\n`,
    'y.md': text('other'),
    'SUMMARY.md': `# Table of contents\n\n* [Home](README.md)\n${entries}`,
  })
  await f.edit(space, { 'a.md': text('alpha').replace('line 0', 'line of ours') })
  const run = await f.import(space, { url })
  // Local edits reach the restored page.
  assert.is(run.result, 'merged', run.error)
  const { 'x.md': x, 'y.md': y, ...rest } = await idsOf(space)
  assert.equal(rest, others)
  assert.is(x, a)
  assert.is.not(y, b)
  assert.is((await f.files(space))['x.md'], `${text('alpha').replace('line 0', 'line of ours')}more`)
  f.app.content.clear()
  assert.is((await idsOf(space))['x.md'], a)
})

test('a new page with the text of a deleted one stays new, whatever arrives later', async () => {
  const remote = await f.remotes.createRepository('made-here.git', { files: DOCS })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await f.edit(space, { 'README.md': '# Home of all\n' })
  await f.export(space, { url })
  const refs = await git(space.repo.path, [
    'for-each-ref',
    '--format=update %(refname) %(objectname)',
    'refs/bindery/sync',
  ])
  const [before, main] = [await idsOf(space), space.repo.refs.head('refs/heads/main' as RefName) as CommitId]
  await f.edit(space, { 'a.md': null, 'SUMMARY.md': DOCS['SUMMARY.md'].replace('* [A](a.md)\n', '') })
  await f.edit(space, { 'x.md': `${DOCS['a.md']}more\n`, 'SUMMARY.md': DOCS['SUMMARY.md'].replace('a.md', 'x.md') })
  await f.export(space, { url })
  const { 'x.md': made } = await idsOf(space)
  assert.is.not(made, before['a.md'])
  // A member resets main to before that. The log is unchanged.
  const all = await git(space.repo.path, ['for-each-ref', '--format=delete %(refname)', 'refs/bindery/sync'])
  const gone = all.split('\n').filter((line) => !refs.includes(`${line.slice('delete '.length)} `))
  await git(
    space.repo.path,
    ['update-ref', '--stdin'],
    `${[...refs.split('\n'), ...gone, `update refs/heads/main ${main}`].join('\n')}\n`,
  )
  await f.edit(space, { 'other.md': 'Two.\n' })
  await remote.commit({ 'notes.md': 'New.\n' })
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.is((await idsOf(space))['x.md'], made)
})

/**
 * A page is written here and changes places with an old one. On the remote, a person makes the same changes in their
 * own commit. Returns the remote and the space.
 */
async function changedPlaces(
  name: string,
  extra: Edit = {},
): Promise<{ remote: Remote; space: LoadedSpace; summary: string }> {
  const remote = await f.remotes.createRepository(name, { files: DOCS })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  const summary = (a: string, x: string): string =>
    `# Table of contents\n\n* [Home](README.md)\n* [A](${a})\n* [B](b.md)\n* [New](${x})\n`
  await f.edit(space, { 'x.md': text('new'), 'SUMMARY.md': summary('a.md', 'x.md') })
  const { 'a.md': old, 'x.md': made } = await idsOf(space)
  await f.edit(space, { 'a.md': text('new'), 'x.md': text('alpha'), 'SUMMARY.md': summary('x.md', 'a.md') })
  await byHand(space)
  const { 'a.md': a, 'x.md': x } = await idsOf(space)
  assert.equal([a, x], [made, old])
  await remote.commit({ 'a.md': text('new'), 'x.md': text('alpha'), 'SUMMARY.md': summary('x.md', 'a.md'), ...extra })
  return { remote, space, summary: summary('x.md', 'a.md') }
}

test('a page keeps the ID of main, even if a squash gave it another ID on the remote', async () => {
  const { remote, space, summary } = await changedPlaces('other-id.git', { 'README.md': '# Home of all\n' })
  const before = await idsOf(space)
  const { url } = remote
  assert.is((await f.import(space, { url })).result, 'merged')
  assert.equal(await idsOf(space), before)
  await remote.commit({ 'a.md': null, 'z.md': `${text('new')}more\n`, 'SUMMARY.md': summary.replace('a.md', 'z.md') })
  assert.is((await f.import(space, { url })).result, 'merged')
  const { 'a.md': made, ...others } = before
  assert.equal(await idsOf(space), { ...others, 'z.md': made })
})

test('a page on a conflict branch has the ID of main, even if the remote has another ID', async () => {
  const { remote, space } = await changedPlaces('other-id-held.git', { 'b.md': text('theirs') })
  await f.edit(space, { 'b.md': text('ours') })
  const before = await idsOf(space)
  assert.is((await f.import(space, { url: remote.url })).result, 'conflict')
  assert.equal(await idsOf(space, 'refs/heads/change-requests/1'), before)
  f.app.content.clear()
  assert.equal(await idsOf(space, 'refs/heads/change-requests/1'), before)
})

for (const held of [false, true])
  test(`a replacement page on both sides is one page${held ? ', also for a later head of a conflict' : ''}`, async () => {
    const remote = await f.remotes.createRepository(`same-place-${held}.git`, {
      files: { ...DOCS, 'c.md': text('gamma') },
    })
    const { url } = remote
    const space = await f.space()
    await f.import(space, { url })
    const summary = '# Table of contents\n\n* [Home](README.md)\n* [B](a.md)\n'
    await f.edit(space, { 'a.md': null, 'SUMMARY.md': DOCS['SUMMARY.md'].replace('* [A](a.md)\n', '') })
    await f.edit(space, { 'b.md': null, 'a.md': text('beta'), 'SUMMARY.md': summary })
    if (held) await f.edit(space, { 'c.md': text('ours') })
    const before = await idsOf(space)
    // On the remote it takes two commits, and is another page for anyone who follows them.
    await remote.commit({
      'b.md': null,
      'SUMMARY.md': DOCS['SUMMARY.md'].replace('* [B](b.md)\n', ''),
      ...(held ? { 'c.md': text('theirs') } : {}),
    })
    if (held) assert.is((await f.import(space, { url })).result, 'conflict')
    await remote.commit({ 'a.md': text('beta'), 'SUMMARY.md': summary, 'README.md': '# Home of all\n' })
    const run = await f.import(space, { url })
    if (!held) assert.is(run.result, 'merged', run.error)
    assert.equal(await idsOf(space, held ? 'refs/heads/change-requests/1' : 'refs/heads/main'), before)
  })

test.run()
