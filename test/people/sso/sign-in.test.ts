import * as assert from 'uvu/assert'
import { suiteWith } from '../../support/suite.js'
import { startSso } from './fixture.js'

const [test, here] = await suiteWith('sso: sign-in', startSso)
const provider = await here.createProvider()
const HOUR = 3_600_000

test('the first sign-in creates a member with a token for the organization only', async () => {
  const { body: team } = await here.admin
    .call('put', `${here.organizationUrl}/teams`, { title: 'Newcomers' })
    .expect(201)
  const own = await here.createProvider({ label: 'Own', defaultRole: 'comment', defaultTeam: team.id })
  const ada = await here.signIn(own)
  const { body: member } = await ada.call('get', `${here.organizationUrl}/members/${ada.user}`).expect(200)
  assert.equal([member.role, member.sso, member.teams, member.user.email], ['comment', true, 1, 'ada@example.com'])
  assert.equal([member.user.displayName, member.user.emailUnproven], ['Ada Lovelace', true])
  const { body: tokens } = await ada.call('get', '/v1/user/tokens').expect(200)
  assert.equal(
    tokens.items.map((one: { organization: string }) => one.organization),
    [here.organization],
  )
  await ada.call('post', '/v1/orgs', { title: 'Elsewhere' }).expect(403)
  await here.admin.call('delete', `${here.organizationUrl}/members/${ada.user}`).expect(204)
})

test('an identity determines the user, independent of the asserted address', async () => {
  const first = await here.signIn(provider, { nameId: 'grace', attributes: { email: 'grace@example.com' } })
  const again = await here.signIn(provider, { nameId: 'grace', attributes: { email: 'other@example.com' } })
  assert.is(again.user, first.user)
  const other = await here.signIn(provider, { nameId: 'Grace', attributes: { mail: 'GRACE2@example.com' } })
  assert.is.not(other.user, first.user)
  const { body } = await here.admin.call('get', `${here.organizationUrl}/saml/${provider.id}/identities`).expect(200)
  assert.equal(body.items.map((one: { nameID: string }) => one.nameID).sort(), ['Grace', 'grace'])
})

test('a token and its derived tokens end with the provider session or the configured time', async () => {
  const short = await here.signIn(provider, {
    nameId: 'short',
    attributes: { email: 'short@example.com' },
    sessionEnds: HOUR,
  })
  assert.ok(Math.abs(Date.parse(short.expiresAt) - here.now() - HOUR) < 60_000)
  const long = await here.signIn(provider, {
    nameId: 'long',
    attributes: { email: 'long@example.com' },
    sessionEnds: 48 * HOUR,
  })
  assert.ok(Math.abs(Date.parse(long.expiresAt) - here.now() - 12 * HOUR) < 60_000)
  const { body: made } = await long
    .call('post', '/v1/user/tokens', { label: 'made', organization: here.organization })
    .expect(201)
  assert.is(made.expiresAt, long.expiresAt)
  const later = new Date(Date.parse(long.expiresAt) + 1).toISOString()
  await long
    .call('post', '/v1/user/tokens', { label: 'later', organization: here.organization, expiresAt: later })
    .expect(403)
  here.forward(2 * HOUR)
  await short.call('get', '/v1/user').expect(401)
  await long.call('get', '/v1/user').expect(200)
  here.forward(11 * HOUR)
  await long.call('get', '/v1/user').expect(401)
})

test('a code works once within five minutes, even with concurrent uses', async () => {
  const who = { nameId: 'once', attributes: { email: 'once@example.com' } }
  const code = await here.code(provider, who)
  const statuses = (await Promise.all([1, 2, 3].map(() => here.exchange(code)))).map(({ status }) => status)
  assert.equal(statuses.sort(), [201, 404, 404])
  const late = await here.code(provider, who)
  here.forward(5 * 60_000)
  await here.exchange(late).expect(404)
})

