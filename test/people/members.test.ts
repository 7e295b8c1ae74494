import * as assert from 'uvu/assert'
import { newMembership } from '../../src/domain/people/organizations.js'
import {
  type Role,
  type SiteDoc,
  emptyStructure,
  sites,
  collections,
  grants,
  memberships,
  teamMembers,
  tokens,
} from '../../src/model/index.js'
import { eventsOf } from '../support/events.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

let now = Date.now()
const [test, here] = await suiteWith('api: members', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)

/** A separate organization, so that counts depend only on the test. */
async function organization(): Promise<string> {
  return (await here.admin.call('post', '/v1/orgs', { title: 'Of members' }).expect(201)).body.id
}
async function join(org: string, role: Role | null, joinedAt = new Date(now).toISOString()): Promise<Caller> {
  const who = await here.caller()
  await here.service.app.store.insert(memberships, newMembership(org, who.user, role, joinedAt))
  return who
}
const grant = (target: string, principal: string, role: Role) =>
  here.service.app.store.insert(grants, { id: `${target}:${principal}`, target, principal, role })
const space = async (org: string): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${org}/spaces`, { title: 'S' }).expect(201)).body.id
const ids = (response: { body: { items: { id: string }[] } }): string[] => response.body.items.map((one) => one.id)

test('the member list is filtered by role and text, sorted and paged', async () => {
  const org = await organization()
  const people: Caller[] = []
  for (const [index, role] of (['read', 'edit', null, 'edit'] as const).entries())
    people.push(await join(org, role, new Date(Date.UTC(2020, 0, index + 1)).toISOString()))
  const [reader, editor, guest, other] = people.map(({ user }) => user) as [string, string, string, string]
  const list = async (query: string): Promise<string[]> =>
    ids(await here.admin.call('get', `/v1/orgs/${org}/members?${query}`).expect(200))
  assert.equal(await list(''), [here.admin.user, other, guest, editor, reader])
  assert.equal(await list('order=asc'), [reader, editor, guest, other, here.admin.user])
  assert.equal(await list('role=edit'), [other, editor])
  assert.equal(await list('role=guest'), [guest])
  const { email } = (await here.admin.call('get', `/v1/users/${editor}`).expect(200)).body
  assert.equal(await list(`search=${encodeURIComponent(email.toUpperCase())}`), [editor])
  assert.equal(await list('search=PERSON&role=read'), [reader])
  assert.equal(await list('search=%25'), [])
  assert.equal(await list('sort=lastSeenAt'), [])
  const first = await here.admin.call('get', `/v1/orgs/${org}/members?limit=2`).expect(200)
  assert.equal([first.body.count, ids(first)], [5, [here.admin.user, other]])
  assert.equal(await list(`limit=2&page=${first.body.next.page}`), [guest, editor])
  const none = await here.admin.call('get', `/v1/orgs/${org}/members?limit=0`).expect(200)
  assert.equal([none.body.items, none.body.count, none.body.next], [[], 5, undefined])
  for (const bad of ['role=owner', 'sort=name', 'order=up', `search=${'x'.repeat(513)}`, 'page=!'])
    await here.admin.call('get', `/v1/orgs/${org}/members?${bad}`).expect(400)
})

test('a ping is recorded at most once a minute and sorts the list', async () => {
  const org = await organization()
  const [early, late] = [await join(org, 'read'), await join(org, null)]
  const seen = async (who: Caller): Promise<string | undefined> =>
    (await who.call('get', `/v1/orgs/${org}/members/${who.user}`).expect(200)).body.lastSeenAt
  assert.equal((await early.call('post', `/v1/orgs/${org}/ping`).expect(200)).body, {})
  const at = await seen(early)
  assert.is(at, new Date(now).toISOString())
  now += 59_000
  await early.call('post', `/v1/orgs/${org}/ping`).expect(200)
  assert.is(await seen(early), at)
  now += 1_000
  await late.call('post', `/v1/orgs/${org}/ping`).expect(200)
  await early.call('post', `/v1/orgs/${org}/ping`).expect(200)
  assert.is(await seen(early), new Date(now).toISOString())
  const list = await here.admin.call('get', `/v1/orgs/${org}/members?sort=lastSeenAt`).expect(200)
  assert.equal([...ids(list)].sort(), [early.user, late.user].sort())
  await (await here.caller()).call('post', `/v1/orgs/${org}/ping`).expect(404)
})

test('members are shown with their own data, and guests see only themselves', async () => {
  const org = await organization()
  const [reader, guest] = [await join(org, 'read'), await join(org, null)]
  const base = `/v1/orgs/${org}/members`
  const { body } = await reader.call('get', `${base}/${guest.user}`).expect(200)
  assert.equal(
    [body.object, body.id, body.role, body.disabled, body.sso, body.spaces, body.teams],
    ['member', guest.user, null, false, false, 0, 0],
  )
  assert.is(body.user.id, guest.user)
  await reader.call('get', body.user.urls.location.replace(here.url, '')).expect(200)
  await guest.call('get', base).expect(403)
  await guest.call('get', `${base}/${reader.user}`).expect(404)
  await guest.call('get', `${base}/${guest.user}/teams`).expect(200)
  await reader.call('get', `${base}/nobody`).expect(404)
  await here.admin.call('get', `${base}/${(await here.caller()).user}`).expect(404)
})

test('only admins change roles, and a disabled member has no access', async () => {
  const org = await organization()
  const [creator, member] = [await join(org, 'create'), await join(org, 'read')]
  const path = `/v1/orgs/${org}/members/${member.user}`
  await creator.call('patch', path, { role: 'admin' }).expect(403)
  await member.call('patch', path, { role: 'admin' }).expect(403)
  assert.is((await here.admin.call('patch', path, { role: 'edit' }).expect(200)).body.role, 'edit')
  assert.is((await here.admin.call('patch', path, { role: null }).expect(200)).body.role, null)
  for (const bad of [{ role: 'owner' }, { role: 1 }, { id: 'x' }, []])
    await here.admin.call('patch', path, bad).expect(400)
  assert.is((await here.admin.call('patch', path, { disabled: true, role: 'edit' }).expect(200)).body.disabled, true)
  await member.call('get', `/v1/orgs/${org}`).expect(404)
  assert.equal((await member.call('get', '/v1/orgs').expect(200)).body.items, [])
  await here.admin.call('patch', path, { disabled: false }).expect(200)
  await member.call('get', `/v1/orgs/${org}`).expect(200)
  assert.is((await here.admin.call('post', `${path}/sso`).expect(200)).body.sso, true)
  const told = (await eventsOf(here.service.app.store, org)).filter(({ type }) => type === 'member.updated')
  assert.is(told.length, 5)
})

test('the last admin cannot be demoted, disabled or removed, even by two concurrent requests', async () => {
  const org = await organization()
  const path = (who: { user: string }): string => `/v1/orgs/${org}/members/${who.user}`
  for (const body of [{ role: 'create' }, { role: null }, { disabled: true }])
    await here.admin.call('patch', path(here.admin), body).expect(409)
  await here.admin.call('delete', path(here.admin)).expect(409)
  const out = await join(org, 'admin')
  await here.admin.call('patch', path(out), { disabled: true }).expect(200)
  await here.admin.call('delete', path(here.admin)).expect(409)

  for (let round = 0; round < 5; round++) {
    const other = await join(org, 'admin')
    const acts = [
      here.admin.call('patch', path(other), { role: 'read' }),
      other.call('delete', path(here.admin)),
      other.call('patch', path(other), { role: 'edit' }),
      here.admin.call('delete', path(here.admin)),
    ]
    for (const { status } of await Promise.all(acts))
      assert.ok([200, 204, 403, 404, 409].includes(status), String(status))
    const admins = (await here.service.app.store.find(memberships, 'organization', org)).filter(
      (one) => one.role === 'admin' && !one.disabled,
    )
    assert.is(admins.length, 1)
    if (admins[0]?.user !== here.admin.user) {
      const { store } = here.service.app
      await store.remove(memberships, `${org}:${here.admin.user}`)
      await store.insert(memberships, newMembership(org, here.admin.user, 'admin', new Date(now).toISOString()))
      await store.remove(memberships, admins[0]?.id as string)
    }
  }
})
test('a removed member loses all rights in the organization and keeps those in others', async () => {
  const org = await organization()
  const [member, guest] = [await join(org, 'create'), await join(org, null)]
  const { store } = here.service.app
  await store.insert(memberships, newMembership(here.organization, member.user, 'read', new Date(now).toISOString()))
  const [inside, outside] = [await space(org), await space(here.organization)]
  const site = `${org}-site`
  await store.insert(sites, {
    id: site,
    organization: org,
    title: 'Site',
    basename: site,
    structure: emptyStructure,
  } as SiteDoc)
  await store.insert(collections, {
    id: `${org}-c`,
    organization: org,
    createdAt: new Date().toISOString(),
    title: 'C',
    defaultLevel: 'inherit',
  })
  for (const target of [`space:${inside}`, `collection:${org}-c`, `site:${site}`, `space:${outside}`])
    await grant(target, `user:${member.user}`, 'edit')
  const team = (
    await here.admin
      .call('put', `/v1/orgs/${org}/teams`, { title: 'T', members: [member.user, guest.user] })
      .expect(201)
  ).body.id
  const limited = (await member.call('post', '/v1/user/tokens', { label: 'here', organization: org }).expect(201)).body
  await member.call('post', '/v1/user/tokens', { label: 'everywhere' }).expect(201)

  await member.call('delete', `/v1/orgs/${org}/members/${guest.user}`).expect(403)
  await guest.call('delete', `/v1/orgs/${org}/members/${guest.user}`).expect(204)
  await here.admin.call('delete', `/v1/orgs/${org}/members/${member.user}`).expect(204)
  await here.admin.call('delete', `/v1/orgs/${org}/members/${member.user}`).expect(204)
  await here.admin.call('get', `/v1/orgs/${org}/members/${member.user}`).expect(404)
  assert.is((await here.admin.call('get', `/v1/orgs/${org}/teams/${team}`).expect(200)).body.members, 0)
  assert.equal(await store.find(teamMembers, 'team', team), [])
  assert.equal(
    (await store.find(grants, 'principal', `user:${member.user}`)).map(({ target }) => target),
    [`space:${outside}`],
  )
  assert.is(await store.get(tokens, limited.id), null)
  await member.call('get', `/v1/orgs/${org}`).expect(404)
  await member.call('get', `/v1/spaces/${outside}`).expect(200)
  const told = (await eventsOf(store, org)).filter(({ type }) => type === 'member.removed')
  assert.equal(
    told.map(({ subject, actor }) => [subject.user, actor]).sort(),
    [
      [guest.user, guest.user],
      [member.user, here.admin.user],
    ].sort(),
  )
})
test("a member's spaces show their role, and only spaces that the caller sees are listed", async () => {
  const org = await organization()
  const [editor, guest, creator] = [await join(org, 'edit'), await join(org, null), await join(org, 'create')]
  const { store } = here.service.app
  await store.insert(collections, {
    id: `${org}-outer`,
    organization: org,
    createdAt: new Date().toISOString(),
    title: 'O',
    defaultLevel: null,
  })
  await store.insert(collections, {
    id: `${org}-inner`,
    organization: org,
    createdAt: new Date().toISOString(),
    title: 'I',
    defaultLevel: 'inherit',
    parent: `${org}-outer`,
  })
  const open = await space(org)
  const hidden = (
    await here.admin.call('post', `/v1/orgs/${org}/spaces`, { title: 'H', parent: `${org}-inner` }).expect(201)
  ).body.id
  const closed = await space(org)
  await here.admin.call('patch', `/v1/spaces/${closed}`, { defaultLevel: null }).expect(200)
  const gone = await space(org)
  await here.admin.call('delete', `/v1/spaces/${gone}`).expect(204)
  const team = (
    await here.admin.call('put', `/v1/orgs/${org}/teams`, { title: 'T', members: [guest.user] }).expect(201)
  ).body.id
  await grant(`collection:${org}-outer`, `team:${team}`, 'review')
  await grant(`space:${closed}`, `user:${guest.user}`, 'comment')
  const told = async (who: Caller, of: Caller) =>
    (await who.call('get', `/v1/orgs/${org}/members/${of.user}/spaces?order=asc`).expect(200)).body.items.map(
      (one: { permission: string; space: { id: string } }) => [one.space.id, one.permission],
    )
  const sorted = <T>(list: T[][]): T[][] => [...list].sort()
  assert.equal(sorted(await told(here.admin, editor)), sorted([[open, 'edit']]))
  assert.equal(
    sorted(await told(here.admin, guest)),
    sorted([
      [hidden, 'review'],
      [closed, 'comment'],
    ]),
  )
  assert.equal(
    sorted(await told(here.admin, here.admin)),
    sorted([
      [open, 'admin'],
      [hidden, 'admin'],
      [closed, 'admin'],
    ]),
  )
  assert.equal(await told(creator, guest), [], 'the creator sees none of the spaces of the guest')
  assert.equal(
    sorted(await told(guest, guest)),
    sorted([
      [hidden, 'review'],
      [closed, 'comment'],
    ]),
  )
  const counters = (await here.admin.call('get', `/v1/orgs/${org}/members`).expect(200)).body.items.map(
    (one: { id: string; spaces: number; teams: number }) => [one.id, one.spaces, one.teams],
  )
  assert.equal(
    sorted(counters),
    sorted([
      [here.admin.user, 3, 0],
      [editor.user, 1, 0],
      [guest.user, 2, 1],
      [creator.user, 1, 0],
    ]),
  )
  assert.is((await here.admin.call('get', `/v1/orgs/${org}/teams/${team}`).expect(200)).body.spaces, 1)
  const one = await here.admin.call('get', `/v1/orgs/${org}/members/${guest.user}/spaces?limit=1`).expect(200)
  assert.equal([one.body.count, one.body.items.length], [2, 1])
  const teamsOf = await here.admin.call('get', `/v1/orgs/${org}/members/${guest.user}/teams?title=t`).expect(200)
  assert.equal(
    teamsOf.body.items.map((item: { team: { id: string }; member: object }) => [item.team.id, item.member]),
    [[team, { role: 'member' }]],
  )
  assert.is(
    (await here.admin.call('get', `/v1/orgs/${org}/members/${guest.user}/teams?title=x`).expect(200)).body.count,
    0,
  )
})

test.run()
