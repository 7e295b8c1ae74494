// Tests that a single sign-on session and its derived tokens give no access outside their organization, for every
// operation.
import * as assert from 'uvu/assert'
import { type Endpoint, pathParameters } from '../../../src/api/declaration.js'
import { endpoints } from '../../../src/api/index.js'
import { createUser, issueToken } from '../../../src/domain/accounts/accounts.js'
import { newMembership } from '../../../src/domain/people/organizations.js'
import { memberships } from '../../../src/model/index.js'
import { sampleEnv, samples } from '../../api/samples/index.js'
import { as } from '../fixture.js'
import { urlOf } from '../../support/probe.js'
import { suiteWith } from '../../support/suite.js'
import { startSso } from './fixture.js'

const [test, here] = await suiteWith('sso: limited tokens', () => startSso(sampleEnv))
const { app } = here.service

/** A user with an account who is a member of both organizations with that role. */
async function inBoth(
  second: string,
  role: 'admin' | 'create',
): Promise<{ user: string; email: string; token: string }> {
  const { id, email } = await createUser(app, { email: `${role}@both.example.com`, proof: 'mail' })
  for (const org of [here.organization, second])
    await app.store.insert(memberships, newMembership(org, id, role, new Date(here.now()).toISOString()))
  return { user: id, email, token: (await issueToken(app, id, { label: 'own' })).secret }
}

const { parameters, special } = await samples(here)
const second: string = (await here.admin.call('post', '/v1/orgs', { title: 'Second' }).expect(201)).body.id
const theirs = await here.createProvider({}, second)
const one = await inBoth(second, 'admin')
const asserted = { nameId: one.email, attributes: { email: one.email } }
await as(here, one.token, 'post', '/v1/user/sso-identities', { token: await here.code(theirs, asserted) }).expect(200)
const session = await here.signIn(theirs, asserted)
const made: string = (
  await session.call('post', '/v1/user/tokens', { label: 'made', organization: second }).expect(201)
).body.token
const stranger = await here.caller()

// Data that organizations share, and sign-in settings: any token of a member is sufficient (docs/design/sso.md).
const apart = new Set(['getUserById', 'listSSOProviderLoginsInOrganization'])
const probed = Object.entries(endpoints as Record<string, Endpoint>).filter(
  ([id, { path, needs }]) =>
    special[id] !== null &&
    !apart.has(id) &&
    needs !== 'public' &&
    pathParameters(path).length > 0 &&
    !path.includes('/user/'),
)
const method = ({ method }: Endpoint) => method.toLowerCase() as 'get'

/** The response of an operation to a token: the status, and the body without values that differ per request. */
async function asked(id: string, endpoint: Endpoint, token: string): Promise<string> {
  const sample = { parameters, ...special[id] }
  const response = await as(here, token, method(endpoint), urlOf(endpoint, sample), sample.body as object | undefined)
  return `${response.status} ${response.body.error?.message ?? ''}`
}

test("every operation on another organization treats session tokens like a stranger's token", async () => {
  assert.ok(probed.length > 200, `${probed.length} operations`)
  const different: string[] = []
  for (const [id, endpoint] of probed) {
    const expected = await asked(id, endpoint, stranger.token)
    for (const [kind, token] of [
      ['the session', session.token],
      ['a token made with it', made],
    ] as const) {
      const got = await asked(id, endpoint, token)
      if (got !== expected) different.push(`${id}: a stranger gets ${expected}, ${kind} ${got}`)
    }
  }
  assert.equal(different, [])
  // nothing of it happened
  await here.admin.call('get', `/v1/spaces/${parameters.spaceId}`).expect(200)
  await here.admin.call('get', `${here.organizationUrl}/sites/${parameters.siteId}`).expect(200)
})

test('session tokens give no access to spaces of another organization through Git', async () => {
  const basic = (token: string) => `Basic ${Buffer.from(`git:${token}`).toString('base64')}`
  const refs = (token: string, space: string) =>
    fetch(`${here.url}/git/${space}.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: basic(token) },
    })
  const space = parameters.spaceId as string
  const expected = (await refs(stranger.token, space)).status
  assert.is.not(expected, 200)
  for (const token of [session.token, made]) assert.is((await refs(token, space)).status, expected)
  const own = (await session.call('post', `/v1/orgs/${second}/spaces`, { title: 'Theirs' }).expect(201)).body.id
  assert.is((await refs(session.token, own)).status, 200)
})

test('a session can neither change nor read account data of other organizations', async () => {
  const { body: elsewhere } = await as(here, one.token, 'post', '/v1/user/tokens', { label: 'elsewhere' }).expect(201)
  const { body: listed } = await session.call('get', '/v1/user/tokens').expect(200)
  assert.not.ok(
    listed.items.some(({ id }: { id: string }) => id === elsewhere.id),
    'the session lists a token that is not limited to its organization',
  )
  assert.ok((await session.call('get', `/v1/user/tokens/${elsewhere.id}`)).status >= 400)
  await session.call('delete', `/v1/user/tokens/${elsewhere.id}`)
  await as(here, elsewhere.token, 'get', '/v1/user').expect(200)
  await session.call('patch', '/v1/user', { displayName: 'Changed by the other organization' })
  assert.is.not(
    (await as(here, one.token, 'get', '/v1/user').expect(200)).body.displayName,
    'Changed by the other organization',
  )
  for (const body of [{ label: 'x' }, { label: 'x', organization: here.organization }])
    await session.call('post', '/v1/user/tokens', body).expect(403)
  assert.ok((await session.call('post', '/v1/orgs', { title: 'Of the session' })).status >= 400)
  assert.equal(
    (await session.call('get', '/v1/orgs').expect(200)).body.items.map(({ id }: { id: string }) => id),
    [second],
  )
  assert.equal(
    (await as(here, made, 'get', '/v1/orgs').expect(200)).body.items.map(({ id }: { id: string }) => id),
    [second],
  )
  const providers = await here.createProvider()
  const code = await here.code(providers, asserted)
  assert.is(
    (await session.call('post', '/v1/user/sso-identities', { token: code })).status,
    403,
    'the session ties an identity of another organization',
  )
})

test('enforced single sign-on rejects other kinds of tokens in every operation', async () => {
  const member = await inBoth(second, 'create')
  const their = { nameId: 'create', attributes: { email: member.email } }
  await as(here, member.token, 'post', '/v1/user/sso-identities', { token: await here.code(theirs, their) }).expect(200)
  const other = await here.signIn(theirs, their)
  const readOnly = (await issueToken(app, member.user, { label: 'reads', readOnly: true })).secret
  const limited = (await issueToken(app, member.user, { label: 'limited', organization: here.organization })).secret
  await here.admin.call('patch', here.organizationUrl, { sso: true }).expect(200)
  const got: string[] = []
  for (const [id, endpoint] of probed) {
    const expected = await asked(id, endpoint, stranger.token)
    for (const [kind, token] of Object.entries({
      own: member.token,
      readOnly,
      limited,
      'of another organization': other.token,
    })) {
      const answer = await asked(id, endpoint, token)
      if (answer !== expected && !answer.startsWith('403'))
        got.push(`${id} by ${kind}: ${answer}, a stranger ${expected}`)
    }
  }
  assert.equal(got, [])
  await here.admin.call('patch', here.organizationUrl, { sso: false }).expect(200)
  await as(here, member.token, 'get', here.organizationUrl).expect(200)
})

test.run()
