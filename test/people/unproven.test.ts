import * as assert from 'uvu/assert'
import { tokens, users } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { as, organization, person, putIn, secretOf } from './fixture.js'

const [test, here] = await suiteWith('people: joining without proof of the address', startService)

interface Joined {
  user: string
  token: string
}
const invite = async (org: string, email: string, by = here.admin.token, more: object = {}): Promise<string> => {
  const { body } = await as(here, by, 'post', `/v1/orgs/${org}/invites`, { emails: [email], ...more }).expect(200)
  return secretOf(body.invites[0].urls.invite)
}
const accept = (secret: string, token: string | null = null, more: object = {}) =>
  as(here, token, 'post', '/v1/invites/accept', { token: secret, ...more })
const join = async (org: string, email: string, by?: string, more?: object): Promise<Joined> => {
  const { body } = await accept(await invite(org, email, by, more)).expect(200)
  return { user: body.member.id, token: body.token.token }
}
const get = async (token: string, path: string) => (await as(here, token, 'get', path).expect(200)).body
const ids = (list: { items: { id: string }[] }): string[] => list.items.map(({ id }) => id)

test('invitations of one address by two organizations create two separate users', async () => {
  const [one, two] = [await organization(here), await organization(here)]
  const first = await join(one, 'shared@people.example')
  const second = await join(two, 'shared@people.example')
  assert.is.not(first.user, second.user)
  assert.equal(ids(await get(first.token, '/v1/orgs')), [one])
  assert.equal(ids(await get(second.token, '/v1/orgs')), [two])
  await as(here, first.token, 'get', `/v1/users/${second.user}`).expect(404)
  assert.equal((await get(first.token, '/v1/user/tokens')).items.length, 1)
})

test('an existing account joins unchanged, and the link does not reveal that it exists', async () => {
  const org = await organization(here)
  const boss = await person(here, 'prober@people.example')
  const mine = (await as(here, boss.token, 'post', '/v1/orgs', { title: 'Mine' }).expect(201)).body.id
  const owner = await person(here, 'owner@people.example')
  // The creator of the link could open it. They must learn nothing about accounts elsewhere and get no access to one.
  const seen = ({
    member,
    token,
  }: {
    member: { role: string; user: { emailUnproven?: boolean } }
    token: { organization?: string }
  }) => [member.role, member.user.emailUnproven, token.organization]
  const known = await accept(await invite(mine, 'owner@people.example', boss.token, { role: 'read' })).expect(200)
  const unknown = await accept(await invite(mine, 'nobody@people.example', boss.token, { role: 'read' })).expect(200)
  assert.equal(seen(known.body), seen(unknown.body))
  assert.is.not(known.body.member.id, owner.user)
  assert.equal(ids(await get(owner.token, '/v1/orgs')), [])
  assert.is((await get(owner.token, '/v1/user/tokens')).items.length, 1)
  const secret = await invite(org, 'owner@people.example')
  assert.is((await accept(secret, owner.token).expect(200)).body.member.id, owner.user)
  assert.is((await get(owner.token, '/v1/user')).emailUnproven, undefined)
})

