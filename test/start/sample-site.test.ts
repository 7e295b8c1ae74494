import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { findSampleSite } from '../../src/domain/sites/sample-site.js'
import { sites, spaces } from '../../src/model/index.js'
import { onPostgres } from '../support/on-postgres.js'
import { databaseSettings, dropDatabase } from '../support/service-database.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('start: sample site')

const WITH_SAMPLE = { BINDERY_SAMPLE_SITE: 'true' }

/** The numbers of spaces and sites in the service, and the address of the sample. */
async function found({ service }: TestService): Promise<[number, number, string | null]> {
  const { store } = service.app
  const live = (await store.all(spaces)).filter(({ deletedAt }) => deletedAt === undefined)
  return [
    live.length,
    (await store.all(sites)).length,
    await findSampleSite(service.app, service.first.organization.id),
  ]
}

test('the first start publishes a sample, and no later start creates it again', async () => {
  const here = await startService({ env: WITH_SAMPLE })
  try {
    const at = (): string => `${here.service.sites}/${here.organization}/bindery`
    assert.equal(await found(here), [1, 1, at()])
    const home = await request(at()).get('').expect(200)
    assert.match(home.text, /<h1[^>]*>Welcome<\/h1>/)
    assert.not.match(home.text, 'noindex')
    const paths = [...new Set([...home.text.matchAll(/href="([^"#]+)"/g)].map((match) => match[1] as string))]
    const pages = paths.filter((path) => path.startsWith('/') && !path.includes('~') && !path.endsWith('.md'))
    assert.ok(pages.length >= 8, String(pages))
    for (const page of pages) {
      const { text } = await request(here.service.sites).get(page).expect(200)
      // Every block of the template was understood.
      assert.not.match(text, '{%', page)
    }
    await here.restart()
    assert.equal(await found(here), [1, 1, at()])
    const organization = `/v1/orgs/${here.organization}`
    const [site] = (await here.admin.call('get', `${organization}/sites`).expect(200)).body.items
    const [space] = (await here.admin.call('get', `${organization}/spaces`).expect(200)).body.items
    await here.admin.call('patch', `${organization}/sites/${site.id}`, { visibility: 'unlisted' }).expect(200)
    assert.equal(await found(here), [1, 1, null])
    await here.admin.call('delete', `${organization}/sites/${site.id}`).expect(204)
    await here.admin.call('delete', `/v1/spaces/${space.id}`).expect(204)
    await here.restart()
    assert.equal(await found(here), [0, 0, null])
  } finally {
    await here.close()
  }
})

test('a data folder that has users gets no sample, even for another admin', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
  const before = await startService({ dir })
  assert.equal(await found(before), [0, 0, null])
  await before.service.close()
  const here = await startService({ dir, env: { ...WITH_SAMPLE, BINDERY_ADMIN_EMAIL: 'ada@example.org' } })
  try {
    assert.equal(await found(here), [0, 0, null])
  } finally {
    await here.close()
  }
})

if (onPostgres)
  test('nodes that start together create one sample', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
    const env = { ...WITH_SAMPLE, ...(await databaseSettings(dir)), BINDERY_SITES_ORIGIN: 'http://docs.example.test' }
    const nodes = await Promise.all(['a', 'b', 'c'].map((name) => startService({ dir: join(dir, name), env })))
    const [first] = nodes as [TestService]
    const at = `http://docs.example.test/${first.organization}/bindery`
    for (const node of nodes) assert.equal(await found(node), [1, 1, at])
    for (const node of nodes) await node.close()
    await dropDatabase(dir)
    await rm(dir, { recursive: true })
  })

test.run()
