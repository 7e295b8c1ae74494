import * as assert from 'uvu/assert'
import { newMembership } from '../../src/domain/people/organizations.js'
import { grants, memberships, type Role, teamMembers } from '../../src/model/index.js'
import { eventsOf } from '../support/events.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('api: teams', startService)

const organization = async (): Promise<string> =>
  (await here.admin.call('post', '/v1/orgs', { title: 'Of teams' }).expect(201)).body.id
async function join(org: string, role: Role | null): Promise<Caller> {
  const who = await here.caller()
  await here.service.app.store.insert(memberships, newMembership(org, who.user, role, new Date().toISOString()))
  return who
}
const make = async (by: Caller, org: string, body: object = { title: 'Team' }) =>
  (await by.call('put', `/v1/orgs/${org}/teams`, body).expect(201)).body
const titles = (response: { body: { items: { title: string }[] } }): string[] =>
  response.body.items.map((one) => one.title)

test('a team can be created, found, renamed and deleted', async () => {
  const org = await organization()
  const [reader, guest] = [await join(org, 'read'), await join(org, null)]
  const response = await here.admin
    .call('put', `/v1/orgs/${org}/teams`, { title: 'Writers', members: [reader.user, guest.user] })
    .expect(201)
  const { body } = response
  const url = `/v1/orgs/${org}/teams/${body.id}`
  assert.is(response.headers.location, url)
  assert.equal(
    [body.title, body.members, body.spaces, body.permissions],
    ['Writers', 2, 0, { admin: true, view: true }],
  )
  assert.equal((await reader.call('get', url).expect(200)).body, { ...body, permissions: { admin: false, view: true } })
  await guest.call('get', url).expect(200)
  await (await join(org, null)).call('get', url).expect(404)
  await (await here.caller()).call('get', url).expect(404)
  await here.admin.call('get', `/v1/orgs/${here.organization}/teams/${body.id}`).expect(404)
  await reader.call('patch', url, { title: 'Mine' }).expect(403)
  assert.is((await here.admin.call('patch', url, { title: 'Authors' }).expect(200)).body.title, 'Authors')
  for (const bad of [{}, { title: '' }, { title: 'x'.repeat(65) }, { title: 'x', members: [] }])
    await here.admin.call('patch', url, bad).expect(400)
  await reader.call('delete', url).expect(403)
  await here.admin.call('delete', url).expect(204)
  await here.admin.call('delete', url).expect(204)
  await here.admin.call('get', url).expect(404)
  const told = (await eventsOf(here.service.app.store, org)).filter(({ type }) => type.startsWith('team.'))
  assert.equal(
    told.sort((a, b) => a.sequence - b.sequence).map(({ type, subject, data }) => [type, subject.team, data.title]),
    [
      ['team.created', body.id, 'Writers'],
      ['team.updated', body.id, 'Authors'],
      ['team.deleted', body.id, 'Authors'],
    ],
  )
})

test('creating a team requires the role create, and its creator becomes its owner', async () => {
  const org = await organization()
  const [creator, reviewer, other] = [await join(org, 'create'), await join(org, 'review'), await join(org, 'create')]
  await reviewer.call('put', `/v1/orgs/${org}/teams`, { title: 'No' }).expect(403)
  const team = await make(creator, org, { title: 'Own', members: [reviewer.user] })
  assert.equal([team.members, team.permissions.admin], [2, true])
  const members = `/v1/orgs/${org}/teams/${team.id}/members`
  await other.call('put', members, { add: [other.user] }).expect(403)
  await creator.call('put', members, { memberships: { [reviewer.user]: 'owner' }, remove: [creator.user] }).expect(204)
  await creator.call('put', members, { add: [creator.user] }).expect(403)
  await reviewer.call('patch', `/v1/orgs/${org}/teams/${team.id}`, { title: 'His' }).expect(200)
  await here.admin.call('patch', `/v1/orgs/${org}/members/${reviewer.user}`, { disabled: true }).expect(200)
  await reviewer.call('delete', `/v1/orgs/${org}/teams/${team.id}`).expect(404)
})

