import * as assert from 'uvu/assert'
import { newMembership } from '../../src/domain/people/organizations.js'
import { collections, grants, keptGrants, memberships, type Role, spaces } from '../../src/model/index.js'
import { allEvents } from '../support/events.js'
import type { Caller } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from './fixture.js'

/** Another organization of the admin. */
let other: string
const [test, f] = await suiteWith('collections: transfer', startFixture)
test.before(async () => {
  other = (await f.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
})

const transfer = (kind: 'space' | 'collection', id: string, body: object, who = f.admin) =>
  who.call('post', `/v1/${kind}s/${id}/transfer`, body)
const join = async (who: Caller, organization: string, role: Role | null) => {
  await f.service.app.store.insert(memberships, newMembership(organization, who.user, role, new Date().toISOString()))
}
const shelf = async (organization: string) =>
  (await f.admin.call('post', `/v1/orgs/${organization}/collections`).expect(201)).body.id as string

test('a space moves with its content, history and change requests, and back', async () => {
  const parent = await f.collection()
  const id = await f.space(parent, { template: 'sample' })
  const [member, both] = [await f.caller('edit'), await f.caller('edit')]
  await join(both, other, null)
  const team = await f.team([member])
  await f.grant('space', id, 'review', [member, both], [team])
  await f.admin.call('post', `/v1/spaces/${id}/change-requests`, { subject: 'Open' }).expect(201)
  const everything = async () => ({
    space: await f.get('space', id),
    content: (await f.admin.call('get', `/v1/spaces/${id}/content`).expect(200)).body,
    requests: (await f.admin.call('get', `/v1/spaces/${id}/change-requests?status=open`).expect(200)).body,
  })
  await f.admin.call('post', `/v1/spaces/${id}/comments`, { body: { markdown: 'Said.' } }).expect(200)
  await f.admin
    .call('post', `/v1/spaces/${id}/change-requests/1/requested-reviewers`, { users: [member.user, both.user] })
    .expect(200)
  const before = await everything()
  const target = await shelf(other)
  const there = (await transfer('space', id, { organization: other, parent: target }).expect(200)).body
  assert.equal([there.organization, there.parent, there.changeRequestsOpen, there.comments], [other, target, 1, 1])
  const asked = (await f.admin.call('get', `/v1/spaces/${id}/change-requests/1/requested-reviewers`).expect(200)).body
  assert.is(asked.count, 1, 'who is not of the other organization is not awaited there')
  assert.is((await f.admin.call('get', `/v1/spaces/${id}/comments`).expect(200)).body.count, 1)
  assert.equal([await f.role(member, 'space', id), await f.role(both, 'space', id)], ['none', 'review'])
  assert.equal(await f.order(target, other), [id])
  assert.equal(await f.order(parent), [])
  await f.admin.call('patch', `/v1/spaces/${id}/content`, {}).expect(405)
  const change = { changes: [{ operation: 'insert_page', title: 'There', document: { markdown: 'There.' } }] }
  await f.admin.call('post', `/v1/spaces/${id}/change-requests/1/content`, change).expect(200)
  await transfer('space', id, { organization: f.organization, parent }).expect(200)
  const after = await everything()
  assert.equal(after.content, before.content)
  assert.equal([after.requests.count, after.requests.items[0].id], [1, before.requests.items[0].id])
  const { updatedAt: _then, position: _place, ...rest } = before.space
  for (const [field, value] of Object.entries(rest)) assert.equal(after.space[field], value, field)
  await f.admin.call('post', `/v1/spaces/${id}/change-requests/1/merge`).expect(200)
  assert.equal(
    [await f.role(member, 'space', id), await f.role(both, 'space', id)],
    ['review', 'review'],
    'what was given there takes effect again',
  )
  const told = (await allEvents(f.service.app.store)).filter(
    ({ type, subject }) => type === 'space.transferred' && subject.space === id,
  )
  assert.equal(
    told.map(({ organization }) => organization).sort(),
    [f.organization, f.organization, other, other].sort(),
  )
})

test('stored roles do not apply to former members or to members of the new organization', async () => {
  const id = await f.space(null, { template: 'empty' })
  await f.admin.call('patch', `/v1/spaces/${id}`, { defaultLevel: null }).expect(200)
  const [stays, leaves] = [await f.caller('read'), await f.caller('read')]
  const [kept, gone] = [await f.team([stays]), await f.team([stays])]
  await f.grant('space', id, 'edit', [stays, leaves], [kept])
  await f.grant('space', id, 'review', [], [gone])
  assert.is(await f.role(stays, 'space', id), 'review')
  await transfer('space', id, { organization: other }).expect(200)
  await join(stays, other, null)
  assert.is(await f.role(stays, 'space', id), 'none')
  assert.is((await f.admin.call('get', `/v1/spaces/${id}/permissions/users`).expect(200)).body.count, 0)
  await f.admin.call('delete', `/v1/orgs/${f.organization}/members/${leaves.user}`).expect(204)
  await f.admin.call('delete', `/v1/orgs/${f.organization}/teams/${gone}`).expect(204)
  await transfer('space', id, { organization: f.organization }).expect(200)
  assert.is(await f.role(stays, 'space', id), 'edit')
  await join(leaves, f.organization, 'read')
  assert.is(await f.role(leaves, 'space', id), 'none')
  assert.equal(await f.service.app.store.find(keptGrants, 'target', `space:${id}`), [])
})

test('a transferred collection keeps everything below it and its order', async () => {
  const top = await f.collection()
  const inner = await f.collection(top)
  const [a, b, gone] = [await f.space(top), await f.space(inner), await f.space(inner)]
  await f.admin.call('patch', `/v1/spaces/${b}`, { visibility: 'in-collection' }).expect(200)
  await f.admin.call('delete', `/v1/spaces/${gone}`).expect(204)
  await f.admin.call('post', `/v1/collections/${inner}/move`, {}).expect(200)
  await f.grant('collection', inner, 'edit', [await f.caller(null)])
  const moved = (await transfer('collection', top, { organization: other }).expect(200)).body
  assert.equal([moved.organization, 'parent' in moved], [other, false])
  assert.equal([await f.order(top, other), await f.order(inner, other)], [[a, inner], [b]])
  assert.is((await f.get('space', b)).visibility, 'in-collection')
  assert.is((await f.admin.call('post', `/v1/spaces/${gone}/restore`).expect(200)).body.organization, other)
  const { store } = f.service.app
  assert.equal(await store.find(grants, 'target', `collection:${inner}`), [])
  await transfer('collection', top, { organization: f.organization }).expect(200)
  for (const id of [a, b, gone]) assert.is((await f.get('space', id)).organization, f.organization)
  assert.equal(await f.order(top), [a, inner])
  assert.equal(
    (await store.find(collections, 'organization', other)).filter(({ id }) => [top, inner].includes(id)),
    [],
  )
})

test('a transfer within an organization is a move, and 409 if nothing would change', async () => {
  const [from, to] = [await f.collection(), await f.collection()]
  const id = await f.space(from)
  await f.grant('space', id, 'edit', [await f.caller(null)])
  assert.is((await transfer('space', id, { organization: f.organization, parent: to }).expect(200)).body.parent, to)
  assert.is((await f.admin.call('get', `/v1/spaces/${id}/permissions/users`).expect(200)).body.count, 1)
  await transfer('space', id, { organization: f.organization, parent: to }).expect(409)
  assert.not.ok(
    'parent' in (await transfer('space', id, { organization: f.organization, parent: null }).expect(200)).body,
  )
  await transfer('space', id, { organization: f.organization }).expect(409)
  const inner = await f.collection(from)
  await transfer('collection', from, { organization: f.organization, parent: inner }).expect(409)
  await transfer('collection', from, { organization: f.organization, parent: from }).expect(400)
})

test('an invalid, forbidden or blocked transfer is 400, 403 or 412 with all reasons', async () => {
  const parent = await f.collection()
  const [id, blocked, unseen] = [
    await f.space(parent),
    await f.space(parent, { title: 'Blocked' }),
    await f.space(parent),
  ]
  const here = await shelf(f.organization)
  for (const [body, where] of [
    [{ organization: 'nothing' }, '/organization'],
    [{ organization: other, parent: 'nothing' }, '/parent'],
    [{ organization: other, parent: here }, '/parent'],
    [{}, '/organization'],
    [{ organization: null }, '/organization'],
  ] as const)
    assert.is((await transfer('space', id, body).expect(400)).body.error.details[0].path, where)
  const who = await f.caller('create')
  assert.is(
    (await transfer('collection', parent, { organization: other }, who).expect(400)).body.error.details[0].path,
    '/organization',
  )
  await join(who, other, 'edit')
  await f.admin.call('patch', `/v1/spaces/${blocked}`, { defaultLevel: 'read' }).expect(200)
  await f.admin.call('patch', `/v1/spaces/${unseen}`, { defaultLevel: null }).expect(200)
  const { error } = (await transfer('collection', parent, { organization: other }, who).expect(412)).body
  assert.is(error.details.length, 3)
  assert.match(error.details[0].message, 'you need the role create at the target')
  assert.match(error.details[1].message, `the space ${blocked} (Blocked)`)
  assert.match(error.details[2].message, 'you are not allowed to see 1 of the items')
  assert.not.match(JSON.stringify(error), unseen)
  for (const one of [id, blocked, unseen]) assert.is((await f.get('space', one)).organization, f.organization)

  const local = await f.caller(null)
  await join(local, other, 'admin')
  await f.grant('space', id, 'create', [local])
  await transfer('space', id, { organization: other }, local).expect(403)
  await transfer('space', id, { organization: other }, await f.caller('review')).expect(403)
  await transfer('space', id, { organization: other }, await f.caller()).expect(404)
})

test('a transfer to where the caller has no access is rejected', async () => {
  const id = await f.space()
  const who = await f.caller('create')
  await join(who, other, 'create')
  await f.admin.call('patch', `/v1/spaces/${id}`, { defaultLevel: null }).expect(200)
  const team = await f.team([who])
  await f.grant('space', id, 'create', [], [team])
  assert.match(
    (await transfer('space', id, { organization: other }, who).expect(412)).body.error.message,
    'you could no longer see it',
  )
  assert.is(await f.role(who, 'space', id), 'create')
  await f.grant('space', id, 'create', [who])
  await transfer('space', id, { organization: other }, who).expect(200)
})

test('a space on a site stays in its organization until it is removed there', async () => {
  const parent = await f.collection()
  const id = await f.space(parent)
  const site = (
    await f.admin.call('post', `/v1/orgs/${f.organization}/sites`, { title: 'Site', spaces: [id] }).expect(201)
  ).body.id
  for (const [kind, one] of [
    ['space', id],
    ['collection', parent],
  ] as const)
    assert.match(
      (await transfer(kind, one, { organization: other }).expect(412)).body.error.message,
      `is on the site ${site}`,
    )
  await transfer('space', id, { organization: f.organization }).expect(200)
  await f.admin.call('delete', `/v1/orgs/${f.organization}/sites/${site}`).expect(204)
  await transfer('space', id, { organization: other }).expect(200)
})

test('a token for one organization cannot transfer to another', async () => {
  const id = await f.space()
  const { token } = (
    await f.admin.call('post', '/v1/user/tokens', { label: 'one', organization: f.organization }).expect(201)
  ).body
  const response = await fetch(`${f.url}/v1/spaces/${id}/transfer`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ organization: other }),
  })
  assert.is(response.status, 400)
  assert.is((await f.service.app.store.get(spaces, id))?.organization, f.organization)
})

test('no reviews are requested from users who may not review in the new organization', async () => {
  const parent = await f.collection()
  const id = await f.space(parent)
  const [author, left, both] = [await f.caller('edit'), await f.caller('review'), await f.caller('review')]
  await join(both, other, 'review')
  await author.call('post', `/v1/spaces/${id}/change-requests`, { subject: 'Open' }).expect(201)
  const asked = `/v1/spaces/${id}/change-requests/1/requested-reviewers`
  await author.call('post', asked, { users: [left.user, both.user] }).expect(200)
  await transfer('collection', parent, { organization: other }).expect(200)
  const { items } = (await f.admin.call('get', asked).expect(200)).body
  assert.equal(
    items.map((one: { user: { id: string } }) => one.user.id),
    [both.user],
  )
})

test.run()
