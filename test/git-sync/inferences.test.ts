import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import type { BareRepository } from '../support/bare-repository.js'
import { git } from '../support/hermetic-git.js'
import { type MergeStyle, mergeOnRemote } from '../support/people-on-remote.js'
import { isSoak } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('inferred ancestors of a sync', startFixture)

const DOCS = 'refs/heads/docs'
const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n\n')}\n`
const start = { 'README.md': '# Home\n', 'guide.md': page('one', 'two', 'three', 'four'), 'old.md': '# Old\n\ntext\n' }

async function imported(name: string, files: Record<string, string> = start) {
  const remote = await f.remotes.createRepository(`${name}.git`, { files })
  const space = await f.space()
  assert.is((await f.import(space, { url: remote.url })).result, 'adopted')
  return { remote, space, url: remote.url }
}

/** Commits the tree of an earlier commit on top of main, like `git revert` of everything since. */
const backTo = async (remote: BareRepository, commit: string): Promise<void> => {
  const tree = await git(remote.path, ['rev-parse', `${commit}^{tree}`])
  const made = await git(remote.path, [
    '-c',
    'user.name=P',
    '-c',
    'user.email=p@example.org',
    'commit-tree',
    tree,
    '-p',
    'main',
    '-m',
    `Back to ${commit}`,
  ])
  await git(remote.path, ['update-ref', 'refs/heads/main', made])
}

const headOf = (remote: BareRepository): Promise<string> => git(remote.path, ['rev-parse', 'main'])

/** Imports and exports. Both sides must have `expected` at the end. */
async function arrives(space: LoadedSpace, url: string, expected: Record<string, string>): Promise<void> {
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  assert.equal(await f.files(space), expected)
  await f.export(space, { url })
  assert.equal(await f.files(space), expected)
  assert.equal(await f.remoteFiles(url), expected)
}

for (const style of ['merge', 'squash', 'rebase'] satisfies MergeStyle[])
  for (const moved of isSoak ? [false, true] : [style === 'squash']) {
    const how = `${style}${moved ? ', main had moved on' : ''}`
    test(`each merge, revert and restoration of an export by people is imported (${how})`, async () => {
      const { remote, space, url } = await imported(`revert-${style}-${moved}`)
      await f.edit(space, {
        'guide.md': page('one', 'two', 'new', 'three', 'four'),
        'added.md': '# Added\n',
        'old.md': null,
      })
      await f.export(space, { url, ref: DOCS })
      if (moved) await remote.commit({ 'other.md': '# Other\n' })
      const before = await headOf(remote)
      const merged = await mergeOnRemote(remote, 'docs', style)
      const complete = await f.remoteFiles(url)
      await arrives(space, url, complete)
      for (let round = 0; round < 2; round++) {
        await backTo(remote, before)
        await arrives(space, url, await f.remoteFiles(url))
        await backTo(remote, merged)
        await arrives(space, url, complete)
      }
    })
  }

test('one import contains a squash, its revert and the revert of the revert', async () => {
  const { remote, space, url } = await imported('at-once')
  await f.edit(space, { 'added.md': '# Added\n' })
  await f.export(space, { url, ref: DOCS })
  const before = await headOf(remote)
  const merged = await mergeOnRemote(remote, 'docs', 'squash')
  await backTo(remote, before)
  await backTo(remote, merged)
  await arrives(space, url, await f.remoteFiles(url))
  assert.ok('added.md' in (await f.files(space)))
})

test('a value from a squashed export that people toggle in ordinary commits is imported', async () => {
  const { remote, space, url } = await imported('switched', { ...start, 'vars.md': page('color: red') })
  await f.edit(space, { 'vars.md': page('color: blue') })
  await f.export(space, { url, ref: DOCS })
  await mergeOnRemote(remote, 'docs', 'squash')
  await f.import(space, { url })
  for (const color of ['red', 'blue', 'red', 'blue']) {
    await remote.commit({ 'vars.md': page(`color: ${color}`), 'log.md': `# Log\n\n${color}\n` })
    await arrives(space, url, await f.remoteFiles(url))
  }
})

test('a page exists after it was squashed remotely, deleted locally and then cherry-picked', async () => {
  const { remote, space, url } = await imported('picked')
  await f.edit(space, { 'added.md': '# Added\n' })
  await f.export(space, { url, ref: DOCS })
  await mergeOnRemote(remote, 'docs', 'squash')
  await f.import(space, { url })
  await f.edit(space, { 'added.md': null })
  await f.export(space, { url })
  assert.not.ok('added.md' in (await f.remoteFiles(url)))
  await remote.commit({ 'added.md': '# Added\n' })
  await arrives(space, url, await f.remoteFiles(url))
  assert.ok('added.md' in (await f.files(space)))
})

