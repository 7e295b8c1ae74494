import * as assert from 'uvu/assert'
import { collections, memberships, type Role, teamMembers, teams } from '../../src/model/index.js'
import { allEvents } from '../support/events.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('api: permissions', startService)

const newSpace = async (body: object = {}): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, body).expect(201)).body.id
const newCollection = async (id: string, more: object = {}): Promise<string> => {
  await here.service.app.store.insert(collections, {
    id,
    organization: here.organization,
    title: id,
    defaultLevel: 'inherit',
    createdAt: new Date().toISOString(),
    ...more,
  })
  return id
}
const newTeam = async (
  id: string,
  people: readonly Caller[] = [],
  organization = here.organization,
): Promise<string> => {
  const { store } = here.service.app
  await store.insert(teams, { id, organization, title: id, createdAt: new Date().toISOString() })
  for (const { user } of people)
    await store.insert(teamMembers, { id: `${id}:${user}`, organization, team: id, user, role: 'member' })
  return id
}
const roleOn = async (who: Caller, path: string): Promise<string> => {
  const { status, body } = await who.call('get', path)
  if (status !== 200) return `${status}`
  const { permissions } = body
  return permissions.admin
    ? 'admin'
    : permissions.review
      ? 'review'
      : permissions.edit
        ? 'edit'
        : permissions.comment
          ? 'comment'
          : 'read'
}

test('a role for a user or a team applies at once, and can be changed and revoked', async () => {
  const path = `/v1/spaces/${await newSpace()}`
  const [guest, other] = [await here.caller(null), await here.caller(null)]
  const team = await newTeam('writers', [other])
  assert.equal([await roleOn(guest, path), await roleOn(other, path)], ['404', '404'])
  await here.admin
    .call('post', `${path}/permissions`, { role: 'comment', users: [guest.user], teams: [team] })
    .expect(204)
  assert.equal([await roleOn(guest, path), await roleOn(other, path)], ['comment', 'comment'])
  await here.admin.call('post', `${path}/permissions`, { role: 'edit', users: [guest.user] }).expect(204)
  await here.admin.call('patch', `${path}/permissions/teams/${team}`, { role: 'review' }).expect(204)
  assert.equal([await roleOn(guest, path), await roleOn(other, path)], ['edit', 'review'])
  const users = (await here.admin.call('get', `${path}/permissions/users`).expect(200)).body
  assert.equal([users.count, users.items[0].permission, users.items[0].user.id], [1, 'edit', guest.user])
  const given = (await here.admin.call('get', `${path}/permissions/teams`).expect(200)).body
  assert.equal(
    [given.count, given.items[0].permission, given.items[0].team.id, given.items[0].team.title],
    [1, 'review', team, team],
  )
  for (const one of [`users/${guest.user}`, `teams/${team}`]) {
    await here.admin.call('delete', `${path}/permissions/${one}`).expect(204)
    await here.admin.call('delete', `${path}/permissions/${one}`).expect(204)
    await here.admin.call('patch', `${path}/permissions/${one}`, { role: 'read' }).expect(404)
  }
  assert.equal([await roleOn(guest, path), await roleOn(other, path)], ['404', '404'])
})

test('the error for a grant lists users outside the organization, and nothing changes', async () => {
  const path = `/v1/spaces/${await newSpace()}`
  const [guest, stranger, gone] = [await here.caller(null), await here.caller(), await here.caller('read')]
  const { store } = here.service.app
  const membership = await store.get(memberships, `${here.organization}:${gone.user}`)
  if (membership) await store.replace(memberships, { ...membership, disabled: true })
  const elsewhere = await newTeam('elsewhere', [], 'another organization')
  const body = { role: 'read', users: [guest.user, stranger.user, 'nobody', gone.user], teams: [elsewhere, 'no team'] }
  const { error } = (await here.admin.call('post', `${path}/permissions`, body).expect(400)).body
  assert.equal(
    error.details.map((detail: { path: string }) => detail.path),
    ['/users/1', '/users/2', '/users/3', '/teams/0', '/teams/1'],
  )
  assert.is(await roleOn(guest, path), '404')
  for (const empty of [{ role: 'read' }, { role: 'read', users: [], teams: [] }])
    await here.admin.call('post', `${path}/permissions`, empty).expect(400)
  for (const bad of [
    { users: [guest.user] },
    { role: null, users: [guest.user] },
    { role: 'owner', users: [guest.user] },
  ])
    await here.admin.call('post', `${path}/permissions`, bad).expect(400)
})

test('only admins of the organization decide, whatever roles others have elsewhere', async () => {
  const [mine, other] = [await newSpace(), await newSpace()]
  const someone = (await here.caller('read')).user
  for (const role of ['read', 'comment', 'edit', 'review', 'create'] as const) {
    const who = await here.caller(role)
    await who.call('post', `/v1/spaces/${mine}/permissions`, { role: 'read', users: [someone] }).expect(403)
    for (const list of ['users', 'teams', 'aggregate'])
      await who.call('get', `/v1/spaces/${mine}/permissions/${list}`).expect(403)
  }
  const local = await here.caller(null)
  await here.admin.call('post', `/v1/spaces/${mine}/permissions`, { role: 'admin', users: [local.user] }).expect(204)
  await local.call('post', `/v1/spaces/${mine}/permissions`, { role: 'admin', users: [someone] }).expect(204)
  await local.call('post', `/v1/spaces/${other}/permissions`, { role: 'read', users: [local.user] }).expect(404)
  await local.call('delete', `/v1/spaces/${mine}/permissions/users/${local.user}`).expect(204)
  await local.call('get', `/v1/spaces/${mine}/permissions/users`).expect(404)
})

