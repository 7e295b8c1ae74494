import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { queueHousekeeping } from '../../src/domain/upkeep/housekeeping.js'
import { sweepSpecFiles } from '../../src/domain/openapi/queue.js'
import { handClock } from '../support/hand-clock.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { processed, serveFiles, spec, specText } from './servers.js'

const clock = handClock()
const [test, here] = await suiteWith('openapi/refresh', () => startService({ overrides: { clock } }))
const web = await serveFiles()
test.after(() => web.close())

const MINUTE = 60_000
const base = (): string => `/v1/orgs/${here.organization}/openapi`

/** Advances the clock to the next refresh, and waits until the specification was checked again. */
async function refreshed(slug: string) {
  const { app } = here.service
  const before = (await processed(here.admin, `${base()}/${slug}`)).lastProcessedAt
  clock.forward(MINUTE)
  app.settings.specRefreshMs = MINUTE / 2
  await queueHousekeeping(app)
  app.settings.specRefreshMs = null
  for (;;) {
    const now = await processed(here.admin, `${base()}/${slug}`)
    if (now.lastProcessedAt !== before) return now
    await sleep(20)
  }
}

const create = async (slug: string) => {
  await here.admin.call('post', base(), { slug, source: { url: `${web.url}/${slug}.json` } }).expect(201)
  return processed(here.admin, `${base()}/${slug}`)
}

test('a refresh uses the ETag and creates a version only for changed content', async () => {
  web.files.set('/a.json', specText({ paths: { '/p': { $ref: 'a-path.json' } } }))
  web.files.set('/a-path.json', '{"get":{"responses":{"200":{"description":"one"}}}}')
  const first = await create('a')
  web.asked.length = 0
  assert.is((await refreshed('a')).lastVersion, first.lastVersion)
  assert.equal(web.asked.sort(), ['/a-path.json 304', '/a.json 304'])
  web.files.set('/a-path.json', '{"get":{"responses":{"200":{"description":"two"}}}}')
  const second = await refreshed('a')
  assert.is.not(second.lastVersion, first.lastVersion)
  assert.is((await refreshed('a')).lastVersion, second.lastVersion)
})

test('if a server withdraws its response, the newest version stays and the problem is shown', async () => {
  web.files.set('/b.json', specText())
  const first = await create('b')
  web.files.set('/b.json', '<html>Down for maintenance</html>')
  const bad = await refreshed('b')
  assert.is(bad.lastProcessErrorCode, 'PARSE_ERROR')
  assert.is(bad.lastVersion, first.lastVersion)
  web.files.delete('/b.json')
  assert.is((await refreshed('b')).lastProcessErrorCode, 'FETCH_ERROR')
  web.files.set('/b.json', specText())
  const good = await refreshed('b')
  assert.is(good.lastProcessErrorCode, undefined)
  assert.is(good.lastVersion, first.lastVersion)
  assert.is((await here.admin.call('get', `${base()}/b/versions`).expect(200)).body.count, 1)
})

test('a server that returns earlier content without ETags causes a new version', async () => {
  web.files.set('/back.json', specText())
  await create('back')
  web.files.set('/part.json', (_req, res) =>
    res.writeHead(200).end('{"get":{"responses":{"200":{"description":"x"}}}}'),
  )
  web.files.set('/back.json', specText({ paths: { '/a': { $ref: 'part.json' } } }))
  await refreshed('back')
  web.files.set('/back.json', specText())
  await refreshed('back')
  const { body } = await here.admin.call('get', `${base()}/back/versions/latest/content`).expect(200)
  assert.equal(body.filesystem['openapi.json'].specification, spec())
})

test('a version lists its changes and the breaking ones', async () => {
  web.files.set('/c.json', specText())
  await create('c')
  const pet = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
  const get = {
    parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
    responses: { '200': { description: 'A pet.' } },
  }
  const post = { responses: { '201': { description: 'Made.' } } }
  const paths = { '/pets/{petId}': { get }, '/pets': { post } }
  web.files.set('/c.json', JSON.stringify(spec({ paths, components: { schemas: { Pet: pet } } })))
  await refreshed('c')
  const { changes } = (await here.admin.call('get', `${base()}/c/versions/latest`).expect(200)).body
  assert.equal(changes.operations, {
    added: ['POST /pets'],
    removed: [],
    changed: ['GET /pets/{petId}'],
    counts: { added: 1, removed: 0, changed: 1 },
  })
  assert.equal(changes.schemas.changed, ['Pet'])
  assert.equal(changes.breaking, [
    { operation: 'GET /pets/{petId}', message: 'The response 200 is no longer available as application/json.' },
    { schema: 'Pet', message: 'The property age was removed.' },
    { schema: 'Pet', message: 'The property name is now required.' },
  ])
  assert.is(changes.breakingCount, 3)
  web.files.set('/c.json', specText({ paths: {}, components: {} }))
  await refreshed('c')
  const { body } = await here.admin.call('get', `${base()}/c/versions/latest`).expect(200)
  assert.equal(body.changes.operations.removed.sort(), ['GET /pets/{petId}', 'POST /pets'])
  assert.is(body.changes.breakingCount, 3)
})

test('slow servers of one organization do not delay another', async () => {
  web.files.set('/hangs', () => {})
  for (const slug of ['hangs-1', 'hangs-2', 'hangs-3'])
    await here.admin.call('post', base(), { slug, source: { url: `${web.url}/hangs` } }).expect(201)
  const { body: other } = await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)
  const path = `/v1/orgs/${other.id}/openapi`
  await here.admin.call('post', path, { slug: 'quick', source: { text: specText() } }).expect(201)
  assert.is((await processed(here.admin, `${path}/quick`)).lastProcessErrorCode, undefined)
  assert.is((await here.admin.call('get', `${base()}/hangs-3`).expect(200)).body.processingState, 'pending')
  for (const slug of ['hangs-1', 'hangs-2', 'hangs-3']) await here.admin.call('delete', `${base()}/${slug}`).expect(204)
})

test('a sweep does not delete files that documents refer to', async () => {
  await sweepSpecFiles(here.service.app)
  await here.admin.call('get', `${base()}/a/versions/latest/content`).expect(200)
})

test.run()
