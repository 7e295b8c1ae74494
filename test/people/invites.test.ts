import * as assert from 'uvu/assert'
import { removeExpired } from '../../src/domain/upkeep/housekeeping.js'
import { documentTables, invites, memberships, users } from '../../src/model/index.js'
import { eventsOf } from '../support/events.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { as, organization, person, putIn, secretOf } from './fixture.js'

let now = Date.now()
const [test, here] = await suiteWith('people: invitations without a mail server', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)

const DAY = 24 * 60 * 60 * 1000
const invite = async (org: string, email: string, more: object = {}): Promise<string> => {
  const { body } = await here.admin.call('post', `/v1/orgs/${org}/invites`, { emails: [email], ...more }).expect(200)
  return secretOf(body.invites[0].urls.invite)
}
const accept = (secret: string, token: string | null = null, more: object = {}) =>
  as(here, token, 'post', '/v1/invites/accept', { token: secret, ...more })
const membersOf = async (org: string): Promise<number> =>
  (await here.service.app.store.find(memberships, 'organization', org)).length

test('an invitation gives a new user an account and a token for that organization only', async () => {
  const org = await organization(here)
  const secret = await invite(org, 'New@People.example', { role: 'review' })
  const { body } = await accept(secret, null, { displayName: 'New One' }).expect(200)
  assert.equal(
    [body.organization, body.member.role, body.member.user.displayName, body.member.user.email],
    [org, 'review', 'New One', 'new@people.example'],
  )
  assert.is(body.token.organization, org)
  await as(here, body.token.token, 'get', `/v1/orgs/${org}`).expect(200)
  // The link did not come by mail. Its holder gets no access to anything that the address receives later.
  await putIn(here, here.organization, body.member.id, 'read')
  await as(here, body.token.token, 'get', `/v1/orgs/${here.organization}`).expect(404)
  await as(here, body.token.token, 'post', '/v1/user/tokens', { label: 'more' }).expect(403)
  await accept(secret).expect(409)
  await accept(secret, body.token.token).expect(200)
  const joined = (await eventsOf(here.service.app.store, org)).filter(({ type }) => type === 'member.joined')
  assert.equal(
    joined.map(({ subject }) => subject.user),
    [body.member.id],
  )
})

test('an account joins only through an invitation to its address', async () => {
  const org = await organization(here)
  const known = await person(here, 'known@people.example')
  const other = await person(here, 'other@people.example')
  const secret = await invite(org, 'KNOWN@people.example', { role: null })
  await accept(secret, other.token).expect(403)
  const { body } = await accept(secret, known.token).expect(200)
  assert.equal([body.member.id, body.member.role, body.token], [known.user, null, undefined])
  assert.is((await accept(secret, known.token).expect(200)).body.member.id, known.user)
  await accept(secret, other.token).expect(409)
  const again = await here.admin
    .call('post', `/v1/orgs/${org}/invites`, { emails: ['known@people.example', 'third@people.example'] })
    .expect(200)
  assert.equal([again.body.users, again.body.invited, again.body.invites.length], [[known.user], 1, 1])
  await here.admin.call('delete', `/v1/orgs/${org}/members/${known.user}`).expect(204)
  await accept(secret, known.token).expect(409)
})

