import type { CommitId } from '../../src/kernel/ids.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { contentImports, jobs } from '../../src/model/index.js'
import { caller } from '../races/client.js'
import { startServer, TOKEN, until } from '../races/server-process.js'
import { git } from '../support/hermetic-git.js'
import { suite } from '../support/suite.js'
import { startImporting } from './service.js'
import { page, startWebsite } from './website.js'

const test = suite('an import and the end of the process')

const importsIn = async (repo: string): Promise<number> =>
  (await git(repo, ['log', '--format=%(trailers:key=Imported-From,valueonly)', 'main']))
    .split('\n')
    .filter((line) => line !== '').length

test(
  'an import is finished once after three kills in the middle',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-import-kill-'))
    const site = await startWebsite()
    site.otherwise = (request) => {
      const number = Number(request.url?.slice(2) ?? 0) || 0
      if (number > 30) return { status: 404 }
      return page(`Page ${number}`, `<p>Text ${number}.</p><a href="/p${number + 1}">next</a>`)
    }
    const env = {
      BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
      BINDERY_IMPORT_WAIT_SECONDS: '0',
      BINDERY_IMPORT_DELAY_MS: '20',
    }
    let server = await startServer(dir, env)
    try {
      let call = caller(server.url, TOKEN)
      const space = (await call('POST', `/v1/orgs/${server.organization}/spaces`, { title: 'Docs' })).body.id as string
      const answer = await call('POST', `/v1/spaces/${space}/content/import`, {
        url: `${site.url}/p1`,
        source: 'website',
      })
      assert.is(answer.status, 201)
      // The URL is at the top level, so the folder of the first page is the whole site.
      const whole = await call('POST', `/v1/spaces/${space}/content/import`, { url: `${site.url}/`, source: 'website' })
      assert.equal([whole.status, whole.body.state], [201, 'queued'])
      const status = async () => (await call('GET', `/v1/spaces/${space}/content/imports/${whole.body.import}`)).body
      for (let kill = 0; kill < 3; kill++) {
        const seen = site.requests.length
        await until(() => (site.requests.length > seen + 5 ? true : null))
        await server.kill((['server', 'group', 'tree'] as const)[kill] ?? 'tree')
        server = await startServer(dir, env)
        call = caller(server.url, TOKEN)
      }
      const done = await until(async () => {
        const now = await status()
        return now.state === 'completed' || now.state === 'failed' ? now : null
      })
      assert.equal([done.state, done.importedResources], ['completed', 31])
      const repo = join(dir, 'repos', `${space}.git`)
      assert.is(await importsIn(repo), 2, 'one commit for each import')
      assert.is(await git(repo, ['fsck', '--strict']), '')
    } finally {
      await server.kill('tree')
      await site.close()
      rmSync(dir, { recursive: true, force: true })
    }
  },
  { timeoutMs: 300_000 },
)

test('a crash after the commit makes no second one, and one before the move loses nothing', async () => {
  const here = await startImporting()
  const site = await startWebsite({ '/a': page('A', '<p>Text.</p>') })
  try {
    const space = await here.space()
    const repo = `${here.dir}/repos/${space}.git`
    const { body } = await here.admin
      .call('post', `/v1/spaces/${space}/content/import`, { url: `${site.url}/a`, source: 'html' })
      .expect(201)
    const again = async (commit: string | undefined): Promise<string> => {
      const { store } = here.service.app
      const doc = await store.get(contentImports, body.import)
      const job = await store.get(jobs, body.import)
      if (!doc || !job) throw new Error('the import is gone')
      const { revision: _one, finishedAt: _two, commit: _three, ...rest } = doc
      await store.replace(contentImports, {
        ...rest,
        url: `${site.url}/a`,
        state: 'running',
        stage: 'writing',
        ...(commit === undefined ? {} : { commit: commit as CommitId }),
      })
      await store.replace(jobs, { ...job, state: 'running', runner: 'the process before' })
      await here.restart()
      await until(async () =>
        (await here.service.app.store.get(contentImports, body.import))?.state === 'completed' ? true : null,
      )
      return (await here.service.app.store.get(contentImports, body.import))?.revision as string
    }
    assert.is(await again(body.revision), body.revision)
    assert.is(await importsIn(repo), 1)
    const made = await again('0123456789012345678901234567890123456789')
    assert.is(await importsIn(repo), 2, 'the commit that its document names never reached the branch')
    assert.is(await git(repo, ['rev-parse', 'main']), made)
  } finally {
    await Promise.all([here.close(), site.close()])
  }
})

test('a stopping service interrupts an import and continues it after the next start', async () => {
  const here = await startImporting({ BINDERY_IMPORT_WAIT_SECONDS: '600' })
  const site = await startWebsite({ '/slow': () => null })
  try {
    const space = await here.space()
    const waiting = here.admin
      .call('post', `/v1/spaces/${space}/content/import`, { url: `${site.url}/slow`, source: 'html' })
      .expect(201)
      .then(({ body }) => body)
    await until(() => (site.requests.includes('/slow') ? true : null))
    await here.restart()
    const { state, import: id } = await waiting
    assert.is(state, 'running', 'the request is answered when the service stops')
    site.pages.set('/slow', page('Slow', '<p>Text.</p>'))
    await until(async () => ((await here.service.app.store.get(contentImports, id))?.state === 'running' ? true : null))
    await here.restart()
    await until(async () =>
      (await here.service.app.store.get(contentImports, id))?.state === 'completed' ? true : null,
    )
    assert.equal(await here.files(space), ['README.md', 'SUMMARY.md', 'slow.md'])
  } finally {
    await Promise.all([here.close(), site.close()])
  }
})

test.run()
