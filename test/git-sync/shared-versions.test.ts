import * as assert from 'uvu/assert'
import { defaultId, overrideKey } from '../../src/content/identity.js'
import { makeCommit } from '../../src/domain/commits/make-commit.js'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('file versions that both sides had since the merge base', startFixture)

const DOCS = 'refs/heads/docs'
const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n')}\n`

/**
 * An export to `docs` that a person squashed into main there with their own changes to another page, so that it is
 * not recognized.
 */
async function squashedByHand(
  name: string,
): Promise<{ space: LoadedSpace; remote: Awaited<ReturnType<typeof f.remotes.createRepository>>; url: string }> {
  const remote = await f.remotes.createRepository(`${name}.git`, {
    files: {
      'README.md': '# Home\n',
      'guide.md': page('one', 'two', 'three'),
      'other.md': page('one', 'two', 'three', 'four', 'five'),
    },
  })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await f.edit(space, {
    'guide.md': page('one', 'mine', 'three'),
    'other.md': page('one', 'two', 'three', 'four', 'five', 'six'),
  })
  assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
  await remote.commit({
    'guide.md': page('one', 'mine', 'three'),
    'other.md': page('zero', 'one', 'two', 'three', 'four', 'five', 'six'),
  })
  return { space, remote, url }
}

test('a remote edit of manually squashed content is imported', async () => {
  const { space, remote, url } = await squashedByHand('there')
  await remote.commit({ 'guide.md': page('one', 'mine and theirs', 'three') })
  assert.is((await f.import(space, { url })).state, 'success')
  assert.is((await f.files(space))['guide.md'], page('one', 'mine and theirs', 'three').trimEnd())
})

test('a local edit of manually squashed content is kept', async () => {
  const { space, url } = await squashedByHand('here')
  await f.edit(space, { 'guide.md': page('one', 'mine, later', 'three') })
  assert.is((await f.import(space, { url })).state, 'success')
  const files = await f.files(space)
  assert.is(files['guide.md'], page('one', 'mine, later', 'three').trimEnd())
  assert.is(files['other.md'], page('zero', 'one', 'two', 'three', 'four', 'five', 'six').trimEnd())
})

test('edits on both sides of manually squashed content conflict', async () => {
  const { space, remote, url } = await squashedByHand('both')
  await remote.commit({ 'guide.md': page('one', 'theirs', 'three') })
  await f.edit(space, { 'guide.md': page('one', 'mine, later', 'three') })
  assert.is((await f.import(space, { url })).state, 'conflict')
})

type Repository = Awaited<ReturnType<typeof f.remotes.createRepository>>

/** The same with a page that is new in the export. `before`: earlier events. */
async function newSquashedByHand(
  name: string,
  before?: (remote: Repository, space: LoadedSpace) => Promise<void>,
): Promise<{ space: LoadedSpace; remote: Repository; url: string }> {
  const remote = await f.remotes.createRepository(`${name}.git`, {
    files: { 'README.md': '# Home\n', 'other.md': page('one', 'two', 'three', 'four') },
  })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await before?.(remote, space)
  await f.edit(space, { 'new.md': page('a', 'new', 'page'), 'other.md': page('one', 'two', 'three', 'four', 'five') })
  assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
  await remote.commit({
    'new.md': page('a', 'new', 'page'),
    'other.md': page('zero', 'one', 'two', 'three', 'four', 'five'),
  })
  return { space, remote, url }
}

test('a new page that was squashed manually and edited remotely does not conflict', async () => {
  const { space, remote, url } = await newSquashedByHand('edited-there')
  await remote.commit({ 'new.md': page('a', 'new', 'page', 'more') })
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  assert.is((await f.files(space))['new.md'], page('a', 'new', 'page', 'more').trimEnd())
})

test('a new page that was squashed manually and moved locally exists once', async () => {
  const { space, remote, url } = await newSquashedByHand('moved-here')
  const id = defaultId('page', 'new.md')
  const main = space.repo.refs.head('refs/heads/main' as RefName) as CommitId
  const moved = await makeCommit(f.app, space, {
    parents: [main],
    changes: [
      { path: 'new.md', delete: true },
      { path: 'moved.md', content: Buffer.from(page('a', 'new', 'page', 'more')) },
    ],
    message: 'Move\n',
    author: f.actor.user,
    overrides: new Map([[overrideKey('page', 'moved.md'), id]]),
  })
  await git(space.repo.path, ['update-ref', 'refs/heads/main', moved])
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  const files = await f.files(space)
  assert.not.ok('new.md' in files)
  assert.is(files['moved.md'], page('a', 'new', 'page', 'more').trimEnd())
  assert.is((await f.export(space, { url })).result, 'exported')
  assert.not.ok('new.md' in (await f.remoteFiles(remote.url)))
})

test('a new page that was squashed manually and moved remotely stays moved, even after a reset', async () => {
  const { space, remote, url } = await newSquashedByHand('moved-there', async (first, then) => {
    // From here on, the remote's history itself identifies the pages.
    await f.edit(then, { 'README.md': '# Home of all\n' })
    await f.export(then, { url: first.url })
    await first.commit({ 'gone.md': '# Gone\n' })
    await f.import(then, { url: first.url })
    await git(first.path, ['update-ref', 'refs/heads/main', 'main^'])
  })
  await remote.commit({ 'new.md': null, 'moved.md': page('a', 'new', 'page') })
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  const files = await f.files(space)
  assert.not.ok('new.md' in files)
  assert.is(files['moved.md'], page('a', 'new', 'page').trimEnd())
})

test('two different new pages at one path conflict', async () => {
  const { space, remote, url } = await newSquashedByHand('two-new')
  await f.edit(space, { 'fresh.md': page('here') })
  await remote.commit({ 'fresh.md': page('there') })
  assert.is((await f.import(space, { url })).state, 'conflict')
})

test('a version that was reverted and restored is imported', async () => {
  const { space, url } = await squashedByHand('again')
  await f.edit(space, { 'guide.md': page('one', 'two', 'three') })
  await f.edit(space, { 'guide.md': page('one', 'two of mine', 'three') })
  assert.is((await f.import(space, { url })).state, 'conflict')
})

test('a version on an old branch from before the merge base has no effect', async () => {
  const remote = await f.remotes.createRepository('old.git', {
    files: { 'README.md': '# Home\n', 'guide.md': page('one', 'two', 'three') },
  })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', 'refs/heads/old', 'main'])
  await remote.commit({ 'old.md': '# Old\n' }, { ref: 'refs/heads/old' })
  await remote.commit({ 'guide.md': page('one', 'secret', 'three') })
  await f.import(space, { url })
  await f.edit(space, { 'guide.md': page('one', 'two', 'three') })
  await remote.commit({ 'guide.md': page('one', 'secret, told', 'three'), 'old.md': '# Old\n' })
  const both = await git(remote.path, ['commit-tree', '-p', 'main', '-p', 'old', '-m', 'Merge old', 'main^{tree}'], '')
  await git(remote.path, ['update-ref', 'refs/heads/main', both])
  assert.is((await f.import(space, { url })).state, 'conflict')
})

test.run()
