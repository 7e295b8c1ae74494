import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { until } from '../races/server-process.js'
import { startGitHttp } from '../support/git-http.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('limit of concurrent previews')

test('one preview too many of silent remotes is rejected at once, and others are served', async () => {
  const here = await startService({ env: { BINDERY_REMOTE_TIMEOUT_SECONDS: '120' } })
  const remotes = await startGitHttp({ root: join(here.dir, 'remotes') })
  try {
    const { url } = await remotes.createRepository('docs.git', { files: { 'README.md': '# Docs\n' } })
    const { admin, organization } = here
    const path = `/v1/spaces/${(await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Docs' }).expect(201)).body.id}`
    const other = await here.caller('admin')
    const preview = { url, ref: 'refs/heads/main', direction: 'import' }
    let free = (): void => {}
    const silence = new Promise<undefined>((resolve) => (free = () => resolve(undefined)))
    let waiting = 0
    let answered = 0
    remotes.behaviour.onRequest = () => {
      waiting++
      return silence
    }
    const ask = async () => {
      const response = await admin.call('post', `${path}/git/preview`, preview)
      answered++
      return response
    }
    const asked = Promise.all(Array.from({ length: 7 }, ask))
    await until(() => (waiting === 4 && answered === 3) || null)
    delete remotes.behaviour.onRequest
    await other.call('post', `${path}/git/preview`, preview).expect(200)
    free()
    const responses = await asked
    const refused = responses.filter(({ status }) => status === 503)
    assert.is(refused.length, 3, responses.map(({ status }) => status).join())
    assert.is(refused[0]?.headers['retry-after'], '10')
    await admin.call('post', `${path}/git/preview`, preview).expect(200)
  } finally {
    await remotes.close()
    await here.close()
  }
})

test.run()