test('an unverified user is a stranger outside their organization', async () => {
  const org = await organization(here, { emailDomains: ['people.example'] })
  const { user, token } = await join(org, 'stranger@people.example', undefined, { role: 'admin' })
  const space = (await as(here, token, 'post', `/v1/orgs/${org}/spaces`, { title: 'Mine' }).expect(201)).body.id
  const foreign = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Not theirs' }).expect(201)
  ).body.id
  await putIn(here, here.organization, user, 'admin')
  for (const path of [
    `/v1/orgs/${here.organization}`,
    `/v1/spaces/${foreign}`,
    `/v1/orgs/${here.organization}/members`,
    `/v1/users/${here.admin.user}x`,
  ])
    await as(here, token, 'get', path).expect(404)
  await as(here, token, 'post', '/v1/orgs', { title: 'Own' }).expect(403)
  await as(here, token, 'post', '/v1/user/tokens', { label: 'free' }).expect(403)
  await as(here, token, 'post', '/v1/user/tokens', { label: 'there', organization: here.organization }).expect(403)
  const made = (await as(here, token, 'post', '/v1/user/tokens', { label: 'here', organization: org }).expect(201)).body
    .token
  await as(here, made, 'get', `/v1/orgs/${here.organization}`).expect(404)
  await as(here, token, 'post', `/v1/spaces/${space}/transfer`, { organization: here.organization }).expect(400)
  await accept(await invite(here.organization, 'stranger@people.example'), token).expect(403)
  assert.equal(ids(await get(token, '/v1/orgs')), [org])
  assert.equal((await get(token, '/v1/email-domains/people.example/orgs')).organizations.length, 1)
  assert.equal([(await get(token, '/v1/user')).id, (await get(token, '/v1/user')).emailUnproven], [user, true])
  // Also if a token grants more than its user may have.
  const doc = (await here.service.app.store.find(tokens, 'user', user)).find(({ label }) => label === 'Invitation')
  const { organization: _, ...rest } = doc as NonNullable<typeof doc>
  await here.service.app.store.replace(tokens, rest)
  await as(here, token, 'get', `/v1/orgs/${here.organization}`).expect(404)
  await as(here, token, 'post', '/v1/orgs', { title: 'Own' }).expect(403)
})

test('members see that an address is not verified', async () => {
  const org = await organization(here)
  const { user } = await join(org, 'marked@people.example')
  const { items } = await get(here.admin.token, `/v1/orgs/${org}/members`)
  assert.equal(
    items.map((one: { id: string; user: { email: string; emailUnproven?: boolean } }) => [
      one.id,
      one.user.emailUnproven,
    ]),
    [
      [user, true],
      [here.admin.user, undefined],
    ],
  )
  assert.is((await get(here.admin.token, `/v1/orgs/${org}/members?search=marked`)).items[0].id, user)
  assert.is((await get(here.admin.token, `/v1/users/${user}`)).emailUnproven, true)
})

test('without mail, an address belongs to one member, and a removed member never returns', async () => {
  const org = await organization(here)
  const first = await join(org, 'again@people.example', undefined, { role: 'create' })
  const space = (await as(here, first.token, 'post', `/v1/orgs/${org}/spaces`, { title: 'S' }).expect(201)).body.id
  const { body: request } = await as(here, first.token, 'post', `/v1/spaces/${space}/change-requests`, {
    subject: 'Mine',
  }).expect(201)
  const again = (
    await here.admin.call('post', `/v1/orgs/${org}/invites`, { emails: ['again@people.example'] }).expect(200)
  ).body
  assert.equal([again.users, again.invited], [[first.user], 0])
  await here.admin.call('delete', `/v1/orgs/${org}/members/${first.user}`).expect(204)
  await as(here, first.token, 'get', '/v1/user').expect(401)
  assert.equal(await here.service.app.store.find(users, 'claimed', 'again@people.example'), [])
  const second = await join(org, 'again@people.example', undefined, { role: 'create' })
  assert.is.not(second.user, first.user)
  await as(here, second.token, 'get', `/v1/orgs/${org}`).expect(200)
  const shown = await get(second.token, `/v1/spaces/${space}/change-requests/${request.number}`)
  assert.equal([shown.createdBy.id, shown.createdBy.emailUnproven], [first.user, true])
})

test('a link that was accepted before a member got its address creates no second member', async () => {
  const org = await organization(here, { inviteLinks: true })
  const owner = await person(here, 'twofold@people.example')
  const secret = await invite(org, 'twofold@people.example')
  const link = secretOf(
    (await here.admin.call('post', `/v1/orgs/${org}/link-invites`, {}).expect(201)).body.urls.invite,
  )
  await accept(link, owner.token).expect(200)
  await accept(secret).expect(409)
  await accept(secret, owner.token).expect(200)
})

test('unverified users of many organizations and the account can be active at once', async () => {
  const owner = await person(here, 'at-once@people.example')
  const orgs = await Promise.all([1, 2, 3, 4].map(() => organization(here)))
  const secrets = await Promise.all(orgs.map((org) => invite(org, 'at-once@people.example')))
  const responses = await Promise.all(
    secrets.flatMap((secret, index) => [accept(secret), ...(index === 0 ? [accept(secret, owner.token)] : [])]),
  )
  const users = responses.filter(({ status }) => status === 200).map(({ body }) => body.member.id)
  assert.equal(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 409])
  assert.is(new Set(users).size, 4)
  for (const org of orgs) assert.is((await get(here.admin.token, `/v1/orgs/${org}/members`)).items.length, 2)
})