test('a disabled user is rejected at once, and a removed user cannot return by sign-in', async () => {
  const who = { nameId: 'leaver', attributes: { email: 'leaver@example.com' } }
  const leaver = await here.signIn(provider, who)
  const member = `${here.organizationUrl}/members/${leaver.user}`
  await here.admin.call('patch', member, { disabled: true }).expect(200)
  await leaver.call('get', here.organizationUrl).expect(404)
  assert.match((await here.exchange(await here.code(provider, who)).expect(403)).body.error.message, 'disabled')
  await here.admin.call('patch', member, { disabled: false }).expect(200)
  await here.signIn(provider, who)
  await here.admin.call('delete', member).expect(204)
  await leaver.call('get', '/v1/user').expect(401)
  assert.match((await here.exchange(await here.code(provider, who)).expect(403)).body.error.message, 'removed')
  const identities = `${here.organizationUrl}/saml/${provider.id}/identities`
  const { body } = await here.admin.call('get', identities).expect(200)
  const removed = body.items.find((one: { removed: boolean }) => one.removed)
  assert.is(removed.user, leaver.user)
  await here.admin.call('delete', `${identities}/${removed.id}`).expect(204)
  assert.is.not((await here.signIn(provider, who)).user, leaver.user)
})

test('a user without exactly one address is rejected', async () => {
  for (const attributes of [
    {},
    { email: ['a@example.com', 'b@example.com'] },
    { email: 'no address' },
    { email: 'a@example.com', mail: 'b@example.com' },
  ])
    await here.exchange(await here.code(provider, { nameId: 'nobody', attributes })).expect(403)
  const byName = await here.signIn(provider, { nameId: 'Name@Example.com', attributes: {} })
  assert.is((await byName.call('get', '/v1/user').expect(200)).body.email, 'name@example.com')
})

test('deleting or replacing a provider ends its sign-ins, even those in progress', async () => {
  const gone = await here.createProvider({ label: 'Gone' })
  const who = { nameId: 'gone', attributes: { email: 'gone@example.com' } }
  const caller = await here.signIn(gone, who)
  const [begun, code] = [await here.begin(gone), await here.code(gone, who)]
  const url = `${here.organizationUrl}/saml/${gone.id}`
  await here.admin.call('patch', url, { entityID: 'https://other.example.org' }).expect(200)
  await caller.call('get', '/v1/user').expect(401)
  await here.exchange(code).expect(404)
  await here.post(begun, here.respond(begun, who)).expect(403)
  await here.admin.call('patch', url, { entityID: 'https://idp.example.org/metadata' }).expect(200)
  await caller.call('get', '/v1/user').expect(200)
  const late = await here.code(gone, who)
  await here.admin.call('delete', url).expect(204)
  await here.exchange(late).expect(404)
  await here.post(begun, here.respond(begun, who)).expect(404)
  await caller.call('get', '/v1/user').expect(401)
  await here.admin.call('get', `${here.organizationUrl}/members/${caller.user}`).expect(200)
})

test('a deleted default team is ignored', async () => {
  const { body: team } = await here.admin
    .call('put', `${here.organizationUrl}/teams`, { title: 'Short-lived' })
    .expect(201)
  const own = await here.createProvider({ label: 'Teamless', defaultTeam: team.id, defaultRole: null })
  await here.admin.call('delete', `${here.organizationUrl}/teams/${team.id}`).expect(204)
  const caller = await here.signIn(own, { nameId: 'teamless', attributes: { email: 'teamless@example.com' } })
  const { body } = await here.admin.call('get', `${here.organizationUrl}/members/${caller.user}`).expect(200)
  assert.equal([body.role, body.teams], [null, 0])
  assert.not.ok(
    'defaultTeam' in (await here.admin.call('get', `${here.organizationUrl}/saml/${own.id}`).expect(200)).body,
  )
})

test('sign-ins are in the audit log, and newcomers are in the event stream', async () => {
  const caller = await here.signIn(provider, { nameId: 'audited', attributes: { email: 'audited@example.com' } })
  const { body } = await here.admin
    .call('get', `${here.organizationUrl}/audit-log?operation=signInByLink&actor=${caller.user}`)
    .expect(200)
  assert.equal(
    body.items.map((one: { actor: object; outcome: string }) => [one.actor, one.outcome]),
    [[{ user: caller.user, token: caller.tokenId }, 'succeeded']],
  )
  const { body: stream } = await here.admin
    .call('get', `${here.organizationUrl}/events?type=member.joined&limit=1`)
    .expect(200)
  assert.equal([stream.items[0].subject, stream.items[0].data.samlProvider], [{ user: caller.user }, provider.id])
})

test.run()
