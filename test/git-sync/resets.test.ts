import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { git } from '../support/hermetic-git.js'
import { commitPlainly } from '../support/plain-edit.js'
import { mergeOnRemote } from '../support/people-on-remote.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('a remote that returns to an earlier commit', startFixture)

const MAIN = 'refs/heads/main'
const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n\n')}\n`
const start = { 'README.md': '# Home\n', 'guide.md': page('one', 'two', 'three', 'four') }

async function imported(name: string) {
  const remote = await f.remotes.createRepository(`${name}.git`, { files: start })
  const space = await f.space()
  assert.is((await f.import(space, { url: remote.url })).result, 'adopted')
  const reset = (to: string) => git(remote.path, ['update-ref', MAIN, to])
  return { remote, space, url: remote.url, first: (await remote.head()) as string, reset }
}

/** Exports, and checks that both sides have the same files and nothing is left to do. */
async function upToDate(space: LoadedSpace, url: string): Promise<Record<string, string>> {
  await f.export(space, { url })
  const here = await f.files(space)
  assert.equal(await f.remoteFiles(url), here)
  for (const direction of ['import', 'export'] as const)
    assert.is((await f[direction](space, { url })).result, 'unchanged')
  return here
}

for (const keep of [true, false])
  test(`exports that a restored backup lacks conflict, and ${keep ? 'main' : 'the backup'} can be chosen`, async () => {
    const { remote, space, url, first, reset } = await imported(`backup-${keep}`)
    await f.edit(space, { 'guide.md': page('one', 'two', 'written here', 'three', 'four') })
    await f.export(space, { url })
    await f.edit(space, { 'new.md': '# New\n' })
    await f.export(space, { url })
    await f.edit(space, { 'later.md': '# Later\n' })
    const before = await f.files(space)
    await reset(first)
    const run = await f.import(space, { url })
    assert.is(run.state, 'conflict')
    assert.equal(await f.files(space), before)
    assert.is((await f.export(space, { url })).state, 'conflict')
    assert.is(await remote.head(), first)
    assert.equal(await f.decide(space, run, keep ? 'main' : 'change-request'), ['guide.md', 'new.md'])
    const after = await upToDate(space, url)
    if (keep) assert.equal(after, before)
    else assert.equal(after, { 'README.md': '# Home', 'guide.md': start['guide.md'].trimEnd(), 'later.md': '# Later' })
  })

test('a reset of a branch by one export keeps local work', async () => {
  const { remote, space, url, reset } = await imported('one-export')
  await f.edit(space, { 'guide.md': page('one', 'first', 'two', 'three', 'four') })
  await f.export(space, { url })
  const before = (await remote.head()) as string
  await f.edit(space, { 'guide.md': page('one', 'first', 'two', 'three', 'four', 'second') })
  await f.export(space, { url })
  await reset(before)
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.equal(await f.decide(space, run, 'main'), ['guide.md'])
  assert.is((await upToDate(space, url))['guide.md'], page('one', 'first', 'two', 'three', 'four', 'second').trimEnd())
})

for (const take of ['main', 'change-request'] as const)
  test(`a moved page whose reset is held is listed after a decision for ${take}`, async () => {
    const { remote, space, url } = await imported(`moved-before-${take}`)
    const summary = (path: string): string => `# Table of contents\n\n* [Home](README.md)\n* [Guide](${path})\n`
    const move = (from: string, to: string) => ({ [from]: null, [to]: start['guide.md'], 'SUMMARY.md': summary(to) })
    const repository = join(f.root, 'repos', `${space.doc.id}.git`)
    await commitPlainly(repository, move('guide.md', 'first.md'))
    await f.export(space, { url })
    await remote.commit({ 'README.md': '# Home\n\nthere\n' })
    await f.import(space, { url })
    const before = (await remote.head()) as string
    await commitPlainly(repository, move('first.md', 'moved.md'))
    await f.edit(space, { 'moved.md': page('one', 'two', 'written here', 'three', 'four') })
    await f.export(space, { url })
    await git(remote.path, ['update-ref', MAIN, before])
    await remote.commit({ 'there.md': '# There\n' })
    const run = await f.import(space, { url })
    assert.is(run.state, 'conflict')
    await f.decide(space, run, take)
    const files = await upToDate(space, url)
    const path = 'moved.md' in files ? 'moved.md' : 'first.md'
    assert.equal(Object.keys(files).sort(), ['README.md', 'SUMMARY.md', path, 'there.md'].sort())
    assert.is(files['SUMMARY.md'], summary(path).trimEnd())
    assert.is(files[path]?.includes('written here'), take === 'main')
  })