test('a squash with edits that was reverted and then repeated without edits is not lost', async () => {
  const { remote, space, url } = await imported('edited')
  await f.edit(space, { 'guide.md': page('one', 'two', 'new', 'three', 'four') })
  await f.export(space, { url, ref: DOCS })
  await remote.commit({ 'guide.md': page('one', 'two', 'new', 'three', 'four and more') })
  await f.import(space, { url })
  await remote.commit({ 'guide.md': start['guide.md'] })
  await f.import(space, { url })
  assert.is((await f.files(space))['guide.md'], start['guide.md'].trimEnd())
  await mergeOnRemote(remote, 'docs', 'squash')
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.equal(await f.decide(space, run, 'change-request'), ['guide.md'])
  assert.match((await f.files(space))['guide.md'] ?? '', /new/)
})

test('the deletion of a paragraph that both sides wrote conflicts', async () => {
  const { remote, space, url } = await imported('written-twice')
  const more = page('one', 'two', 'both', 'three', 'four')
  await f.edit(space, { 'guide.md': more })
  await f.export(space, { url, ref: DOCS })
  await remote.commit({ 'guide.md': more, 'other.md': '# Other\n' })
  await f.edit(space, { 'guide.md': start['guide.md'] })
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict', run.error)
  assert.equal(await f.decide(space, run, 'main'), ['guide.md'])
  await f.export(space, { url })
  assert.is((await f.remoteFiles(url))['guide.md'], start['guide.md'].trimEnd())
  assert.is((await f.import(space, { url })).result, 'unchanged')
})

const similar = (first: string[], second: string[]): string =>
  page('## One', 'Go.', 'Run it.', ...first, 'Done.', 'Stop.', '## Two', 'Go.', 'Run it.', ...second, 'Done.', 'Stop.')

test('a note in one of two similar sections does not count as an export to the other one', async () => {
  const { remote, space, url } = await imported('similar', { ...start, 'guide.md': similar([], []) })
  await f.edit(space, { 'guide.md': similar(['Note.'], []) })
  await f.export(space, { url, ref: DOCS })
  await remote.commit({ 'guide.md': similar([], ['Note.']) })
  await arrives(space, url, { ...(await f.remoteFiles(url)), 'guide.md': similar(['Note.'], ['Note.']).trimEnd() })
})

test('a page that the remote moved does not count as the deletion that was exported', async () => {
  const { remote, space, url } = await imported('moved-deletion')
  await f.edit(space, { 'old.md': null })
  await f.export(space, { url, ref: DOCS })
  await remote.commit({ 'old.md': null, 'archive/old.md': start['old.md'] })
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict', run.error)
  assert.not.ok('archive/old.md' in (await f.files(space)))
  await f.decide(space, run, 'main')
  await f.export(space, { url })
  assert.not.ok('archive/old.md' in (await f.remoteFiles(url)))
})

test('versions in a criss-cross history conflict', async () => {
  const { remote, space, url } = await imported('crossed', { ...start, 'guide.md': page('zero') })
  await f.edit(space, { 'guide.md': page('first') })
  await f.edit(space, { 'guide.md': page('second') })
  await remote.commit({ 'guide.md': page('second') })
  await remote.commit({ 'guide.md': page('first') })
  assert.is((await f.import(space, { url })).state, 'conflict')
  assert.is((await f.files(space))['guide.md'], page('second').trimEnd())
})

test('a version that the remote had before an export does not count as that export', async () => {
  const { remote, space, url } = await imported('crossed-docs', { ...start, 'guide.md': page('zero') })
  for (const one of ['first', 'second']) await f.edit(space, { 'guide.md': page(one) })
  for (const one of ['second', 'first']) await remote.commit({ 'guide.md': page(one) })
  assert.is((await f.import(space, { url })).state, 'conflict')
  await f.export(space, { url, ref: DOCS })
  await f.edit(space, { 'other.md': '# Other\n' })
  await f.export(space, { url, ref: DOCS })
  for (const note of ['note', 'another note']) {
    await remote.commit({ 'guide.md': page('first', note) })
    const run = await f.import(space, { url })
    assert.is(run.state, 'conflict', run.result)
    assert.is((await f.files(space))['guide.md'], page('second').trimEnd())
  }
})

test('versions of a new page in a criss-cross history conflict', async () => {
  const { remote, space, url } = await imported('crossed-new')
  await f.edit(space, { 'new.md': page('first') })
  await f.edit(space, { 'new.md': page('second') })
  await remote.commit({ 'new.md': page('second') })
  await remote.commit({ 'new.md': page('first') })
  assert.is((await f.import(space, { url })).state, 'conflict')
  assert.is((await f.files(space))['new.md'], page('second').trimEnd())
})

