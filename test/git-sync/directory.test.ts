import * as assert from 'uvu/assert'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('git sync of a folder', startFixture)

const main = (repo: { refs: { head(ref: RefName): string | null } }): string =>
  repo.refs.head('refs/heads/main' as RefName) as string

test('two spaces share one repository, each with its own folder', async () => {
  const remote = await f.remotes.createRepository('mono.git', {
    files: { 'app.js': 'code\n', 'docs/a/README.md': '# A\n', 'docs/b/README.md': '# B\n' },
  })
  await remote.commit({ 'app.js': 'more code\n' }, { message: 'Code alone' })
  await remote.commit({ 'docs/a/page.md': '# Page\n' }, { message: 'A page in A' })
  const [a, b] = [await f.space(), await f.space()]
  const link = (name: string) => ({ url: remote.url, repoProjectDirectory: `./docs/${name}/` })
  assert.is((await f.import(a, link('a'))).result, 'adopted')
  assert.is((await f.import(b, link('b'))).result, 'adopted')
  assert.equal(await f.files(a), { 'README.md': '# A', 'page.md': '# Page' })
  assert.is(
    await git(a.repo.path, ['log', '--format=%s|%an|%at|%cn|%ct', 'main']),
    'A page in A|Ada Author|1700000002|Ada Author|1700000002\nFirst|Ada Author|1700000000|Ada Author|1700000000',
  )
  assert.is(await git(b.repo.path, ['rev-list', '--count', 'main']), '1')

  await f.edit(a, { 'page.md': '# Page of A\n', 'deep/x.md': '# X\n' })
  await f.edit(b, { 'README.md': '# B!\n' })
  assert.is((await f.export(a, { ...link('a'), commitMessage: 'A' })).result, 'exported')
  const exported = await f.export(b, { ...link('b'), commitMessage: 'B' })
  assert.is(exported.error, undefined)
  assert.is(exported.result, 'exported', 'the commit of A does not touch the folder of B')
  const { dir, files } = await f.clone(remote.url)
  assert.equal(files, {
    'app.js': 'more code',
    'docs/a/README.md': '# A',
    'docs/a/deep/x.md': '# X',
    'docs/a/page.md': '# Page of A',
    'docs/b/README.md': '# B!',
  })
  assert.is(await git(dir, ['log', '--format=%s', '-3']), 'B\nA\nA page in A')
  assert.is(await git(dir, ['diff', '--name-only', 'HEAD~']), 'docs/b/README.md')

  const before = main(a.repo)
  assert.is((await f.import(a, link('a'))).result, 'unchanged')
  assert.is(main(a.repo), before, 'the commit of B makes no revision of A')
  await f.edit(a, { 'README.md': '# A!\n' })
  await remote.commit({ 'docs/a/page.md': '# Page of A\n\ntheirs\n' })
  assert.is((await f.import(a, link('a'))).result, 'merged')
  assert.is((await f.files(a))['page.md'], '# Page of A\n\ntheirs')
  assert.is((await f.files(a))['README.md'], '# A!')
})

test('mapping is deterministic, and preserves merges of branches that change the folder', async () => {
  const remote = await f.remotes.createRepository('branches.git', {
    files: { 'docs/README.md': '# Docs\n', 'x.txt': 'x\n' },
  })
  const { dir } = await f.clone(remote.url)
  await git(dir, ['checkout', '--quiet', '-b', 'topic'])
  await git(dir, ['commit', '--quiet', '--allow-empty', '-m', 'nothing'])
  await git(dir, ['rm', '--quiet', 'x.txt'])
  await git(dir, ['commit', '--quiet', '-m', 'Outside'])
  await git(dir, ['mv', 'docs/README.md', 'docs/index.md'])
  await git(dir, ['commit', '--quiet', '-m', 'Inside'])
  await git(dir, ['checkout', '--quiet', 'main'])
  await git(dir, ['merge', '--quiet', '--no-ff', '-m', 'Merge topic', 'topic'])
  await git(dir, ['push', '--quiet', 'origin', 'main'])
  const heads: string[] = []
  for (let i = 0; i < 2; i++) {
    const space = await f.space()
    await f.import(space, { url: remote.url, repoProjectDirectory: 'docs' })
    heads.push(main(space.repo))
    assert.is(
      await git(space.repo.path, ['log', '--format=%s', 'main']),
      'Inside\nFirst',
      'a merge that adds nothing to one side is that side',
    )
  }
  assert.is(heads[0], heads[1])
})

test('a missing folder can be exported but not imported', async () => {
  const remote = await f.remotes.createRepository('new-folder.git', { files: { 'app.js': 'code\n' } })
  const space = await f.space()
  const link = { url: remote.url, repoProjectDirectory: 'docs' }
  const run = await f.import(space, link)
  assert.is(run.state, 'failure')
  assert.match(run.error ?? '', /no folder docs\//)
  assert.is((await f.export(space, link)).result, 'exported')
  assert.equal(Object.keys(await f.remoteFiles(remote.url)), ['app.js', 'docs/README.md', 'docs/SUMMARY.md'])
  assert.is((await f.import(space, link)).result, 'unchanged')
})

test('a space with the whole repository gets only the folder from later commits', async () => {
  const remote = await f.remotes.createRepository('narrowed.git', {
    files: { 'app.js': 'code\n', 'docs/README.md': '# Docs\n' },
  })
  const space = await f.space()
  const link = { url: remote.url, repoProjectDirectory: 'docs' }
  assert.is((await f.import(space, { url: remote.url, standalone: true })).result, 'standalone')
  assert.is((await f.import(space, link)).result, 'adopted')
  const commit = await remote.commit({ 'app.js': 'more code\n', 'docs/README.md': '# All docs\n' })
  assert.is((await f.import(space, link)).result, 'merged')
  assert.equal(await f.files(space), { 'README.md': '# All docs' })
  assert.not(await space.repo.objects.hasCommit(commit as CommitId))
})

test.run()
