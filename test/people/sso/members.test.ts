import * as assert from 'uvu/assert'
import { createUser, issueToken } from '../../../src/domain/accounts/accounts.js'
import { newMembership } from '../../../src/domain/people/organizations.js'
import { memberships, type Role } from '../../../src/model/index.js'
import { suiteWith } from '../../support/suite.js'
import { as } from '../fixture.js'
import { startSso } from './fixture.js'

const [test, here] = await suiteWith('sso: members', startSso)
const provider = await here.createProvider()
const base = here.organizationUrl

let people = 0
/** A member with their own account, and their token. */
async function member(role: Role | null = 'read'): Promise<{ user: string; email: string; token: string; id: string }> {
  const { app } = here.service
  const { id, email } = await createUser(app, { email: `member-${++people}@example.com`, proof: 'mail' })
  await app.store.insert(memberships, newMembership(here.organization, id, role, new Date(here.now()).toISOString()))
  const { secret, token } = await issueToken(app, id, { label: 'own' })
  return { user: id, email, token: secret, id: token.id }
}
const asserting = (email: string, nameId = email) => ({ nameId, attributes: { email } })
const tie = (token: string, code: string) => as(here, token, 'post', '/v1/user/sso-identities', { token: code })

test('an asserted address never opens the account of a member or a stranger', async () => {
  const one = await member()
  const code = await here.code(provider, asserting(one.email))
  const { body } = await here.exchange(code).expect(409)
  assert.match(body.error.message, '/v1/user/sso-identities')
  const stranger = await createUser(here.service.app, { email: 'stranger@example.com', proof: 'mail' })
  const caller = await here.signIn(provider, asserting('Stranger@example.com'))
  assert.is.not(caller.user, stranger.id)
  assert.is((await caller.call('get', '/v1/user').expect(200)).body.emailUnproven, true)
})

test('only the member links an identity, with the code and their own token', async () => {
  const [one, other] = [await member(), await member()]
  const outsider = await here.caller()
  const code = await here.code(provider, asserting(one.email))
  await as(here, null, 'post', '/v1/user/sso-identities', { token: code }).expect(401)
  await tie(outsider.token, code).expect(403)
  const { body: identity } = await tie(one.token, code).expect(200)
  assert.equal([identity.user, identity.nameID, identity.provider], [one.user, one.email, provider.id])
  await tie(one.token, code).expect(404)
  const caller = await here.signIn(provider, asserting('another@example.com', one.email))
  assert.is(caller.user, one.user)
  await tie(other.token, await here.code(provider, asserting(one.email))).expect(409)
  const log = (
    await here.admin.call('get', `${base}/audit-log?operation=linkSSOIdentity&outcome=succeeded`).expect(200)
  ).body
  assert.equal(
    log.items.map((entry: { actor: { user: string } }) => entry.actor.user),
    [one.user],
  )
})

test('a session of a member with an account works only in this organization', async () => {
  const one = await member()
  await tie(one.token, await here.code(provider, asserting(one.email))).expect(200)
  const caller = await here.signIn(provider, asserting(one.email))
  const { body: elsewhere } = await as(here, one.token, 'post', '/v1/orgs', { title: 'Their own' }).expect(201)
  await as(here, one.token, 'get', `/v1/orgs/${elsewhere.id}`).expect(200)
  await caller.call('get', `/v1/orgs/${elsewhere.id}`).expect(404)
  await caller.call('post', '/v1/user/tokens', { label: 'wide' }).expect(403)
  await caller.call('post', '/v1/user/tokens', { label: 'there', organization: elsewhere.id }).expect(403)
  assert.equal(
    (await caller.call('get', '/v1/orgs').expect(200)).body.items.map(({ id }: { id: string }) => id),
    [here.organization],
  )
})