test('a reset that is held leaves the page with which the held one changed places', async () => {
  const { remote, space, url } = await imported('swapped-since')
  const other = page('alpha', 'beta', 'gamma', 'delta')
  await remote.commit({ 'other.md': other })
  await f.import(space, { url })
  const before = (await remote.head()) as string
  const written = page('one', 'two', 'written here', 'three', 'four')
  await f.edit(space, { 'guide.md': written })
  await f.export(space, { url })
  await commitPlainly(join(f.root, 'repos', `${space.doc.id}.git`), { 'guide.md': other, 'other.md': written })
  await git(remote.path, ['update-ref', MAIN, before])
  await remote.commit({ 'other.md': page('alpha', 'beta', 'there', 'gamma', 'delta') })
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.equal(await f.decide(space, run, 'main'), ['other.md'])
  assert.equal(await upToDate(space, url), {
    'README.md': '# Home',
    'guide.md': page('alpha', 'beta', 'there', 'gamma', 'delta').trimEnd(),
    'other.md': written.trimEnd(),
  })
})

test('a reset drops work from the remote and conflicts with local work', async () => {
  const { remote, space, url, first, reset } = await imported('mixed')
  await remote.commit({ 'there.md': '# There\n' })
  await f.import(space, { url })
  await f.edit(space, { 'here.md': '# Here\n' })
  await f.export(space, { url })
  await remote.commit({ 'guide.md': page('one', 'two', 'there', 'three', 'four') })
  await f.import(space, { url })
  await reset(first)
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.equal(await f.decide(space, run, 'main'), ['here.md'])
  assert.equal(await upToDate(space, url), {
    'README.md': '# Home',
    'guide.md': start['guide.md'].trimEnd(),
    'here.md': '# Here',
  })
})

test('a file that equals the export in the new head does not conflict after a reset', async () => {
  const { remote, space, url, first, reset } = await imported('kept')
  const guide = (line: string): string => page('one', 'two', line, 'three', 'four')
  await f.edit(space, { 'guide.md': guide('here'), 'here.md': '# Here\n' })
  await f.export(space, { url })
  await remote.commit({ 'there.md': '# There\n' })
  await f.import(space, { url })
  await f.edit(space, { 'guide.md': guide('here, and later') })
  await reset(first)
  await remote.commit({ 'guide.md': guide('here') })
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.equal(await f.decide(space, run, 'main'), ['here.md'])
  assert.equal(await upToDate(space, url), {
    'README.md': '# Home',
    'guide.md': guide('here, and later').trimEnd(),
    'here.md': '# Here',
  })
})

for (const style of ['merge', 'squash', 'rebase'] as const)
  test(`a reset that drops a merged pull request conflicts with local work (${style})`, async () => {
    const { remote, space, url, reset } = await imported(`pull-request-${style}`)
    await f.edit(space, { 'guide.md': page('one', 'two', 'here', 'three', 'four') })
    await f.export(space, { url, ref: 'refs/heads/docs' })
    await remote.commit({ 'there.md': '# There\n' })
    const before = (await remote.head()) as string
    await mergeOnRemote(remote, 'docs', style)
    assert.is((await f.import(space, { url })).state, 'success')
    await reset(before)
    const run = await f.import(space, { url })
    assert.is(run.state, 'conflict')
    assert.equal(await f.decide(space, run, 'main'), ['guide.md'])
    assert.match((await upToDate(space, url))['guide.md'] ?? '', /here/)
  })

test('a reset that drops an edited pull request conflicts with local work', async () => {
  const { remote, space, url, first, reset } = await imported('edited-squash')
  await f.edit(space, { 'guide.md': page('one', 'two', 'here', 'three', 'four') })
  await f.export(space, { url, ref: 'refs/heads/docs' })
  await remote.commit({ 'guide.md': page('one', 'two', 'here', 'three', 'four and more'), 'there.md': '# There\n' })
  assert.is((await f.import(space, { url })).state, 'success')
  await reset(first)
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.equal(await f.decide(space, run, 'main'), ['guide.md'])
  const after = await upToDate(space, url)
  assert.match(after['guide.md'] ?? '', /here/)
  assert.not.ok('there.md' in after)
})

