import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startGitHttp } from '../support/git-http.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('connections', async () => {
  const remotes = await startGitHttp({ root: await mkdtemp(join(tmpdir(), 'bindery-remotes-')) })
  const service = await startService()
  return { remotes, service, close: async () => (await service.close(), remotes.close()) }
})

test('a space is connected, and its first run brings the content', async () => {
  const { admin, organization } = here.service
  const repository = await here.remotes.createRepository('docs.git', { files: { 'README.md': '# Home\n' } })
  const space = (await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Docs' }).expect(201)).body.id
  const base = `/v1/spaces/${space}/git/connections`
  const made = (await admin.call('post', base, { url: repository.url, ref: 'refs/heads/main' }).expect(201)).body
  assert.is(made.direction, 'both')
  const run = (await admin.call('post', `${base}/${made.id}/run`).expect(202)).body
  assert.is(run.connection, made.id)
})

test.run()
