// Tests the tasks of organization admins besides members: tokens, invitations, deleted spaces, further settings, and
// the own account.
import * as assert from 'uvu/assert'
import { RESTORE_MS } from '../../src/domain/spaces/spaces.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

/** A response body. The service checks it against its schema. */
type Json = any

let now = Date.now()
const [test, here] = await suiteWith('people: admins', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)
const org = (): string => `/v1/orgs/${here.organization}`
const get = async (path: string, who: Caller = here.admin): Promise<Json> =>
  (await who.call('get', path).expect(200)).body
/** The status of a request with another token of a user. */
const as = (token: string, path: string) => here.admin.call('get', path).set('Authorization', `Bearer ${token}`)
const token = async (who: Caller, body: object = {}): Promise<Json> =>
  (await who.call('post', '/v1/user/tokens', { label: 'x', ...body }).expect(201)).body

test('only an admin sees the tokens that give members access to the organization', async () => {
  const member = await here.caller('edit')
  const [free, limited] = [
    await token(member),
    await token(member, { organization: here.organization, expiresAt: new Date(now + 60_000).toISOString() }),
  ]
  const listed = (await get(`${org()}/tokens?user=${member.user}`)).items as Json[]
  assert.equal(
    listed.map(({ id }) => id).sort(),
    [free.id, limited.id, listed.find(({ id }) => id !== free.id && id !== limited.id)?.id].sort(),
  )
  for (const one of listed) assert.equal([one.object, one.user.id, one.token], ['member-token', member.user, undefined])
  assert.not.match(JSON.stringify(listed), /hash|bindery_/)
  now += 60_000
  assert.not.ok(
    ((await get(`${org()}/tokens?user=${member.user}`)).items as Json[]).some(({ id }) => id === limited.id),
    'one that has expired reaches nothing',
  )
  assert.equal((await get(`${org()}/tokens?user=nobody`)).items, [])
  await member.call('get', `${org()}/tokens`).expect(403)
  await (await here.caller()).call('get', `${org()}/tokens`).expect(404)
})

test('revoking an organization token revokes it, and a user token keeps its other access', async () => {
  const member = await here.caller('edit')
  const other = (await member.call('post', '/v1/orgs', { title: 'Their own' }).expect(201)).body.id
  const space = (await here.admin.call('post', `${org()}/spaces`, { title: 'S' }).expect(201)).body.id
  const [free, limited] = [await token(member), await token(member, { organization: here.organization })]
  for (const { token } of [free, limited]) await as(token, `/v1/spaces/${space}`).expect(200)
  for (const { id } of [free, limited]) {
    await member.call('delete', `${org()}/tokens/${id}`).expect(403)
    await here.admin.call('delete', `${org()}/tokens/${id}`).expect(204)
    await here.admin.call('delete', `${org()}/tokens/${id}`).expect(204)
  }
  await as(limited.token, '/v1/user').expect(401)
  await as(free.token, `/v1/spaces/${space}`).expect(404)
  await as(free.token, org()).expect(404)
  await as(free.token, `/v1/orgs/${other}`).expect(200)
  assert.equal(
    (await as(free.token, '/v1/orgs').expect(200)).body.items.map(({ id }: Json) => id),
    [other],
  )
  const child = (
    await here.admin
      .call('post', '/v1/user/tokens', { label: 'child' })
      .set('Authorization', `Bearer ${free.token}`)
      .expect(201)
  ).body
  await as(child.token, `/v1/spaces/${space}`).expect(404)
  const narrowed = { label: 'child', organization: here.organization }
  await here.admin.call('post', '/v1/user/tokens', narrowed).set('Authorization', `Bearer ${free.token}`).expect(400)
  await here.restart()
  await as(free.token, `/v1/spaces/${space}`).expect(404)
  await member.call('get', `/v1/spaces/${space}`).expect(200)
})

test('tokens of strangers are hidden from every caller', async () => {
  const stranger = await here.caller()
  const { id, token: secret } = await token(stranger)
  await here.admin.call('delete', `${org()}/tokens/${id}`).expect(204)
  await as(secret, '/v1/user').expect(200)
})

