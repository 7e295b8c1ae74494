import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { pullPreviews } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { startGitHttp } from '../support/git-http.js'
import { startGitHub } from '../support/hosts/github.js'
import { backBy } from '../support/hosts/real-repository.js'
import { moduleArguments } from '../support/own-process.js'
import { until } from '../races/server-process.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { DOCS, TOKEN } from './fixture.js'

const [test, here] = await suiteWith('previews of pull requests: kill -9', async () => {
  const root = await mkdtemp(join(tmpdir(), 'bindery-killed-'))
  const remotes = await startGitHttp({ root })
  const host = await startGitHub()
  const close = async (): Promise<void> => {
    await remotes.close()
    await host.close()
    await rm(root, { recursive: true, force: true })
  }
  return { remotes, host, close }
})

test('a poll that was killed while it set a status repeats without a second status', async () => {
  const { host, remotes } = here
  host.tokens.set(TOKEN, ['*'])
  const bare = await remotes.createRepository('acme/docs.git', { files: DOCS })
  backBy(host.repository, bare.path)
  const main = (await bare.head('refs/heads/main')) as string
  await git(bare.path, ['update-ref', 'refs/heads/topic', main])
  const head = await bare.commit({ 'guide.md': '# Guide\n\n[Gone](gone.md)\n' }, { ref: 'refs/heads/topic' })
  await git(bare.path, ['update-ref', 'refs/pull/1/head', head])
  host.repository.open({ head: 'topic', base: 'main', title: 'Topic', body: '' })
  const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
  // The host receives the status request and never responds.
  const asked = new Promise<void>((resolve) => {
    const find = host.repository.commits.find
    host.repository.commits.find = () => {
      resolve()
      host.repository.commits.find = find
      throw new Error('the connection is cut')
    }
  })
  const child = spawn(
    process.execPath,
    [...moduleArguments('./killed-service.js', import.meta.url), dir, bare.url, host.apiUrl, TOKEN],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, TMPDIR: tmpdir() },
    },
  )
  await asked
  child.kill('SIGKILL')
  await once(child, 'exit')
  const service = await startService({ dir })
  try {
    const { app } = service.service
    const [connection] = (
      await service.admin.call('get', `/v1/orgs/${service.organization}/git/connections`).expect(200)
    ).body.items
    await service.admin
      .call('patch', `/v1/spaces/${connection.space}/git/connections/${connection.id}`, {
        pullRequests: { preview: true },
      })
      .expect(200)
    const all = await until(async () => {
      await service.service.idle()
      const found = await app.store.all(pullPreviews)
      // Another node polls only after the leases of the killed node have ended.
      return found.some(({ status }) => status) ? found : null
    })
    assert.equal(
      all.map(({ number, commit, state, status }) => [number, commit, state, status?.commit, status?.state]),
      [[1, head, 'ready', head, 'failure']],
    )
    assert.equal(
      host.repository.statuses.map(({ sha, state }) => [sha, state]),
      [[head, 'failure']],
    )
    const refs = await git(join(dir, 'repos', `${connection.space}.git`), [
      'for-each-ref',
      '--format=%(objectname)',
      'refs/bindery/previews/',
    ])
    assert.is(refs.trim(), head)
  } finally {
    await service.close()
  }
})

test.run()
