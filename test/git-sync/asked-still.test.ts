import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startGitHttp } from '../support/git-http.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('roles of sync runs')

for (const direction of ['import', 'export'] as const)
  test(`a user who lost their role during an ${direction} changes nothing`, async () => {
    const here = await startService()
    const remotes = await startGitHttp({ root: join(here.dir, 'remotes') })
    try {
      const remote = await remotes.createRepository('docs.git', { files: { 'README.md': '# Docs\n' } })
      const { admin, organization } = here
      const { app } = here.service
      const id = (await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Synced' }).expect(201)).body
        .id as string
      const path = `/v1/spaces/${id}`
      const boss = await here.caller('read')
      await admin.call('post', `${path}/permissions`, { role: 'admin', users: [boss.user] }).expect(204)
      const main = async () => (await admin.call('get', path).expect(200)).body.revision as string
      const before = { main: await main(), remote: await remote.head() }
      let open = (): void => {}
      const held = app.locks.run(id, () => new Promise<void>((resolve) => (open = resolve)))
      const force = direction === 'export' ? { force: true, commitMessage: 'Export' } : {}
      await boss
        .call('post', `${path}/git/${direction}`, { url: remote.url, ref: 'refs/heads/main', ...force })
        .expect(204)
      const last = async () => (await admin.call('get', `${path}/git/history?limit=1`).expect(200)).body.items[0]
      for (let tries = 0; !['merging', 'pushing'].includes((await last()).stage) && tries < 60; tries++)
        await new Promise((resolve) => setTimeout(resolve, 50))
      await admin.call('delete', `/v1/orgs/${organization}/members/${boss.user}`).expect(204)
      open()
      await held
      while (['queued', 'running'].includes((await last()).state))
        await new Promise((resolve) => setTimeout(resolve, 50))
      assert.is((await last()).state, 'failure', (await last()).error)
      assert.equal({ main: await main(), remote: await remote.head() }, before)
    } finally {
      await remotes.close()
      await here.close()
    }
  })

test.run()