test('sending an invitation again replaces its link', async () => {
  const { body } = await here.admin
    .call('post', `${org()}/invites`, { emails: ['again@example.org'], role: 'read' })
    .expect(200)
  const [{ id, urls }] = body.invites
  const secretOf = (url: string): string => url.slice(url.indexOf('#') + 1)
  now += 6 * 24 * 60 * 60 * 1000
  const again = (await here.admin.call('post', `${org()}/invites/${id}/resend`).expect(200)).body
  assert.is(Date.parse(again.expiresAt), now + 7 * 24 * 60 * 60 * 1000)
  assert.is.not(again.urls.invite, urls.invite)
  assert.equal(
    (await get(`${org()}/invites`)).items.map((one: Json) => one.id),
    [id],
  )
  const accept = (url: string) =>
    here.admin.call('post', '/v1/invites/accept', { token: secretOf(url) }).unset('Authorization')
  await accept(urls.invite).expect(404)
  await accept(again.urls.invite).expect(200)
  await here.admin.call('post', `${org()}/invites/${id}/resend`).expect(404)
  const reader = await here.caller('create')
  await reader.call('post', `${org()}/invites/${id}/resend`).expect(403)
})

test('deleted spaces are listed for their readers while they can be restored', async () => {
  const made = async (title: string): Promise<string> =>
    (await here.admin.call('post', `${org()}/spaces`, { title }).expect(201)).body.id
  const [first, second, hidden] = [await made('First'), await made('Second'), await made('Hidden')]
  await here.admin.call('patch', `/v1/spaces/${hidden}`, { defaultLevel: null }).expect(200)
  for (const id of [first, second, hidden]) {
    now += 1000
    await here.admin.call('delete', `/v1/spaces/${id}`).expect(204)
  }
  const listed = async (who?: Caller): Promise<string[]> =>
    (await get(`${org()}/deleted-spaces`, who)).items.map(({ id }: Json) => id)
  assert.equal(await listed(), [hidden, second, first])
  assert.equal(await listed(await here.caller('read')), [second, first])
  assert.ok((await get(`${org()}/deleted-spaces?limit=1`)).items[0].deletedAt)
  await here.admin.call('post', `/v1/spaces/${second}/restore`).expect(200)
  assert.equal(await listed(), [hidden, first])
  now += RESTORE_MS
  assert.equal(await listed(), [])
})

test('an organization has a stated purpose, and sites without a hostname are below its address', async () => {
  const patch = async (body: object, status = 200): Promise<Json> =>
    (await here.admin.call('patch', org(), body).expect(status)).body
  const set = await patch({ useCase: 'productDocs', communityType: 'openSource', customHostname: 'docs.acme.example' })
  assert.equal(
    [set.useCase, set.communityType, set.type, set.customHostname],
    ['productDocs', 'openSource', 'community', 'docs.acme.example'],
  )
  const site = (await here.admin.call('post', `${org()}/sites`, { title: 'Guides', spaces: 'empty' }).expect(201)).body
  assert.is(
    (await here.admin.call('post', `${org()}/sites/${site.id}/publish`).expect(200)).body.urls.published,
    `http://docs.acme.example:${new URL(here.service.sites).port}/guides`,
  )
  for (const customHostname of ['localhost', 'UPPER.example', 'a..b', '127.0.0.1', 'x'.repeat(254)])
    await patch({ customHostname }, 400)
  for (const body of [{ useCase: 'war' }, { communityType: 'business' }]) await patch(body, 400)
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  await here.admin.call('patch', `/v1/orgs/${other}`, { customHostname: 'docs.acme.example' }).expect(409)
  await here.admin.call('patch', `${org()}/sites/${site.id}`, { hostname: 'docs.acme.example' }).expect(409)
  const unset = await patch({ useCase: null, communityType: null, customHostname: null })
  assert.equal(
    [unset.useCase, unset.communityType, unset.type, unset.customHostname],
    [undefined, undefined, 'business', undefined],
  )
})

test('users change their own name and photo, but not with an organization token', async () => {
  const member = await here.caller('edit')
  const set = (
    await member.call('patch', '/v1/user', { displayName: 'Ada', photoURL: 'https://example.org/ada.png' }).expect(200)
  ).body
  assert.equal([set.displayName, set.photoURL], ['Ada', 'https://example.org/ada.png'])
  assert.is((await get(`${org()}/members/${member.user}`)).user.photoURL, 'https://example.org/ada.png')
  for (const body of [
    { photoURL: 'javascript:alert(1)' },
    { photoURL: 'http://example.org/x' },
    { displayName: ' ' },
    { email: 'a@b.example' },
  ])
    await member.call('patch', '/v1/user', body).expect(400)
  const limited = await token(member, { organization: here.organization })
  const readOnly = await token(member, { readOnly: true })
  for (const { token } of [limited, readOnly])
    await here.admin
      .call('patch', '/v1/user', { displayName: 'Eve' })
      .set('Authorization', `Bearer ${token}`)
      .expect(403)
  assert.equal((await member.call('patch', '/v1/user', { photoURL: null }).expect(200)).body.photoURL, undefined)
})

test.run()