test('two acceptances of one invitation create one member', async () => {
  for (let round = 0; round < 5; round++) {
    const org = await organization(here)
    const fresh = await invite(org, `twice-${round}@people.example`)
    const responses = await Promise.all([1, 2, 3, 4].map(() => accept(fresh)))
    assert.equal(responses.map(({ status }) => status).sort(), [200, 409, 409, 409])
    assert.is(await membersOf(org), 2)
    assert.is((await here.service.app.store.find(users, 'claimed', `twice-${round}@people.example`)).length, 1)

    const known = await person(here, `same-${round}@people.example`)
    const secret = await invite(org, `same-${round}@people.example`)
    const same = await Promise.all([1, 2, 3].map(() => accept(secret, known.token)))
    assert.equal(
      same.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.is(await membersOf(org), 3)
  }
})

test('concurrently accepting and revoking an invitation never fails', async () => {
  for (let round = 0; round < 5; round++) {
    const org = await organization(here)
    const { body } = await here.admin
      .call('post', `/v1/orgs/${org}/invites`, { emails: [`race-${round}@people.example`] })
      .expect(200)
    const [one] = body.invites
    const [accepted, revoked] = await Promise.all([
      accept(secretOf(one.urls.invite)),
      here.admin.call('delete', one.urls.location.replace(here.url, '')),
    ])
    assert.ok(
      (accepted.status === 200 && [204, 409].includes(revoked.status)) ||
        (accepted.status === 404 && revoked.status === 204),
    )
    assert.is(await membersOf(org), accepted.status === 200 ? 2 : 1)
  }
})

test('an invitation is listed, replaced and revoked, and expires after seven days', async () => {
  const org = await organization(here, { defaultRole: 'comment' })
  const list = async (): Promise<{ email: string; id: string; role: string }[]> =>
    (await here.admin.call('get', `/v1/orgs/${org}/invites`).expect(200)).body.items
  const old = await invite(org, 'listed@people.example')
  const newer = await invite(org, 'listed@people.example')
  const [shown] = await list()
  assert.equal([(await list()).length, shown?.role], [1, 'comment'])
  assert.not.match(JSON.stringify(await list()), /#/)
  await accept(old).expect(404)
  await here.admin.call('get', `/v1/orgs/${org}/invites/${shown?.id}`).expect(200)
  await here.admin.call('get', `/v1/orgs/${here.organization}/invites/${shown?.id}`).expect(404)
  now += 7 * DAY - 1
  assert.is((await list()).length, 1)
  now += 1
  await accept(newer).expect(404)
  assert.equal(await list(), [])
  await removeExpired(here.service.app)
  assert.equal(await here.service.app.store.find(invites, 'organization', `${org}/email`), [])

  const taken = await invite(org, 'taken@people.example')
  await here.admin.call('delete', `/v1/orgs/${org}/invites/${(await list())[0]?.id}`).expect(204)
  await here.admin.call('delete', `/v1/orgs/${org}/invites/none`).expect(204)
  await accept(taken).expect(404)
})

test('only admins invite, and links of a former admin do not work', async () => {
  const org = await organization(here, { inviteLinks: true })
  const boss = await person(here, 'boss@people.example')
  await putIn(here, org, boss.user, 'admin')
  const link = secretOf(
    (await as(here, boss.token, 'post', `/v1/orgs/${org}/link-invites`, { role: 'admin' }).expect(201)).body.urls
      .invite,
  )
  const mine = await as(here, boss.token, 'post', `/v1/orgs/${org}/invites`, {
    emails: ['friend@people.example'],
    role: 'admin',
  }).expect(200)
  await here.admin.call('patch', `/v1/orgs/${org}/members/${boss.user}`, { role: 'create' }).expect(200)
  await as(here, boss.token, 'post', `/v1/orgs/${org}/invites`, { emails: ['x@people.example'] }).expect(403)
  await as(here, boss.token, 'get', `/v1/orgs/${org}/link-invites`).expect(403)
  await accept(link, (await person(here, 'helper@people.example')).token).expect(404)
  await accept(secretOf(mine.body.invites[0].urls.invite)).expect(404)
  await here.admin.call('delete', `/v1/orgs/${org}/members/${boss.user}`).expect(204)
  await accept(link, boss.token).expect(404)
  assert.equal(await here.service.app.store.find(invites, 'createdBy', `${org}/${boss.user}`), [])
})

test('a shared link works once per person while links are on', async () => {
  const org = await organization(here)
  await here.admin.call('post', `/v1/orgs/${org}/link-invites`).expect(409)
  await here.admin.call('patch', `/v1/orgs/${org}`, { inviteLinks: true }).expect(200)
  const made = await here.admin.call('post', `/v1/orgs/${org}/link-invites`, { role: 'read' }).expect(201)
  const url = made.headers.location as string
  assert.is((await here.admin.call('get', url).expect(200)).body.urls.invite, undefined)
  const secret = secretOf(made.body.urls.invite)
  const [one, two] = [await person(here, 'one@people.example'), await person(here, 'two@people.example')]
  await accept(secret).expect(401)
  assert.is((await accept(secret, one.token).expect(200)).body.member.role, 'read')
  await here.admin.call('patch', url, { role: 'edit', expiresAt: new Date(now + DAY).toISOString() }).expect(200)
  await here.admin.call('patch', url, { expiresAt: new Date(now - DAY).toISOString() }).expect(400)
  assert.is((await accept(secret, one.token).expect(200)).body.member.role, 'read', 'a member keeps their role')
  await here.admin.call('patch', `/v1/orgs/${org}`, { inviteLinks: false }).expect(200)
  await accept(secret, two.token).expect(404)
  await here.admin.call('patch', `/v1/orgs/${org}`, { inviteLinks: true }).expect(200)
  const both = await Promise.all([accept(secret, two.token), accept(secret, two.token)])
  assert.equal(
    both.map(({ status, body }) => [status, body.member.role]),
    [
      [200, 'edit'],
      [200, 'edit'],
    ],
  )
  assert.is(await membersOf(org), 3)
  await here.admin.call('delete', url).expect(204)
  await accept(secret, one.token).expect(404)
})

test('an organization token joins no other organization and does not restore a disabled member', async () => {
  const [org, home] = [await organization(here), await organization(here)]
  const who = await person(here, 'limited@people.example')
  await putIn(here, home, who.user, 'read')
  const limited = (await as(here, who.token, 'post', '/v1/user/tokens', { label: 'l', organization: home }).expect(201))
    .body.token
  const secret = await invite(org, 'limited@people.example')
  await accept(secret, limited).expect(403)
  await accept(secret, who.token).expect(200)
  await here.admin.call('patch', `/v1/orgs/${org}/members/${who.user}`, { disabled: true }).expect(200)
  await accept(secret, who.token).expect(200)
  await as(here, who.token, 'get', `/v1/orgs/${org}`).expect(404)
})

test('hostile addresses and bodies are rejected, and no secret is stored', async () => {
  const org = await organization(here)
  const bad = [
    'a@b.example\r\nBcc: x@evil.example',
    'a@b.example,c@d.example',
    '"x@evil.example"@b.example',
    '<a@b.example>',
    'a b@c.example',
    'a@b@c.example',
    '@b.example',
    `${'a'.repeat(250)}@b.example`,
    'a@b..example',
    'ä@b.example\u0000',
  ]
  for (const email of bad)
    assert.is((await here.admin.call('post', `/v1/orgs/${org}/invites`, { emails: [email] })).status, 400, email)
  for (const body of [
    { emails: [] },
    {},
    { emails: ['a@b.example', 'A@b.example'] },
    { emails: ['a@b.example'], role: 'owner' },
  ])
    await here.admin.call('post', `/v1/orgs/${org}/invites`, body).expect(400)
  await here.admin
    .call('post', `/v1/orgs/${org}/invites`, { emails: Array.from({ length: 101 }, (_, i) => `p${i}@b.example`) })
    .expect(400)
  const secret = await invite(org, 'hashed@people.example')
  for (const table of documentTables) {
    const all = await here.service.app.store.all(table)
    assert.not.ok(JSON.stringify(all).includes(secret), table.name)
  }
  await accept(`${secret}x`).expect(404)
  await accept('x').expect(400)
})

test('an invitation gives no token if single sign-on is required', async () => {
  const org = await organization(here)
  const { body } = await accept(await invite(org, 'sso@people.example', { sso: true })).expect(200)
  assert.equal([body.member.sso, body.token], [true, undefined])
})

test.run()