test('the identity of a member whom an admin added is linked by the address once', async () => {
  const one = await member()
  const limited = (await issueToken(here.service.app, one.user, { label: 'limited', organization: here.organization }))
    .secret
  await here.admin.call('post', `${base}/members/${one.user}/sso`).expect(200)
  const caller = await here.signIn(provider, asserting(one.email.toUpperCase(), 'first'))
  assert.is(caller.user, one.user)
  await as(here, limited, 'get', '/v1/user').expect(401)
  await as(here, one.token, 'get', base).expect(403)
  await here.admin.call('post', `${base}/members/${one.user}/sso`).expect(200)
  await here.exchange(await here.code(provider, asserting(one.email, 'second'))).expect(409)
  const { body: stream } = await here.admin.call('get', `${base}/events?type=member.updated&limit=1`).expect(200)
  assert.equal([stream.items[0].subject.user, stream.items[0].data.changed], [one.user, ['ssoIdentity']])
})

test('an admin is linked only by their own token, never by their email address', async () => {
  const boss = await member('admin')
  await here.admin.call('post', `${base}/members/${boss.user}/sso`).expect(200)
  const code = await here.code(provider, asserting(boss.email, 'not the boss'))
  await here.exchange(code).expect(409)
  await as(here, boss.token, 'get', base).expect(200)
  await tie(boss.token, await here.code(provider, asserting(boss.email, 'boss'))).expect(200)
  await as(here, boss.token, 'get', base).expect(403)
  await (await here.signIn(provider, asserting(boss.email, 'boss'))).call('get', base).expect(200)
})

test('an invited user signs in by single sign-on as the user who accepted', async () => {
  const { body: invited } = await here.admin
    .call('post', `${base}/invites`, { emails: ['invited@example.com'], role: 'edit', sso: true })
    .expect(200)
  const token = (invited.invites[0].urls.invite as string).split('#')[1]
  const { body: accepted } = await as(here, null, 'post', '/v1/invites/accept', { token }).expect(200)
  assert.not.ok(accepted.token)
  const caller = await here.signIn(provider, asserting('invited@example.com'))
  assert.is(caller.user, accepted.member.id)
  assert.is((await caller.call('get', `${base}/members/${caller.user}`).expect(200)).body.role, 'edit')
})

test('an admin removes single sign-on from a member, who can be added again', async () => {
  const caller = await here.signIn(provider, asserting('lifted@example.com'))
  await here.admin.call('delete', `${base}/members/${caller.user}/sso`).expect(204)
  await caller.call('get', '/v1/user').expect(401)
  assert.is((await here.admin.call('get', `${base}/members/${caller.user}`).expect(200)).body.sso, false)
  await here.exchange(await here.code(provider, asserting('lifted@example.com'))).expect(409)
  await here.admin.call('post', `${base}/members/${caller.user}/sso`).expect(200)
  assert.is((await here.signIn(provider, asserting('lifted@example.com'))).user, caller.user)
})

test('two organizations with the same identity provider share no data', async () => {
  const { body: second } = await here.admin.call('post', '/v1/orgs', { title: 'Second' }).expect(201)
  const theirs = await here.createProvider({}, second.id)
  const mine = await here.begin(provider)
  const xml = here.respond(mine, asserting('both@example.com'))
  const there = await here.begin(theirs)
  await here.post(there, xml).expect(403)
  await here.post({ ...mine, acs: there.acs }, xml, there).expect(403)
  const [a, b] = [
    await here.signIn(provider, asserting('both@example.com')),
    await here.signIn(theirs, asserting('both@example.com')),
  ]
  assert.is.not(a.user, b.user)
  await a.call('get', `/v1/orgs/${second.id}`).expect(404)
  await b.call('get', base).expect(404)
})

/**
 * Token owner and kind → the status for the organization, with enforced single sign-on, for marked and unmarked admins.
 */
