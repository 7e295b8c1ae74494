import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type GitHttp, startGitHttp } from '../support/git-http.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('git sync over HTTP')
let service: TestService
let remotes: GitHttp
let served: string
test.before(async () => {
  served = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
  remotes = await startGitHttp({ root: served })
  service = await startService()
})
test.after(async () => {
  await service.close()
  await remotes.close()
  await rm(served, { recursive: true, force: true })
})

const newSpace = async (): Promise<string> =>
  (await service.admin.call('post', `/v1/orgs/${service.organization}/spaces`, { title: 'Docs' }).expect(201)).body.id

/** Returns `git/info` after the end of the run. */
async function settled(space: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await service.admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)
    if (body.state !== 'queued' && body.state !== 'running') return body
  }
}

test('an import asks the remote once, and an import without news fetches no pack', async () => {
  const remote = await remotes.createRepository('once.git', { files: { 'README.md': '# Home\n' } })
  const space = await newSpace()
  const input = { url: remote.url, ref: 'refs/heads/main' }
  const imported = async (): Promise<{ asked: string[]; remoteRevision: unknown }> => {
    const before = remotes.requests.length
    await service.admin.call('post', `/v1/spaces/${space}/git/import`, input).expect(204)
    const { state, remoteRevision } = await settled(space)
    assert.is(state, 'success')
    return { asked: remotes.requests.slice(before).map(({ method }) => method), remoteRevision }
  }
  assert.equal(
    (await imported()).asked,
    ['GET', 'POST', 'POST'],
    'capabilities, refs and the pack: a new space does not ask what both have',
  )
  assert.equal((await imported()).asked, ['POST'], 'refs: what the remote is capable of is known')
  const head = await remote.commit({ 'new.md': '# New\n' })
  const { asked, remoteRevision } = await imported()
  assert.equal(asked, ['POST', 'POST'], 'refs and the pack')
  assert.is(remoteRevision, head)
})

test('import, info, export, history and unlink work over HTTP', async () => {
  const remote = await remotes.createRepository('docs.git', { files: { 'README.md': '# Home\n' } })
  const space = await newSpace()
  const base = `/v1/spaces/${space}/git`
  assert.equal((await service.admin.call('get', `${base}/info`).expect(200)).body, {})
  const url = remote.url.replace('http://', 'http://me:hidden@')
  const input = {
    url,
    ref: 'refs/heads/main',
    repoCacheID: 'x',
    repoCommitURL: 'https://example.org/commit',
    gitInfo: { provider: 'github', url: 'https://example.org/edit' },
  }
  await service.admin.call('post', `${base}/import`, input).expect(204)
  const info = await settled(space)
  assert.is(info.error, null)
  assert.is(info.state, 'success')
  assert.is(info.direction, 'import')
  assert.is(info.stage, 'done')
  assert.is(info.progress, 1)
  assert.is(info.url, remote.url)
  assert.is(info.ref, 'refs/heads/main')
  assert.is(info.installationProvider, undefined, 'there is no connection')
  assert.is(info.remoteRevision, await remote.head())
  assert.is(info.revision, await remote.head())

  await service.admin
    .call('post', `${base}/export`, { url, ref: 'refs/heads/main', commitMessage: 'Publish' })
    .expect(204)
  assert.is((await settled(space)).direction, 'export')
  const history = (await service.admin.call('get', `${base}/history`).expect(200)).body
  assert.is(history.count, 2)
  assert.equal(
    history.items.map((run: { direction: string; result: string }) => `${run.direction} ${run.result}`),
    ['export unchanged', 'import adopted'],
  )
  assert.not.match(JSON.stringify(history), /hidden/)
  await service.admin.call('post', `${base}/retry`).expect(409)
  await service.admin.call('delete', `${base}/legacy-installation`).expect(204)
  await service.admin.call('delete', `${base}/legacy-installation`).expect(204)
})

test('a failure is explained and can be retried', async () => {
  const space = await newSpace()
  const base = `/v1/spaces/${space}/git`
  await service.admin
    .call('post', `${base}/import`, { url: `${remotes.url}/late.git`, ref: 'refs/heads/main' })
    .expect(204)
  const info = await settled(space)
  assert.is(info.state, 'failure')
  assert.match(String(info.error), /no Git repository/)
  await remotes.createRepository('late.git', { files: { 'README.md': '# Late\n' } })
  await service.admin.call('post', `${base}/retry`).expect(204)
  assert.is((await settled(space)).state, 'success')
})

test('a request with an invalid body or without the required role is rejected', async () => {
  const space = await newSpace()
  const base = `/v1/spaces/${space}/git`
  await service.admin.call('post', `${base}/import`, { ref: 'refs/heads/main' }).expect(400)
  await service.admin.call('post', `${base}/import`, { url: 'https://host/x', ref: 'main' }).expect(400)
  await service.admin
    .call('post', `${base}/import`, { url: 'https://host/x', ref: 'refs/heads/main', extra: 1 })
    .expect(400)
  await service.admin.call('post', `${base}/export`, { url: 'https://host/x', ref: 'refs/heads/main' }).expect(400)
  const [editor, reviewer, reader] = [
    await service.caller('edit'),
    await service.caller('review'),
    await service.caller('read'),
  ]
  const input = { url: 'https://host.invalid/x', ref: 'refs/heads/main' }
  await editor.call('post', `${base}/import`, input).expect(403)
  await reviewer.call('post', `${base}/import`, input).expect(403)
  await reader.call('post', `${base}/import`, { ...input, standalone: true }).expect(403)
  await editor.call('post', `${base}/import`, { ...input, standalone: true }).expect(204)
  await reader.call('get', `${base}/info`).expect(200)
  await reviewer.call('delete', `${base}/legacy-installation`).expect(403)
  await service.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  await service.admin.call('post', `${base}/import`, input).expect(423)
})

test.run()
