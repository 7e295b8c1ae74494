/** Browser sessions: their start, their end, and the requests for which they are valid. */
import request, { type Test } from 'supertest'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('desk/session', () => startService())

/** Opens a session with a token or another secret, and returns the cookie. */
async function open(token: string): Promise<{ cookie: string; header: string; id: string }> {
  const response = await request(here.url).post('/v1/session').send({ token, label: 'Firefox on Linux' }).expect(201)
  const header = String(response.headers['set-cookie'])
  return { cookie: header.split(';')[0] as string, header, id: response.body.token.id }
}

/** The headers of a request that a page of the app sends. */
const own = (test: Test, cookie: string): Test =>
  test.set('Cookie', cookie).set('Origin', here.url).set('Sec-Fetch-Site', 'same-origin').set('X-Requested-By', 'desk')
const rename = (): Test => request(here.url).patch('/v1/user').send({ displayName: 'Changed' })
const name = async (): Promise<string> => (await here.admin.call('get', '/v1/user')).body.displayName

test('a session has a cookie that scripts cannot read, and is listed and revoked like a token', async () => {
  const { cookie, header, id } = await open(here.admin.token)
  assert.match(header, /; Path=\/; HttpOnly; SameSite=Lax$/)
  const { body } = await own(request(here.url).get('/v1/session'), cookie).expect(200)
  assert.is(body.user.id, here.admin.user)
  assert.not.ok(JSON.stringify(body).includes(cookie.split('=')[1] as string))
  const listed = (await here.admin.call('get', '/v1/user/tokens').expect(200)).body.items
  const token = listed.find((one: { id: string }) => one.id === id)
  assert.equal([token.session, token.label], [true, 'Firefox on Linux'])
  assert.ok(Date.parse(token.expiresAt) <= Date.now() + 31 * 24 * 3600 * 1000)
  await here.admin.call('delete', `/v1/user/tokens/${id}`).expect(204)
  await own(request(here.url).get('/v1/session'), cookie).expect(401)
})

test('signing out revokes the session and removes the cookie', async () => {
  const { cookie } = await open(here.admin.token)
  const response = await own(request(here.url).delete('/v1/session'), cookie).expect(204)
  assert.match(String(response.headers['set-cookie']), /^bindery_session=; Max-Age=0;/)
  await own(request(here.url).get('/v1/session'), cookie).expect(401)
  await here.admin.call('get', '/v1/user').expect(200)
})

test('a write with a cookie requires the same origin and a header that forms cannot send', async () => {
  const { cookie } = await open(here.admin.token)
  const before = await name()
  const sites = new URL(here.service.sites as string).origin
  const foreign: Test[] = [
    rename().set('Cookie', cookie),
    rename().set('Cookie', cookie).set('Origin', here.url),
    rename().set('Cookie', cookie).set('X-Requested-By', 'desk'),
    ...['https://attacker.example', sites, 'null', `${here.url}.attacker.example`].map((origin) =>
      rename().set('Cookie', cookie).set('Origin', origin).set('X-Requested-By', 'desk'),
    ),
  ]
  for (const one of foreign) {
    const { body } = await one.expect(401)
    assert.match(body.error.message, /session of your browser/)
  }
  assert.is(await name(), before)
  await own(rename(), cookie).expect(200)
  assert.is(await name(), 'Changed')
})

test('pages on other origins cannot read with the cookie, which is valid only for the API', async () => {
  const { cookie } = await open(here.admin.token)
  const read = () => request(here.url).get('/v1/user').set('Cookie', cookie)
  await read().expect(200)
  await read()
    .set('Origin', here.service.sites as string)
    .expect(401)
  await read().set('Sec-Fetch-Site', 'same-site').set('Sec-Fetch-Mode', 'no-cors').expect(401)
  await read().set('Sec-Fetch-Site', 'cross-site').set('Sec-Fetch-Mode', 'navigate').expect(200)
  const mcp = request(here.url)
    .post('/~mcp')
    .set('Origin', here.url)
    .set('X-Requested-By', 'desk')
    .set('Cookie', cookie)
  await mcp.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }).expect(401)
  await request(here.url).get('/git/x.git/info/refs?service=git-upload-pack').set('Cookie', cookie).expect(401)
})

test('a session has at most the rights of its token, and an injected cookie opens none', async () => {
  const { body } = await here.admin
    .call('post', '/v1/user/tokens', { label: 'Read', readOnly: true, organization: here.organization })
    .expect(201)
  const { cookie } = await open(body.token)
  const error = await own(rename(), cookie).expect(403)
  assert.match(error.body.error.message, /read-only/)
  const own2 = (await own(request(here.url).get('/v1/session'), cookie)).body.token
  assert.equal([own2.readOnly, own2.organization], [true, here.organization])
  const planted = 'bindery_session=bindery_planted_by_an_attacker_0123456789'
  const signedIn = await request(here.url)
    .post('/v1/session')
    .set('Cookie', planted)
    .send({ token: here.admin.token })
    .expect(201)
  assert.not.match(String(signedIn.headers['set-cookie']), 'planted')
  await own(request(here.url).get('/v1/user'), planted).expect(401)
  await request(here.url).post('/v1/session').send({ token: 'bindery_unknown_0123456789012345' }).expect(401)
  const mcp = await here.admin.call('post', '/v1/user/tokens', { label: 'MCP', scopes: ['mcp'] }).expect(201)
  await request(here.url).post('/v1/session').send({ token: mcp.body.token }).expect(403)
})

test('a page of another origin cannot sign the browser in, not even with a valid token', async () => {
  const signIn = (origin: string) =>
    request(here.url).post('/v1/session').set('Origin', origin).send({ token: here.admin.token })
  for (const origin of ['https://attacker.example', new URL(here.service.sites as string).origin, 'null']) {
    const response = await signIn(origin).expect(403)
    assert.match(response.body.error.message, /another origin/)
    assert.is(response.headers['set-cookie'], undefined)
  }
  await signIn(here.url).expect(201)
})

test('the URL that the first start prints signs the admin in once', async () => {
  const fresh = await startService({ env: { BINDERY_ADMIN_TOKEN: '' } })
  try {
    const link = fresh.service.first.link as string
    const signIn = () => request(fresh.url).post('/v1/session').send({ token: link })
    const { body } = await signIn().expect(201)
    assert.is(body.user.id, fresh.service.first.user.id)
    await signIn().expect(401)
  } finally {
    await fresh.close()
  }
})

test.run()