test('a line that the remote removes again after a reset is removed locally', async () => {
  const { remote, space, url, reset } = await imported('removed-since')
  await f.edit(space, { 'guide.md': page('one', 'two', 'here', 'three', 'four') })
  await f.export(space, { url })
  const exported = (await remote.head()) as string
  await remote.commit({ 'there.md': '# There\n' })
  await f.import(space, { url })
  await reset(exported)
  await remote.commit({ 'guide.md': start['guide.md'] })
  assert.is((await f.import(space, { url })).state, 'success')
  assert.equal(await upToDate(space, url), { 'README.md': '# Home', 'guide.md': start['guide.md'].trimEnd() })
})

for (const [take, others] of [
  ['main', false],
  ['change-request', false],
  ['main', true],
] as const)
  test(`a reset drops a deletion, and the page that moved since is held: ${others ? 'with other work' : take}`, async () => {
    const { remote, space, url, reset } = await imported(`moved-since-${take}-${others}`)
    const old = page('alpha', 'beta', 'gamma')
    await remote.commit({ 'one/old.md': old, 'one/README.md': '# One\n\nfolder\n' })
    await f.import(space, { url })
    const before = (await remote.head()) as string
    await f.edit(space, { 'one/old.md': null })
    await f.export(space, { url })
    if (others) {
      await remote.commit({ 'there.md': '# There\n' })
      await f.import(space, { url })
    }
    await reset(before)
    assert.is((await f.import(space, { url })).state, 'conflict')
    await remote.commit({
      'one/old.md': null,
      'one/README.md': null,
      'two/old.md': old,
      'two/README.md': '# One\n\nfolder\n',
    })
    const run = await f.import(space, { url })
    assert.is(run.state, 'conflict', run.error)
    assert.equal(await f.decide(space, run, take), ['two/old.md'])
    const after = await upToDate(space, url)
    assert.is('two/old.md' in after, take === 'change-request')
    assert.is(after['two/README.md'], '# One\n\nfolder')
    assert.not.ok('there.md' in after)
  })

test('a page that a reset target had deleted already is restored there without a conflict', async () => {
  const { remote, space, url, reset } = await imported('deleted-below')
  await remote.commit({ 'old.md': page('alpha', 'beta', 'gamma') })
  await f.import(space, { url })
  await git(remote.path, ['update-ref', 'refs/heads/docs', MAIN])
  await f.edit(space, { 'old.md': null })
  await f.export(space, { url, ref: 'refs/heads/docs' })
  await f.edit(space, { 'new.md': '# New\n' })
  await f.export(space, { url })
  const exported = (await remote.head()) as string
  await mergeOnRemote(remote, 'docs', 'merge')
  await remote.commit({ 'there.md': '# There\n' })
  await f.import(space, { url })
  await reset(exported)
  await remote.commit({ 'old.md': page('alpha', 'beta', 'gamma', 'delta') })
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  assert.equal(await upToDate(space, url), {
    'README.md': '# Home',
    'guide.md': start['guide.md'].trimEnd(),
    'new.md': '# New',
    'old.md': page('alpha', 'beta', 'gamma', 'delta').trimEnd(),
  })
})

test('a reset to rebased commits drops nothing, so it does not conflict', async () => {
  const { remote, space, url, first, reset } = await imported('rebased')
  await f.edit(space, { 'new.md': '# New\n' })
  await f.export(space, { url })
  await git(remote.path, ['update-ref', 'refs/heads/docs', MAIN])
  await reset(first)
  await remote.commit({ 'there.md': '# There\n' })
  await mergeOnRemote(remote, 'docs', 'rebase')
  assert.is((await f.import(space, { url })).state, 'success')
  assert.equal(Object.keys(await upToDate(space, url)).sort(), ['README.md', 'guide.md', 'new.md', 'there.md'])
})

test('a repository that was empty for a while does not drop a local edit', async () => {
  const { remote, space, url, first, reset } = await imported('emptied')
  await git(remote.path, ['update-ref', '-d', MAIN])
  await f.edit(space, { 'new.md': '# New\n', 'guide.md': page('one', 'two', 'here', 'three', 'four') })
  const before = await f.files(space)
  assert.is((await f.export(space, { url })).result, 'exported')
  await reset(first)
  const run = await f.import(space, { url })
  assert.is(run.state, 'conflict')
  assert.equal(await f.files(space), before)
  assert.equal(await f.decide(space, run, 'main'), ['guide.md', 'new.md'])
  assert.equal(await upToDate(space, url), before)
})

test.run()