test('the team list is filtered by owner and title', async () => {
  const org = await organization()
  const [creator, reader] = [await join(org, 'create'), await join(org, 'read')]
  for (const title of ['Alpha', 'Beta', 'alphabet']) await make(here.admin, org, { title })
  await make(creator, org, { title: 'Owned' })
  const list = async (query: string): Promise<string[]> =>
    titles(await reader.call('get', `/v1/orgs/${org}/teams?${query}`).expect(200)).sort()
  assert.equal(await list(''), ['Alpha', 'Beta', 'Owned', 'alphabet'])
  assert.equal(await list('title=ALPHA'), ['Alpha', 'alphabet'])
  assert.equal(await list(`owner=${creator.user}`), ['Owned'])
  assert.equal(await list(`owner=${reader.user}`), [])
  assert.equal((await list(`owner=${here.admin.user}`)).length, 4, 'an admin may manage all')
  await reader.call('get', `/v1/orgs/${org}/teams?owner=nobody`).expect(400)
  await (await join(org, null)).call('get', `/v1/orgs/${org}/teams`).expect(403)
  const page = await reader.call('get', `/v1/orgs/${org}/teams?limit=3`).expect(200)
  assert.equal([page.body.count, page.body.items.length], [4, 3])
  assert.is(
    (await reader.call('get', `/v1/orgs/${org}/teams?page=${page.body.next.page}`).expect(200)).body.items.length,
    1,
  )
})

test('members of a team are changed all or nothing', async () => {
  const org = await organization()
  const [one, two] = [await join(org, 'read'), await join(org, null)]
  const stranger = await here.caller()
  const { id } = await make(here.admin, org)
  const url = `/v1/orgs/${org}/teams/${id}/members`
  const listed = async () =>
    (await one.call('get', url).expect(200)).body.items.map(
      (member: { id: string; role: string; user: { id: string } }) => [member.user.id, member.role],
    )
  const refused = async (body: object, path: string) => {
    const { error } = (await here.admin.call('put', url, body).expect(400)).body
    assert.ok(
      error.details.some((detail: { path: string }) => detail.path === path),
      JSON.stringify(error),
    )
  }
  await refused({ add: [one.user, stranger.user] }, '/add/1')
  await refused({ add: [one.user], memberships: { [stranger.user]: 'owner' } }, `/memberships/${stranger.user}`)
  await refused({ add: [one.user], remove: [one.user] }, '/remove/0')
  await refused({ memberships: { [one.user]: 'admin' } }, `/memberships/${one.user}`)
  await refused({ add: ['__proto__'] }, '/add/0')
  assert.equal(await listed(), [])
  await here.admin.call('put', url, { add: [two.user], memberships: { [one.user]: 'owner' } }).expect(204)
  await here.admin.call('put', url, { add: [one.user, two.user], remove: [stranger.user] }).expect(204)
  assert.equal(
    await listed(),
    [
      [one.user, 'owner'],
      [two.user, 'member'],
    ].sort(),
  )
  await here.admin.call('put', url, {}).expect(204)
  await here.admin.call('put', `/v1/orgs/${org}/teams`, { title: 'x', members: [stranger.user] }).expect(400)
})

test('deleting a team removes its grants, even while its members change', async () => {
  const org = await organization()
  const member = await join(org, null)
  const { store } = here.service.app
  const space = (await here.admin.call('post', `/v1/orgs/${org}/spaces`, { title: 'S' }).expect(201)).body.id
  for (let round = 0; round < 5; round++) {
    const { id } = await make(here.admin, org, { title: 'T', members: [member.user] })
    await store.insert(grants, {
      id: `space:${space}:team:${id}`,
      target: `space:${space}`,
      principal: `team:${id}`,
      role: 'edit',
    })
    await member.call('get', `/v1/spaces/${space}`).expect(200)
    const url = `/v1/orgs/${org}/teams/${id}`
    const responses = await Promise.all([
      here.admin.call('delete', url),
      here.admin.call('put', `${url}/members`, { remove: [member.user], add: [here.admin.user] }),
      here.admin.call('patch', url, { title: 'New' }),
      here.admin.call('delete', url),
    ])
    for (const { status } of responses) assert.ok([200, 204, 404].includes(status), String(status))
    assert.equal(await store.find(teamMembers, 'team', id), [])
    assert.equal(await store.find(grants, 'principal', `team:${id}`), [])
    await member.call('get', `/v1/spaces/${space}`).expect(404)
  }
})

test.run()
