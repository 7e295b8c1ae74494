import * as assert from 'uvu/assert'
import { contentImports } from '../../src/model/index.js'
import { until } from '../races/server-process.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startImporting } from './service.js'
import { page, startWebsite } from './website.js'

const [test, here] = await suiteWith('permissions of imports', async () => {
  const service = await startImporting()
  const waitless = await startImporting({ BINDERY_IMPORT_WAIT_SECONDS: '0' })
  const site = await startWebsite({ '/a': page('A', '<p>Text.</p>') })
  return { service, waitless, site, close: () => Promise.all([service.close(), waitless.close(), site.close()]) }
})
const { service, waitless, site } = here
const body = { url: `${site.url}/a`, source: 'html' }

test('an import needs the role edit and a user of the space', async () => {
  const space = await service.space()
  const [reader, editor, stranger] = [
    await service.caller('read'),
    await service.caller('edit'),
    await service.caller(),
  ]
  await reader.call('post', `/v1/spaces/${space}/content/import`, body).expect(403)
  await stranger.call('post', `/v1/spaces/${space}/content/import`, body).expect(404)
  const made = await editor.call('post', `/v1/spaces/${space}/content/import`, body).expect(201)
  const [author] = [await git(`${service.dir}/repos/${space}.git`, ['log', '-1', '--format=%ae %s', 'main'])]
  assert.match(author, /^person-\d+@example\.org Import 1 page from 127\.0\.0\.1:\d+$/)
  await reader.call('get', made.headers.location as string).expect(403)
  const other = await service.space()
  await editor.call('get', `/v1/spaces/${other}/content/imports/${made.body.import}`).expect(404)
})

test('a locked space rejects an import, even if it is locked during the import', async () => {
  const space = await waitless.space()
  site.pages.set('/slow', () => null)
  const { body: started } = await waitless.admin
    .call('post', `/v1/spaces/${space}/content/import`, { url: `${site.url}/slow`, source: 'html' })
    .expect(201)
  assert.equal(started.state, 'queued')
  await until(() => (site.requests.includes('/slow') ? true : null))
  await waitless.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  await waitless.admin.call('post', `/v1/spaces/${space}/content/import`, body).expect(423)
  site.pages.set('/slow', page('Slow', '<p>x</p>'))
  await waitless.restart()
  const ended = await until(async () => {
    const now = await waitless.service.app.store.get(contentImports, started.import)
    return now?.state === 'failed' ? now : null
  })
  assert.match(ended.problem?.message ?? '', /locked/)
  assert.equal(await waitless.files(space), ['README.md', 'SUMMARY.md'])
})

test('an import ends if its user loses the role while it reads', async () => {
  const space = await waitless.space()
  const editor = await waitless.caller('edit')
  site.pages.set('/later', (_request, response) => {
    void until(async () => (demoted ? true : null)).then(() =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(page('Later', '<p>x</p>')),
    )
    return null
  })
  let demoted = false
  const { body: started } = await editor
    .call('post', `/v1/spaces/${space}/content/import`, { url: `${site.url}/later`, source: 'html' })
    .expect(201)
  await until(() => (site.requests.includes('/later') ? true : null))
  await waitless.admin.call('delete', `/v1/orgs/${waitless.organization}/members/${editor.user}`).expect(204)
  demoted = true
  const ended = await until(async () => {
    const now = await waitless.service.app.store.get(contentImports, started.import)
    return now && now.state !== 'queued' && now.state !== 'running' ? now : null
  })
  assert.is(ended.state, 'failed')
  assert.equal(await waitless.files(space), ['README.md', 'SUMMARY.md'])
})

test('main with required approvals accepts an import only from an admin, with an audit entry', async () => {
  const space = await service.space()
  await service.admin.call('patch', `/v1/spaces/${space}`, { requiredApprovals: 1 }).expect(200)
  const editor = await service.caller('edit')
  await editor.call('post', `/v1/spaces/${space}/content/import`, body).expect(409)
  await service.admin.call('post', `/v1/spaces/${space}/content/import`, body).expect(201)
  const log = (await service.admin.call('get', `/v1/orgs/${service.organization}/audit-log?limit=5`)).body.items
  assert.ok(JSON.stringify(log).includes('requiredApprovals'))
  const request = (await editor.call('post', `/v1/spaces/${space}/change-requests`, { subject: 'Import' }).expect(201))
    .body
  const main = await git(`${service.dir}/repos/${space}.git`, ['rev-parse', 'main'])
  const made = await editor
    .call('post', `/v1/spaces/${space}/change-requests/${request.id}/content/import`, body)
    .expect(201)
  assert.is(await git(`${service.dir}/repos/${space}.git`, ['rev-parse', 'main']), main)
  assert.is(
    await git(`${service.dir}/repos/${space}.git`, ['rev-parse', `change-requests/${request.number}`]),
    made.body.revision,
  )
  const content = (await editor.call('get', `/v1/spaces/${space}/change-requests/${request.id}/content`).expect(200))
    .body
  const into = content.pages[0].id as string
  await editor
    .call('post', `/v1/spaces/${space}/change-requests/${request.id}/content/page/${into}/import`, body)
    .expect(201)
  await service.admin
    .call('patch', `/v1/spaces/${space}/change-requests/${request.id}`, { status: 'archived' })
    .expect(200)
  await editor.call('post', `/v1/spaces/${space}/change-requests/${request.id}/content/import`, body).expect(409)
})

test('five imports may wait in a space, and the status hides the query of the URL', async () => {
  const space = await waitless.space()
  site.pages.set('/hang', () => null)
  const start = (status: number) =>
    waitless.admin
      .call('post', `/v1/spaces/${space}/content/import`, { url: `${site.url}/hang?token=SECRET`, source: 'html' })
      .expect(status)
  const { headers } = await start(201)
  for (let n = 0; n < 4; n++) await start(201)
  const { body: refused } = await start(409)
  assert.match(refused.error.message, /queued or running/)
  assert.not.match(
    JSON.stringify((await waitless.admin.call('get', headers.location as string).expect(200)).body),
    /SECRET/,
  )
})

test.run()
