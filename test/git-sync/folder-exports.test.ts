import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { previewSync } from '../../src/domain/git-sync/preview.js'
import { startWorker } from '../../src/jobs/worker.js'
import { syncRuns } from '../../src/model/index.js'
import { moduleArguments } from '../support/own-process.js'
import { foreignIn } from '../support/foreign-objects.js'
import { git } from '../support/hermetic-git.js'
import { isSoak } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { openApp, startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('folder exports through a scratch repository', startFixture)

const MODES = ['single', 'commits'] as const
type Filter = 'allowed' | 'absent'
let made = 0

/** A monorepo whose other folders are larger than the folder of the pages. */
async function monorepo(filter: Filter = 'allowed') {
  const large = Object.fromEntries([...'abcdef'].map((name) => [`lib/${name}/${name}.c`, `${name.repeat(20_000)}\n`]))
  const remote = await f.remotes.createRepository(`exports-${++made}.git`, {
    files: { 'app.js': 'code\n', 'docs/README.md': '# Welcome\n', 'docs/deep/page.md': '# Page\n', ...large },
  })
  if (filter === 'allowed') await git(remote.path, ['config', 'uploadpack.allowFilter', 'true'])
  await remote.commit({ 'lib/a/a.c': 'other code\n' }, { message: 'Code alone' })
  return { remote, link: { url: remote.url, repoProjectDirectory: 'docs' } }
}

const log = async (path: string, range = 'main'): Promise<string[]> =>
  (await git(path, ['log', '--format=%s', range])).split('\n')
const shown = (path: string, name: string): Promise<string> => git(path, ['show', `main:${name}`])

/** Checks the invariants: the rest of the monorepo is unchanged, and was never copied here. */
async function mustBeApart(space: LoadedSpace, remote: string): Promise<void> {
  assert.equal(
    await foreignIn(space.repo.path, remote, 'docs'),
    [],
    'nothing of the rest of the monorepo is in the space',
  )
  assert.is(await shown(remote, 'lib/a/a.c'), 'other code')
  assert.is(await git(remote, ['fsck', '--strict', '--no-dangling']), '')
  assert.equal(await space.repo.upkeep.check(), [])
}

const scratchOf = async (before: readonly string[]): Promise<string> => {
  const now = await readdir(join(f.root, 'repos/.remotes'))
  return join(f.root, 'repos/.remotes', now.find((name) => !before.includes(name)) as string)
}

for (const filter of ['allowed', 'absent'] as const)
  for (const exportMode of isSoak ? MODES : ([filter === 'allowed' ? 'commits' : 'single'] as const))
    test(`import, export and preview of a folder work: filters are ${filter}, ${exportMode}`, async () => {
      const { remote, link } = await monorepo(filter)
      const space = await f.space()
      await f.import(space, link)
      await f.edit(space, { 'here.md': '# Here\n' })
      await f.edit(space, { 'deep/page.md': '# Page\n\nMore.\n' })
      const preview = await previewSync(
        f.app,
        f.actor,
        await f.reload(space),
        { ...link, ref: 'refs/heads/main', direction: 'export' },
        { limit: 100, brief: false, context: 3 },
      )
      assert.equal([preview.result, preview.changes.length], ['clean', 2])
      const first = await f.export(space, { ...link, exportMode })
      assert.equal([first.error, first.result], [undefined, 'exported'])
      assert.equal((await log(remote.path)).slice(exportMode === 'single' ? 1 : 2), ['Code alone', 'First'])
      assert.is(await shown(remote.path, 'docs/deep/page.md'), '# Page\n\nMore.')
      assert.is((await f.import(space, link)).result, 'unchanged')

      // The next one builds on the last push without a request.
      await f.edit(space, { 'here.md': null })
      const started = f.remotes.requests.length
      assert.is((await f.export(space, { ...link, exportMode })).result, 'exported')
      assert.is(
        f.remotes.requests.slice(started).filter(({ url }) => url.includes('upload-pack')).length,
        0,
        'the remote was not asked',
      )

      // A person works on top of it, inside and outside the folder.
      await remote.commit({ 'docs/theirs.md': '# Theirs\n', 'lib/b/b.c': 'new\n' })
      await f.edit(space, { 'ours.md': '# Ours\n' })
      const merged = await f.export(space, { ...link, exportMode })
      assert.equal([merged.error, merged.result], [undefined, 'exported'])
      assert.equal(Object.keys(await f.files(space)).sort(), ['README.md', 'deep/page.md', 'ours.md', 'theirs.md'])
      assert.is(await shown(remote.path, 'docs/ours.md'), '# Ours')
      assert.is(await shown(remote.path, 'lib/b/b.c'), 'new')
      assert.is((await f.export(space, { ...link, exportMode })).result, 'unchanged')
      await mustBeApart(space, remote.path)
    })

test('a new branch starts at the commit of the local content, or at nothing if there is none', async () => {
  const { remote, link } = await monorepo()
  const space = await f.space()
  await f.import(space, link)
  await f.edit(space, { 'here.md': '# Here\n' })
  await remote.commit({ 'docs/theirs.md': '# Not here yet\n' }, { message: 'Later' })
  const run = await f.export(space, { ...link, ref: 'refs/heads/topic' })
  assert.equal([run.error, run.result], [undefined, 'exported'])
  assert.equal((await log(remote.path, 'topic')).slice(1), ['Code alone', 'First'], 'what was imported last')
  await git(remote.path, ['symbolic-ref', 'HEAD', 'refs/heads/topic'])
  assert.is((await f.import(space, { ...link, ref: 'refs/heads/topic' })).result, 'unchanged')
  await mustBeApart(space, remote.path)

  // The branch was reset to a commit that the log does not map to a local one.
  await f.import(space, link)
  await git(remote.path, ['update-ref', 'refs/heads/main', 'main~1'])
  await git(remote.path, ['update-ref', '-d', 'refs/heads/topic'])
  await git(remote.path, ['symbolic-ref', 'HEAD', 'refs/heads/main'])
  await f.edit(space, { 'here.md': '# Here again\n' })
  assert.is((await f.export(space, { ...link, ref: 'refs/heads/other' })).result, 'exported')
  assert.equal((await log(remote.path, 'other')).slice(1), ['Code alone', 'First'])
  await mustBeApart(space, remote.path)

  const empty = await f.remotes.createRepository('empty.git')
  const other = await f.space()
  await f.edit(other, { 'README.md': '# Mine\n' })
  for (const text of ['one', 'two']) {
    await f.edit(other, { 'page.md': `# ${text}\n` })
    assert.is((await f.export(other, { url: empty.url, repoProjectDirectory: 'a/docs' })).result, 'exported')
    assert.is(await shown(empty.path, 'a/docs/page.md'), `# ${text}`)
    assert.equal(await foreignIn(other.repo.path, empty.path, 'a/docs'), [])
  }
})

test('a forced export adds a commit with the content, and can empty the folder on the remote', async () => {
  const { remote, link } = await monorepo()
  const space = await f.space()
  await f.import(space, link)
  await remote.commit({ 'docs/README.md': '# Theirs\n' })
  await f.edit(space, { 'README.md': '# Ours\n' })
  assert.is((await f.export(space, { ...link, force: true })).result, 'exported')
  assert.is(await shown(remote.path, 'docs/README.md'), '# Ours')
  await f.edit(space, Object.fromEntries(Object.keys(await f.files(space)).map((path) => [path, null])))
  assert.is((await f.export(space, link)).result, 'exported')
  assert.is(await git(remote.path, ['ls-tree', 'main', 'docs']), '')
  assert.is((await f.export(space, link)).result, 'unchanged')
  await mustBeApart(space, remote.path)
})

test('a scratch repository that is deleted or damaged between two exports is created again', async () => {
  const before = await readdir(join(f.root, 'repos/.remotes')).catch(() => [])
  const { remote, link } = await monorepo()
  const space = await f.space()
  await f.import(space, link)
  const scratch = await scratchOf(before)
  const damage = [
    () => rm(scratch, { recursive: true }),
    () => rm(join(scratch, 'outgoing'), { recursive: true }),
    // All objects are gone, and no process has noticed.
    async () => {
      for (const name of await readdir(join(scratch, 'objects')))
        if (name.length === 2) await rm(join(scratch, 'objects', name), { recursive: true })
      for (const name of await readdir(join(scratch, 'objects/pack')))
        await rm(join(scratch, 'objects/pack', name), { force: true })
    },
  ]
  for (const [at, damaged] of damage.entries()) {
    await damaged()
    await f.edit(space, { 'page.md': `# ${at}\n` })
    const run = await f.export(space, link)
    assert.equal([run.error, run.result], [undefined, 'exported'], `damage ${at}`)
    assert.is(await shown(remote.path, 'docs/page.md'), `# ${at}`)
  }
  await mustBeApart(space, remote.path)
})

test('an export with a lost response is recognized, and a rejected one leaves nothing behind', async () => {
  const { remote, link } = await monorepo()
  const space = await f.space()
  await f.import(space, link)
  await f.edit(space, { 'page.md': '# One\n' })
  f.remotes.behaviour.losePushResponses = true
  assert.is((await f.export(space, link)).state, 'failure')
  f.remotes.behaviour.losePushResponses = false
  const arrived = await remote.head()
  assert.is((await f.export(space, link)).result, 'unchanged')
  assert.is(await remote.head(), arrived)
  await f.edit(space, { 'page.md': '# Two\n' })
  await remote.rejectPushes('not today')
  assert.match((await f.export(space, link)).error ?? '', /not today/)
  await remote.rejectPushes(null)
  assert.is((await f.export(space, link)).result, 'exported')
  assert.equal(await log(remote.path), ['Publish', 'Publish', 'Code alone', 'First'])
  await mustBeApart(space, remote.path)
})

test('concurrent folder exports of two spaces to one remote both succeed', async () => {
  const { remote, link } = await monorepo()
  const links = [link, { ...link, repoProjectDirectory: 'lib' }]
  const spaces = [await f.space(), await f.space()]
  for (const [at, space] of spaces.entries()) {
    await f.import(space, links[at] as typeof link)
    await f.edit(space, { 'new.md': `# ${at}\n` })
  }
  const runs = await Promise.all(spaces.map((space, at) => f.export(space, links[at] as typeof link)))
  assert.equal(
    runs.map(({ error, result }) => [error, result]),
    [
      [undefined, 'exported'],
      [undefined, 'exported'],
    ],
  )
  assert.equal([await shown(remote.path, 'docs/new.md'), await shown(remote.path, 'lib/new.md')], ['# 0', '# 1'])
  await mustBeApart(spaces[0] as LoadedSpace, remote.path)
  assert.equal(await foreignIn(spaces[1]?.repo.path as string, remote.path, 'lib'), [])
})

test('a space can be read, edited and merged without its remote and scratch repository', async () => {
  const { remote, link } = await monorepo()
  const space = await f.space()
  await f.import(space, link)
  await f.edit(space, { 'page.md': '# One\n' })
  await f.export(space, link)
  await rm(remote.path, { recursive: true })
  await rm(join(f.root, 'repos/.remotes'), { recursive: true })
  await f.edit(space, { 'page.md': '# Two\n' })
  assert.is((await f.files(space))['page.md'], '# Two')
  assert.is((await f.export(space, link)).state, 'failure')
  assert.equal(await space.repo.upkeep.check(), [])
})

/** The calls after which the process is killed. A soak kills it after each. */
const STEPS = isSoak ? Array.from({ length: 40 }, (_, step) => step + 1) : [5, 8, 10]
for (const exportMode of isSoak ? MODES : ['single'])
  for (const step of STEPS)
    test(`an export that is killed at call ${step} happens once, and its space stays apart (${exportMode})`, async () => {
      const { remote, link } = await monorepo()
      const root = await mkdtemp(join(tmpdir(), 'bindery-killed-'))
      const child = spawn(
        process.execPath,
        [...moduleArguments('./killed-folder-export.js', import.meta.url), root, link.url, exportMode, String(step)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      let said = ''
      child.stdout.on('data', (piece) => (said += piece))
      const [code, signal] = await once(child, 'close')
      assert.ok(
        signal === 'SIGKILL' || (code === 0 && /^done after \d+ calls\n$/.test(said)),
        `${code} ${signal} ${said}`,
      )
      const { app, close } = await openApp(root, [])
      try {
        const worker = startWorker(app)
        await worker.idle()
        await worker.stop()
        const [run] = (await app.store.all(syncRuns)).filter((one) => one.direction === 'export')
        assert.equal([run?.error, run?.state], [undefined, 'success'])
        const pushed = (await log(remote.path)).slice(0, -2)
        assert.equal(pushed, exportMode === 'single' ? ['Publish'] : ['Edit', 'Edit'])
        assert.is(await shown(remote.path, 'docs/page.md'), '# Two')
        const repo = await app.git.open(run?.space as string)
        assert.equal(await foreignIn(repo.path, remote.path, 'docs'), [])
        assert.equal(await repo.upkeep.check(), [])
      } finally {
        await close()
        await rm(root, { recursive: true, force: true })
      }
    })

test.run()