test('a removed user keeps no concurrently created token and cannot return by a link', async () => {
  const org = await organization(here, { inviteLinks: true })
  const link = secretOf(
    (await here.admin.call('post', `/v1/orgs/${org}/link-invites`, {}).expect(201)).body.urls.invite,
  )
  const members = async () => (await get(here.admin.token, `/v1/orgs/${org}/members`)).items.length
  for (let round = 0; round < 8; round++) {
    const account = await person(here, `leaver-${round}@people.example`)
    await putIn(here, org, account.user, 'read')
    const { user, token } = await join(org, `removed-${round}@people.example`)
    await Promise.all([
      as(here, account.token, 'post', '/v1/user/tokens', { label: 'late', organization: org }),
      as(here, token, 'post', '/v1/user/tokens', { label: 'late', organization: org }),
      accept(link, token),
      here.admin.call('delete', `/v1/orgs/${org}/members/${account.user}`).expect(204),
      here.admin.call('delete', `/v1/orgs/${org}/members/${user}`).expect(204),
      as(here, account.token, 'post', '/v1/user/tokens', { label: 'later', organization: org }),
      as(here, token, 'post', '/v1/user/tokens', { label: 'later', organization: org }),
      accept(link, token),
    ])
    const left = [
      ...(await here.service.app.store.find(tokens, 'user', account.user)),
      ...(await here.service.app.store.find(tokens, 'user', user)),
    ]
    assert.equal(
      left.filter(({ organization }) => organization === org).map(({ label }) => label),
      [],
    )
    assert.is(await members(), 1)
  }
})

test('commits of an unverified user have the claimed address, but belong only to this user', async () => {
  const [org, other] = [await organization(here), await organization(here)]
  const owner = await person(here, 'writer@people.example')
  await putIn(here, other, owner.user, 'edit')
  const claimer = await join(org, 'writer@people.example', undefined, { role: 'create' })
  const author = async (space: string): Promise<{ id?: string; emailUnproven?: boolean; email: string }> =>
    (await get(here.admin.token, `/v1/spaces/${space}/revisions?limit=1`)).items[0].author
  const write = async (token: string, space: string) => {
    await as(here, token, 'post', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title: 'P', document: { markdown: '# P\n' } }],
    }).expect(200)
  }
  const space = (
    await as(here, claimer.token, 'post', `/v1/orgs/${org}/spaces`, { title: 'S', editMode: 'live' }).expect(201)
  ).body.id
  await write(claimer.token, space)
  assert.equal(
    [(await author(space)).id, (await author(space)).emailUnproven, (await author(space)).email],
    [claimer.user, true, 'writer@people.example'],
  )
  const actors = async (): Promise<string[]> =>
    (await get(here.admin.token, `/v1/orgs/${org}/events?limit=50`)).items
      .filter(
        ({ type, subject }: { type: string; subject: object }) => type === 'content.updated' && 'space' in subject,
      )
      .map(({ actor }: { actor: string }) => actor)
  while ((await actors()).length === 0) await new Promise((done) => setTimeout(done, 20))
  assert.equal(await actors(), [claimer.user])
  assert.is(
    (await get(here.admin.token, `/v1/spaces/${space}/revisions?author=${claimer.user}`)).items.length,
    (await get(here.admin.token, `/v1/spaces/${space}/revisions?author=writer@people.example`)).items.length,
  )
  assert.equal((await get(here.admin.token, `/v1/spaces/${space}/revisions?author=${owner.user}`)).items, [])

  const there = (
    await here.admin.call('post', `/v1/orgs/${other}/spaces`, { title: 'T', editMode: 'live' }).expect(201)
  ).body.id
  await write(owner.token, there)
  assert.equal([(await author(there)).id, (await author(there)).emailUnproven], [owner.user, undefined])
})

test.run()