test("the aggregate lists each user's role and its sources, strongest first", async () => {
  const outer = await newCollection('outer', { defaultLevel: 'comment' })
  const inner = await newCollection('inner', { parent: outer })
  const space = await newSpace({ parent: inner })
  const people: Record<string, Caller> = {}
  for (const [name, role] of Object.entries({
    member: 'edit',
    guest: null,
    teammate: null,
    absent: null,
    root: 'admin',
  } as Record<string, Role | null>))
    people[name] = await here.caller(role)
  const { member, guest, teammate, absent, root } = people as Record<string, Caller> & {
    member: Caller
    guest: Caller
    teammate: Caller
    absent: Caller
    root: Caller
  }
  const team = await newTeam('aggregated', [teammate, member])
  await here.admin.call('post', `/v1/spaces/${space}/permissions`, { role: 'review', users: [guest.user] }).expect(204)
  await here.admin
    .call('post', `/v1/collections/${inner}/permissions`, { role: 'read', users: [guest.user], teams: [team] })
    .expect(204)
  const list = async (query = '') =>
    (await here.admin.call('get', `/v1/spaces/${space}/permissions/aggregate?limit=1000${query}`).expect(200)).body
  const all = await list()
  const of = (who: Caller) => {
    const { permission, sources } = all.items.find((one: { user: { id: string } }) => one.user.id === who.user) ?? {}
    return permission && { permission, sources }
  }
  assert.equal(of(root), { permission: 'admin', sources: [{ type: 'organization', permission: 'admin' }] })
  assert.equal(of(member), {
    permission: 'comment',
    sources: [
      { type: 'default-level', permission: 'comment', collection: outer },
      { type: 'team', permission: 'read', team, collection: inner },
    ],
  })
  assert.equal(of(guest), {
    permission: 'review',
    sources: [
      { type: 'user', permission: 'review' },
      { type: 'user', permission: 'read', collection: inner },
    ],
  })
  assert.equal(of(teammate), {
    permission: 'read',
    sources: [{ type: 'team', permission: 'read', team, collection: inner }],
  })
  assert.is(of(absent), undefined)
  for (const who of Object.values(people))
    assert.is(await roleOn(who, `/v1/spaces/${space}`), of(who)?.permission ?? '404')
  assert.equal(
    (await list('&role=admin')).items.map((one: { user: { id: string } }) => one.user.id).sort(),
    all.items
      .filter((one: { permission: string }) => one.permission === 'admin')
      .map((one: { user: { id: string } }) => one.user.id)
      .sort(),
  )
  const seen: string[] = []
  for (let page = ''; ; ) {
    const { body } = await here.admin
      .call('get', `/v1/spaces/${space}/permissions/aggregate?limit=2${page}`)
      .expect(200)
    assert.is(body.count, all.count)
    seen.push(...body.items.map((one: { user: { id: string } }) => one.user.id))
    if (!body.next) break
    page = `&page=${body.next.page}`
  }
  assert.equal(
    seen,
    all.items.map((one: { user: { id: string } }) => one.user.id),
  )
})

test('a permission change is reported once, and only if there was one', async () => {
  const space = await newSpace()
  const user = (await here.caller('read')).user
  const told = async () =>
    (await allEvents(here.service.app.store))
      .filter(({ subject, data }) => subject.space === space && data.permissions !== undefined)
      .map(({ data }) => data.permissions)
  await here.admin.call('post', `/v1/spaces/${space}/permissions`, { role: 'edit', users: [user] }).expect(204)
  await here.admin.call('patch', `/v1/spaces/${space}/permissions/users/${user}`, { role: 'edit' }).expect(204)
  await here.admin.call('patch', `/v1/spaces/${space}/permissions/users/${user}`, { role: 'admin' }).expect(204)
  await here.admin.call('delete', `/v1/spaces/${space}/permissions/users/${user}`).expect(204)
  assert.equal(await told(), [
    { role: 'edit', users: [user], teams: [] },
    { role: 'admin', users: [user] },
    { role: null, users: [user] },
  ])
})

test('one of concurrent invitations, changes and removals wins, and none fails', async () => {
  const path = `/v1/spaces/${await newSpace()}/permissions`
  const user = (await here.caller(null)).user
  for (let round = 0; round < 5; round++) {
    const responses = await Promise.all([
      here.admin.call('post', path, { role: 'edit', users: [user] }),
      here.admin.call('post', path, { role: 'review', users: [user] }),
      here.admin.call('patch', `${path}/users/${user}`, { role: 'read' }),
      here.admin.call('delete', `${path}/users/${user}`),
    ])
    for (const { status } of responses) assert.ok([204, 404].includes(status), String(status))
    const { count } = (await here.admin.call('get', `${path}/users`).expect(200)).body
    assert.ok(count <= 1)
  }
})

test.run()
