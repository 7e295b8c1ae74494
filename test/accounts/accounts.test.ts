import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { startService } from '../support/service.js'
import { onPostgres } from '../support/on-postgres.js'

const [test, here] = await suiteWith('api: users, tokens, organizations', startService)

const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
const inADay = new Date(Date.now() + 86_400_000).toISOString()
const token = async (body: object): Promise<string> =>
  (await here.admin.call('post', '/v1/user/tokens', body).expect(201)).body.token
const as = (secret: string, method: 'get' | 'post' | 'delete' | 'patch', path: string, body?: object) => {
  const call = request(here.url)[method](path).set('Authorization', `Bearer ${secret}`)
  return body === undefined ? call : call.send(body)
}

test('a token that is limited to an organization reaches nothing outside it', async () => {
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  const limited = await token({ label: 'limited', organization: other })
  const orgs = await as(limited, 'get', '/v1/orgs').expect(200)
  assert.equal(
    orgs.body.items.map((one: { id: string }) => one.id),
    [other],
  )
  await as(limited, 'get', `/v1/orgs/${here.organization}`).expect(404)
  await as(limited, 'post', '/v1/orgs', { title: 'Third' }).expect(403)
  const mine = await as(limited, 'get', '/v1/user/tokens').expect(200)
  assert.equal(
    mine.body.items.map((one: { label: string }) => one.label),
    ['limited'],
  )
  const all = await here.admin.call('get', '/v1/user/tokens').expect(200)
  const first = all.body.items.find((one: { label: string }) => one.label !== 'limited').id
  await as(limited, 'delete', `/v1/user/tokens/${first}`).expect(204)
  await here.admin.call('get', '/v1/user').expect(200)
})

test('a token cannot create a token that expires later', async () => {
  const short = await token({ label: 'short', expiresAt: inAnHour })
  await as(short, 'post', '/v1/user/tokens', { label: 'longer', expiresAt: inADay }).expect(403)
  const made = await as(short, 'post', '/v1/user/tokens', { label: 'same' }).expect(201)
  assert.is(made.body.expiresAt, inAnHour)
})

test('two organizations cannot share a hostname, and a logo must be a web address', async () => {
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Another' }).expect(201)).body.id
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { hostname: 'acme' }).expect(200)
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { hostname: 'acme', title: 'Acme' }).expect(200)
  await here.admin.call('patch', `/v1/orgs/${other}`, { hostname: 'acme' }).expect(409)
  await here.admin.call('patch', `/v1/orgs/${other}`, { logo: 'javascript:alert(1)' }).expect(400)
  const { body } = await here.admin
    .call('patch', `/v1/orgs/${other}`, { logo: 'https://example.org/logo.png' })
    .expect(200)
  assert.is(body.urls.logo, 'https://example.org/logo.png')
})

test('only the owner of the process can read the stored documents', async () => {
  for (const path of onPostgres ? ['signing-key'] : ['store', 'signing-key'])
    assert.is((await stat(join(here.dir, 'data', path))).mode & 0o077, 0, path)
})

test.run()
