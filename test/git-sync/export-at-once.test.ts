import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('exports that start with the push', startFixture)

/** Files in a plain clone, trimmed. */
const trimmed = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.trim()]))

const docs = { 'README.md': '# Home\n', 'guide.md': '# Guide\n\none\n' }

/** A space that is up to date with a remote, and an edit that waits for its export. */
async function begin(name: string) {
  const remote = await f.remotes.createRepository(`${name}.git`, { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'mine.md': '# Mine\n' })
  return { remote, space }
}

/** Runs an export. Returns the requests that the remote received. */
async function exported(...[space, input]: Parameters<typeof f.export>) {
  const before = f.remotes.requests.length
  const run = await f.export(space, input)
  return {
    run,
    asked: f.remotes.requests.slice(before).map(({ url }) => /git-(upload|receive)-pack/.exec(url)?.[1] ?? url),
  }
}

/** The commits that a space's log records as exports under way. */
const offered = async (path: string): Promise<string[]> =>
  (await git(path, ['for-each-ref', '--format=%(contents)', 'refs/bindery/sync/']))
    .split('\n')
    .flatMap((line) => /^offered (\S+)/.exec(line)?.[1] ?? [])

for (const exportMode of ['single', 'commits'] as const)
  test(`${exportMode}: an export to an unchanged remote sends only the push`, async () => {
    const { remote, space } = await begin(`quiet-${exportMode}`)
    const processes = f.app.git.processesStarted
    const { run, asked } = await exported(space, { url: remote.url, exportMode })
    assert.is(run.result, 'exported')
    assert.equal(asked, ['receive', 'receive'])
    assert.is(f.app.git.processesStarted - processes, 1)
    await f.edit(space, { 'mine.md': '# Mine again\n' })
    assert.equal((await exported(space, { url: remote.url, exportMode })).asked, ['receive', 'receive'])
    assert.is((await f.remoteFiles(remote.url))['mine.md'], '# Mine again')
  })

for (const exportMode of ['single', 'commits'] as const)
  test(`${exportMode}: an export to a moved remote imports first and logs no rejected push`, async () => {
    const { remote, space } = await begin(`moved-${exportMode}`)
    await remote.commit({ 'theirs.md': '# Theirs\n' })
    const { run, asked } = await exported(space, { url: remote.url, exportMode })
    assert.is(run.error, undefined)
    assert.is(run.result, 'exported')
    assert.is(asked[0], 'receive')
    assert.ok(asked.includes('upload'))
    assert.equal(
      await f.remoteFiles(remote.url),
      trimmed({ ...docs, 'mine.md': '# Mine\n', 'theirs.md': '# Theirs\n' }),
    )
    for (const commit of await offered(space.repo.path))
      assert.is(await git(remote.path, ['cat-file', '-t', commit]), 'commit', 'it arrived')
    assert.is(await git(remote.path, ['fsck', '--strict', '--no-dangling']), '')
    assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
  })

test('a conflict with a new remote commit is held, and nothing is pushed', async () => {
  const { remote, space } = await begin('conflict')
  await f.edit(space, { 'guide.md': '# Guide\n\nours\n' })
  const theirs = await remote.commit({ 'guide.md': '# Guide\n\ntheirs\n' })
  assert.is((await f.export(space, { url: remote.url })).result, 'conflict')
  assert.is(await remote.head(), theirs)
  const { run, asked } = await exported(space, { url: remote.url })
  assert.is(run.result, 'conflict')
  assert.not.ok(asked.includes('receive'), 'with a conflict that is held, the remote is asked first')
})

test('an export creates a branch that was deleted on the remote', async () => {
  const { remote, space } = await begin('deleted')
  await git(remote.path, ['update-ref', '-d', 'refs/heads/main'])
  const { run } = await exported(space, { url: remote.url })
  assert.is(run.result, 'exported')
  assert.equal(await f.remoteFiles(remote.url), trimmed({ ...docs, 'mine.md': '# Mine\n' }))
})

test('content that a force push dropped on the remote is dropped locally and not pushed again', async () => {
  const { remote, space } = await begin('rewritten')
  const first = (await remote.head()) as string
  await remote.commit({ 'wrong.md': '# Wrong\n' })
  await f.import(space, { url: remote.url })
  await f.edit(space, { 'later.md': '# Later\n' })
  await git(remote.path, ['update-ref', 'refs/heads/main', first])
  const { run } = await exported(space, { url: remote.url })
  assert.is(run.result, 'exported')
  assert.equal(await f.remoteFiles(remote.url), trimmed({ ...docs, 'mine.md': '# Mine\n', 'later.md': '# Later\n' }))
})

test('an export without new commits asks the remote for its head', async () => {
  const { remote, space } = await begin('nothing')
  await f.export(space, { url: remote.url })
  const { run, asked } = await exported(space, { url: remote.url })
  assert.is(run.result, 'unchanged')
  assert.equal(asked, ['upload', 'upload'])
  const theirs = await remote.commit({ 'theirs.md': '# Theirs\n' })
  assert.is((await f.export(space, { url: remote.url })).remoteRevision, theirs)
})

test('a push whose response was lost is not assumed to have failed', async () => {
  const { remote, space } = await begin('lost')
  f.remotes.behaviour.losePushResponses = true
  const lost = await f.export(space, { url: remote.url })
  f.remotes.behaviour.losePushResponses = false
  assert.is(lost.state, 'failure')
  const arrived = await remote.head()
  await f.edit(space, { 'mine.md': '# Mine again\n' })
  const { run, asked } = await exported(space, { url: remote.url })
  assert.is(run.result, 'exported')
  assert.is(asked[0], 'upload')
  assert.is(await git(remote.path, ['rev-parse', 'main~1']), arrived)
  assert.is((await f.remoteFiles(remote.url))['mine.md'], '# Mine again')
})

test.run()