test('enforced single sign-on accepts only the expected kinds of tokens', async () => {
  const { body: org } = await here.admin.call('post', '/v1/orgs', { title: 'Strict' }).expect(201)
  const url = `/v1/orgs/${org.id}`
  const own = await here.createProvider({}, org.id)
  const { app } = here.service
  const join = async (
    role: Role,
  ): Promise<{ user: string; email: string; mail: string; operator: string; named: string; namedId: string }> => {
    const { id, email } = await createUser(app, { email: `strict-${++people}@example.com`, proof: 'mail' })
    await app.store.insert(memberships, newMembership(org.id, id, role, new Date(here.now()).toISOString()))
    const issue = (label: string, more = {}) => issueToken(app, id, { label, ...more })
    const named = await issue('automation')
    await here.admin.call('put', `${url}/sso/tokens/${named.token.id}`).expect(200)
    return {
      user: id,
      email,
      mail: (await issue('mail', { byEmail: true })).secret,
      operator: (await issue('operator')).secret,
      named: named.secret,
      namedId: named.token.id,
    }
  }
  const [plain, open, held] = [await join('edit'), await join('admin'), await join('admin')]
  const sessions: Record<string, string> = {}
  for (const who of [plain, open, held]) {
    await tie(who.operator, await here.code(own, asserting(who.email))).expect(200)
    sessions[who.user] = (await here.signIn(own, asserting(who.email))).token
  }
  await here.admin.call('post', `${url}/members/${held.user}/sso`).expect(200)
  await here.admin.call('patch', url, { sso: true }).expect(200)
  const rows = [
    { who: plain, mail: 403, operator: 403, named: 200, session: 200 },
    { who: open, mail: 200, operator: 200, named: 200, session: 200 },
    { who: held, mail: 403, operator: 403, named: 200, session: 200 },
  ]
  const { body: space } = await here.admin.call('post', `${url}/spaces`, { title: 'Inside' }).expect(201)
  for (const { who, ...statuses } of rows)
    for (const kind of ['mail', 'operator', 'named', 'session'] as const) {
      const token = kind === 'session' ? (sessions[who.user] as string) : who[kind]
      assert.is((await as(here, token, 'get', url)).status, statuses[kind], `${kind} of ${who.email}`)
      assert.is(
        (await as(here, token, 'get', `/v1/spaces/${space.id}`)).status,
        statuses[kind] === 200 ? 200 : 404,
        `${kind} of ${who.email}, inside`,
      )
      const listed = (await as(here, token, 'get', '/v1/orgs').expect(200)).body.items as { id: string }[]
      assert.is(
        listed.some(({ id }) => id === org.id),
        statuses[kind] === 200,
      )
      await as(here, token, 'get', `${url}/sso`).expect(200)
    }
  const { body } = await as(here, plain.mail, 'get', url)
  assert.match(body.error.message, `${url}/sso`)
  const { body: made } = await as(here, plain.named, 'post', '/v1/user/tokens', { label: 'made' }).expect(201)
  await as(here, made.token, 'get', url).expect(403)
  assert.is((await here.admin.call('get', `${url}/sso/tokens`).expect(200)).body.items.length, 3)
  await here.admin.call('delete', `${url}/sso/tokens/${plain.namedId}`).expect(204)
  await as(here, plain.named, 'get', url).expect(403)
  await as(
    here,
    open.operator,
    'put',
    `${url}/sso/tokens/${(await here.signIn(own, asserting(plain.email))).tokenId}`,
  ).expect(200)
})

test('there is always an admin who has access without single sign-on', async () => {
  const { body: org } = await here.admin.call('post', '/v1/orgs', { title: 'Locked' }).expect(201)
  const url = `/v1/orgs/${org.id}`
  const own = await here.createProvider({ defaultRole: 'admin' }, org.id)
  const provisioned = await here.signIn(own, asserting('provisioned@example.com'))
  await provisioned.call('get', url).expect(200)
  const last = `${url}/members/${here.admin.user}`
  await here.admin.call('patch', last, { role: 'read' }).expect(409)
  assert.match(
    (await provisioned.call('patch', last, { disabled: true }).expect(409)).body.error.message,
    'without single sign-on',
  )
  await provisioned.call('delete', last).expect(409)
  await here.admin.call('post', `${last}/sso`).expect(200)
  await tie(here.admin.token, await here.code(own, asserting('admin@localhost.example'))).expect(409)
  await here.admin.call('get', url).expect(200)
  await here.admin.call('delete', `${url}/members/${provisioned.user}/sso`).expect(204)
  await here.admin.call('delete', `${last}/sso`).expect(204)
})

test.run()
