import * as assert from 'uvu/assert'
import { readStructure } from '../../src/content/structure.js'
import { inPlace } from '../../src/content/work/direct.js'
import { idOf } from '../../src/content/identity.js'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('names and sizes of synced files', startFixture)

const odd = ['line\nbreak.md', 'back\\slash.md', 'bell\u0007.md']
const unfit = (folder: string): Record<string, string> =>
  Object.fromEntries(odd.map((name) => [folder + name, '# Odd\n']))
const main = (space: LoadedSpace): CommitId => space.repo.refs.head('refs/heads/main' as RefName) as CommitId
const diagnostics = async (space: LoadedSpace) =>
  (await readStructure(await space.repo.objects.snapshot(main(space)), idOf(new Map()), inPlace)).diagnostics.filter(
    ({ code }) => code === 'unsupported-entry',
  )

test('files outside the folder of a project have no effect', async () => {
  const remote = await f.remotes.createRepository('outside.git', {
    files: { 'docs/README.md': '# Home\n', ...unfit('other/'), 'big.bin': 'x'.repeat(11_000_000) },
  })
  const space = await f.space()
  const link = { url: remote.url, repoProjectDirectory: 'docs' }
  const run = await f.import(space, link)
  assert.is(run.result, 'adopted', run.error)
  await f.edit(space, { 'new.md': '# New\n' })
  assert.is((await f.export(space, link)).result, 'exported')
  assert.is(await git(remote.path, ['diff', '--name-only', 'main~', 'main']), 'docs/new.md')
  assert.equal(await diagnostics(space), [])
})

test('a name that is invalid for a page is synced unchanged and reported', async () => {
  const remote = await f.remotes.createRepository('inside.git', { files: { 'README.md': '# Home\n', ...unfit('') } })
  const space = await f.space()
  assert.is((await f.import(space, { url: remote.url })).result, 'adopted')
  const told = await diagnostics(space)
  assert.equal(told.map(({ file }) => file).sort(), [...odd].sort())
  assert.ok(
    told.some(({ message }) => message.includes('"line\\nbreak.md" has a line break')),
    JSON.stringify(told),
  )

  await f.edit(space, { 'README.md': '# Home\n\nmine\n' })
  await remote.commit({ [odd[0] as string]: '# Odd, changed\n', 'later\\still.md': '# Later\n' })
  assert.is((await f.import(space, { url: remote.url })).result, 'merged')
  assert.is((await f.export(space, { url: remote.url })).result, 'exported')
  assert.is(
    await git(remote.path, ['rev-parse', 'main^{tree}']),
    await git(space.repo.path, ['rev-parse', 'main^{tree}']),
  )

  const elsewhere = await f.remotes.createRepository('elsewhere.git', { files: { 'app.js': 'code\n' } })
  const link = { url: elsewhere.url, repoProjectDirectory: 'deep/docs' }
  const run = await f.export(space, link)
  assert.is(run.result, 'exported', run.error)
  assert.is(
    await git(elsewhere.path, ['rev-parse', 'main:deep/docs']),
    await git(space.repo.path, ['rev-parse', 'main^{tree}']),
  )
  assert.is((await f.import(space, link)).result, 'unchanged')
})

test('an oversized file is reported with its path', async () => {
  const remote = await f.remotes.createRepository('large.git', {
    files: { 'README.md': '# Home\n', 'assets/film.bin': 'x'.repeat(11_000_000) },
  })
  await remote.commit({ 'assets/film.bin': null })
  const run = await f.import(await f.space(), { url: remote.url })
  assert.is(run.state, 'failure')
  assert.match(run.error ?? '', /"assets\/film\.bin"/)
})

test('an import rejects names that differ only by case between the sides until one is renamed', async () => {
  const remote = await f.remotes.createRepository('cases.git', { files: { 'README.md': '# Home\n' } })
  const space = await f.space()
  const link = { url: remote.url }
  await f.import(space, link)
  await f.edit(space, { 'guide.md': '# Guide here\n' })
  await remote.commit({ 'Guide.md': '# Guide there\n' })
  const before = main(space)
  const refused = await f.import(space, link)
  assert.is(refused.state, 'failure')
  assert.match(refused.error ?? '', /guide\.md/)
  assert.match(refused.error ?? '', /Guide\.md/)
  assert.match(refused.error ?? '', /name/)
  assert.is(main(space), before, 'main stays as it is')
  await f.edit(space, { 'guide.md': null, 'handbook.md': '# Guide here\n' })
  assert.is((await f.import(space, link)).result, 'merged')
  const files = await f.files(space)
  assert.is(files['Guide.md'], '# Guide there')
  assert.is(files['handbook.md'], '# Guide here')
})

test.run()