for (const name of ['guide.md', 'new.md'])
  test(`versions of ${name} in a criss-cross history conflict after one more edit of the page`, async () => {
    const { remote, space, url } = await imported(`crossed-later-${name}`, {
      ...start,
      'guide.md': page('zero', '## Two', 'text'),
    })
    for (const one of ['first', 'second']) await f.edit(space, { [name]: page(one, '## Two', 'text') })
    for (const one of ['second', 'first']) await remote.commit({ [name]: page(one, '## Two', 'text') })
    assert.is((await f.import(space, { url })).state, 'conflict')
    const mine = await f.files(space)
    await remote.commit({ [name]: page('first', '## Two', 'text', 'A note.') })
    const run = await f.import(space, { url })
    assert.is(run.state, 'conflict')
    assert.equal(await f.files(space), mine)
    assert.equal(await f.decide(space, run, 'change-request'), [name])
    assert.is((await f.files(space))[name], page('first', '## Two', 'text', 'A note.').trimEnd())
  })

test('a local replacement of a line conflicts if the remote restores the line with a note', async () => {
  const { remote, space, url } = await imported('crossed-note', { ...start, 'guide.md': page('zero', 'text') })
  for (const one of ['first', 'second']) await f.edit(space, { 'guide.md': page(one, 'text') })
  await remote.commit({ 'guide.md': page('second', 'text') })
  await remote.commit({ 'guide.md': page('first', 'A note.', 'text') })
  assert.is((await f.import(space, { url })).state, 'conflict')
  assert.is((await f.files(space))['guide.md'], page('second', 'text').trimEnd())
})

test('a local line conflicts with a remote commit that removes it and edits other text', async () => {
  const { remote, space, url } = await imported('crossed-removal', {
    ...start,
    'guide.md': page('zero', 'a', 'b', 'c', 'd'),
  })
  await f.edit(space, { 'guide.md': page('one', 'a', 'b', 'c', 'd') })
  await f.edit(space, { 'guide.md': page('one', 'a', 'b', 'added', 'c', 'd') })
  await remote.commit({ 'guide.md': page('one', 'a', 'b', 'added', 'c', 'd') })
  await remote.commit({ 'guide.md': page('one more', 'a', 'b', 'c', 'd') })
  assert.is((await f.import(space, { url })).state, 'conflict')
  assert.is((await f.files(space))['guide.md'], page('one', 'a', 'b', 'added', 'c', 'd').trimEnd())
})

for (const style of ['merge', 'squash', 'rebase'] satisfies MergeStyle[])
  for (const mover of ['people', 'the export'] as const)
    test(`${style}: a page that is merged remotely follows the root that ${mover} moved`, async () => {
      const { remote, space, url } = await imported(`root-${style}-${mover === 'people'}`)
      const moved: Record<string, string | null> = { '.gitbook.yaml': 'root: docs\n' }
      for (const [path, text] of Object.entries(start)) Object.assign(moved, { [path]: null, [`docs/${path}`]: text })
      const added = { 'added.md': '# Added\n\nNew.\n', 'more/added.md': '# More\n\nNew.\n' }
      await f.edit(space, mover === 'people' ? added : moved)
      await f.export(space, { url, ref: DOCS })
      await remote.commit(mover === 'people' ? moved : added)
      await mergeOnRemote(remote, 'docs', style)
      const files = await f.remoteFiles(url)
      for (const path of Object.keys(added)) {
        files[`docs/${path}`] = files[path] ?? ''
        delete files[path]
      }
      await arrives(space, url, files)
    })

test('a page that is merged remotely follows the moved root if another page conflicts', async () => {
  const { remote, space, url } = await imported('root-conflict')
  const moved: Record<string, string | null> = { '.gitbook.yaml': 'root: docs\n' }
  for (const [path, text] of Object.entries(start)) Object.assign(moved, { [path]: null, [`docs/${path}`]: text })
  await f.edit(space, { 'added.md': '# Added\n\nNew.\n' })
  await f.export(space, { url, ref: DOCS })
  await f.edit(space, { 'guide.md': page('one', 'two, here', 'three', 'four') })
  await remote.commit({ ...moved, 'docs/guide.md': page('one', 'two, there', 'three', 'four') })
  await mergeOnRemote(remote, 'docs', 'squash')
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict', run.error)
  assert.equal(await f.decide(space, run, 'main'), ['docs/guide.md'])
  const files = await f.files(space)
  assert.equal(
    Object.keys(files).sort(),
    Object.keys({ ...moved, 'docs/added.md': '' })
      .filter((path) => moved[path] !== null)
      .sort(),
  )
  assert.match(files['docs/guide.md'] ?? '', /two, here/)
})

test('files that people moved out of the root in a merge of an export keep their paths', async () => {
  const { remote, space, url } = await imported('root-decided')
  const moved: Record<string, string | null> = { '.gitbook.yaml': 'root: docs\n', 'NOTES.md': '# Notes\n' }
  for (const [path, text] of Object.entries(start)) Object.assign(moved, { [path]: null, [`docs/${path}`]: text })
  await f.edit(space, { 'added.md': '# Added\n\nNew.\n' })
  await f.export(space, { url, ref: DOCS })
  await remote.commit(moved)
  await mergeOnRemote(remote, 'docs', 'squash')
  await remote.commit({ 'added.md': null, 'old/added.md': '# Added\n\nNew.\n' })
  await arrives(space, url, await f.remoteFiles(url))
})

test.run()
