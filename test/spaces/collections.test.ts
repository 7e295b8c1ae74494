import * as assert from 'uvu/assert'
import { allEvents } from '../support/events.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from './fixture.js'

const [test, f] = await suiteWith('collections', startFixture)

test('a collection can be created, changed, found at its URLs and deleted', async () => {
  const made = await f.admin.call('post', `/v1/orgs/${f.organization}/collections`).expect(201)
  const { id } = made.body
  assert.is(made.headers.location, `/v1/collections/${id}`)
  assert.equal(
    [made.body.object, made.body.title, made.body.defaultLevel, made.body.organization],
    ['collection', 'Untitled', 'inherit', f.organization],
  )
  assert.equal(made.body.permissions, { view: true, admin: true, viewInviteLinks: true, create: true })
  const { app, location } = made.body.urls
  await f.admin.call('get', new URL(location).pathname).expect(200)
  await f.admin.call('get', new URL(app).pathname).set('Accept', 'text/html').expect(200)
  const changed = (
    await f.admin
      .call('patch', `/v1/collections/${id}`, { title: 'Guides', description: 'All of them', defaultLevel: 'comment' })
      .expect(200)
  ).body
  assert.equal([changed.title, changed.description, changed.defaultLevel], ['Guides', 'All of them', 'comment'])
  assert.equal(await f.get('collection', id), changed)
  const bare = (
    await f.admin.call('patch', `/v1/collections/${id}`, { description: null, defaultLevel: null }).expect(200)
  ).body
  assert.equal([bare.title, 'description' in bare, bare.defaultLevel], ['Guides', false, null])
  await f.admin.call('patch', `/v1/collections/${id}`, {}).expect(200)
  for (let i = 0; i < 2; i++) await f.admin.call('delete', `/v1/collections/${id}`).expect(204)
  await f.admin.call('get', `/v1/collections/${id}`).expect(404)
  const told = (await allEvents(f.service.app.store)).filter(({ subject }) => subject.collection === id)
  assert.equal(
    told.sort((a, b) => a.sequence - b.sequence).map(({ type, actor, data }) => [type, actor, data.fields]),
    [
      ['collection.created', f.admin.user, undefined],
      ['collection.updated', f.admin.user, ['title', 'description', 'defaultLevel']],
      ['collection.updated', f.admin.user, ['description', 'defaultLevel']],
      ['collection.deleted', f.admin.user, undefined],
    ],
  )
})

test('invalid members of a collection are rejected by name', async () => {
  const id = await f.collection()
  const elsewhere = (await f.admin.call('post', '/v1/orgs', { title: 'Elsewhere' }).expect(201)).body.id
  const foreign = (await f.admin.call('post', `/v1/orgs/${elsewhere}/collections`).expect(201)).body.id
  const cases: [method: 'post' | 'patch', path: string, body: object, where: string][] = [
    ['post', `/v1/orgs/${f.organization}/collections`, { title: 'x'.repeat(51) }, '/title'],
    ['post', `/v1/orgs/${f.organization}/collections`, { parent: 'nothing' }, '/parent'],
    ['post', `/v1/orgs/${f.organization}/collections`, { parent: foreign }, '/parent'],
    ['post', `/v1/orgs/${f.organization}/collections`, { parent: null }, '/parent'],
    ['post', `/v1/orgs/${f.organization}/spaces`, { parent: foreign }, '/parent'],
    ['patch', `/v1/collections/${id}`, { title: 'x'.repeat(51) }, '/title'],
    ['patch', `/v1/collections/${id}`, { description: 'x'.repeat(101) }, '/description'],
    ['patch', `/v1/collections/${id}`, { defaultLevel: 'owner' }, '/defaultLevel'],
    ['patch', `/v1/collections/${id}`, { parent: id }, '/parent'],
  ]
  for (const [method, path, body, where] of cases) {
    const { error } = (await f.admin.call(method, path, body).expect(400)).body
    assert.is(error.details[0].path, where, JSON.stringify(body))
  }
  const full = { title: '…'.repeat(50), description: 'é'.repeat(100) }
  assert.equal(
    await f.admin
      .call('patch', `/v1/collections/${id}`, full)
      .expect(200)
      .then(({ body }) => [body.title, body.description]),
    Object.values(full),
  )
})

test('collections are listed nested or flat, in pages, and only visible ones', async () => {
  const org = (await f.admin.call('post', '/v1/orgs', { title: 'Lists' }).expect(201)).body.id
  const add = async (body: object) =>
    (await f.admin.call('post', `/v1/orgs/${org}/collections`, body).expect(201)).body.id
  const top = await add({ title: 'top' })
  const inner = await add({ title: 'inner', parent: top })
  const secret = await add({ title: 'secret', parent: inner })
  const last = await add({ title: 'last' })
  const space = (await f.admin.call('post', `/v1/orgs/${org}/spaces`, { parent: inner }).expect(201)).body.id
  await f.admin.call('patch', `/v1/collections/${secret}`, { defaultLevel: null }).expect(200)
  const ids = async (who: typeof f.admin, path: string) =>
    (await who.call('get', path).expect(200)).body.items.map((one: { id: string }) => one.id)
  assert.equal(await ids(f.admin, `/v1/orgs/${org}/collections`), [top, inner, secret, last])
  assert.equal(await ids(f.admin, `/v1/orgs/${org}/collections?nested=false`), [top, last])
  assert.equal(await ids(f.admin, `/v1/collections/${inner}/spaces`), [space])
  assert.equal(await ids(f.admin, `/v1/collections/${top}/spaces`), [])
  assert.equal(await ids(f.admin, `/v1/orgs/${org}/spaces?nested=false`), [])
  const first = (await f.admin.call('get', `/v1/orgs/${org}/collections?limit=3`).expect(200)).body
  assert.is(first.count, 4)
  assert.equal(await ids(f.admin, `/v1/orgs/${org}/collections?limit=3&page=${first.next.page}`), [last])
  assert.equal((await f.admin.call('get', `/v1/orgs/${org}/collections?limit=0`).expect(200)).body, {
    items: [],
    count: 4,
  })
  const reader = await f.caller('read')
  await reader.call('get', `/v1/orgs/${org}/collections`).expect(404)
  await reader.call('get', `/v1/collections/${top}`).expect(404)
})

test('a role on the organization or the collection allows its operations', async () => {
  const outcome = async (who: typeof f.admin, id: string) => [
    (await who.call('get', `/v1/collections/${id}`)).status,
    (await who.call('post', `/v1/orgs/${f.organization}/spaces`, { parent: id })).status,
    (await who.call('post', `/v1/orgs/${f.organization}/collections`, { parent: id })).status,
    (await who.call('post', `/v1/orgs/${f.organization}/spaces`, {})).status,
    (await who.call('post', `/v1/orgs/${f.organization}/collections`, {})).status,
    (await who.call('patch', `/v1/collections/${id}`, { title: 'Changed' })).status,
    (await who.call('get', `/v1/collections/${id}/permissions/users`)).status,
  ]
  const id = await f.collection()
  const expected = {
    read: [200, 403, 403, 403, 403, 403, 403],
    review: [200, 403, 403, 403, 403, 403, 403],
    create: [200, 201, 201, 201, 201, 403, 403],
    admin: [200, 201, 201, 201, 201, 200, 200],
  }
  for (const [role, statuses] of Object.entries(expected))
    assert.equal(await outcome(await f.caller(role as 'read'), id), statuses, role)
  for (const [role, statuses] of Object.entries(expected)) {
    const guest = await f.caller(null)
    assert.equal(await outcome(guest, id), [404, 400, 400, 403, 403, 404, 404], 'a guest')
    await f.grant('collection', id, role, [guest])
    assert.equal(await outcome(guest, id), [...statuses.slice(0, 3), 403, 403, ...statuses.slice(5)], `${role} by name`)
  }
  const stranger = await f.caller()
  assert.equal(await outcome(stranger, id), [404, 404, 404, 404, 404, 404, 404])
  await stranger.call('delete', `/v1/collections/${id}`).expect(204)
  await (await f.caller('review')).call('delete', `/v1/collections/${id}`).expect(403)
  await f.get('collection', id)
})

test('the default level comes from the nearest setting, and null means named users only', async () => {
  const outer = await f.collection()
  const inner = await f.collection(outer)
  const space = await f.space(inner)
  const [member, guest] = [await f.caller('edit'), await f.caller(null)]
  const levels = async (o: string | null, i: string | null, s: string | null) => {
    for (const [kind, id, defaultLevel] of [
      ['collections', outer, o],
      ['collections', inner, i],
      ['spaces', space, s],
    ])
      await f.admin.call('patch', `/v1/${kind}/${id}`, { defaultLevel }).expect(200)
    return [
      await f.role(member, 'collection', outer),
      await f.role(member, 'collection', inner),
      await f.role(member, 'space', space),
    ]
  }
  assert.equal(await levels('inherit', 'inherit', 'inherit'), ['edit', 'edit', 'edit'])
  assert.equal(await levels('read', 'inherit', 'inherit'), ['read', 'read', 'read'])
  assert.equal(await levels('read', 'review', 'inherit'), ['read', 'review', 'review'])
  assert.equal(await levels(null, 'inherit', 'comment'), ['none', 'none', 'comment'])
  assert.equal(await levels('inherit', null, 'inherit'), ['edit', 'none', 'none'])
  assert.is(await f.role(guest, 'space', space), 'none')
  await f.grant('collection', outer, 'comment', [guest])
  assert.equal([await f.role(guest, 'collection', inner), await f.role(guest, 'space', space)], ['comment', 'comment'])
})

test('collection readers may read an in-collection space, and the aggregate explains it', async () => {
  const collection = await f.collection(null, {})
  const space = await f.space(collection)
  const alone = await f.space()
  await f.admin.call('patch', `/v1/spaces/${alone}`, { visibility: 'in-collection' }).expect(400)
  await f.admin.call('patch', `/v1/spaces/${space}`, { visibility: 'in-collection', defaultLevel: null }).expect(200)
  const [member, guest] = [await f.caller('edit'), await f.caller(null)]
  assert.equal([await f.role(member, 'space', space), await f.role(guest, 'space', space)], ['read', 'none'])
  const { items } = (await f.admin.call('get', `/v1/spaces/${space}/permissions/aggregate`).expect(200)).body
  const mine = items.find((one: { user: { id: string } }) => one.user.id === member.user)
  assert.equal(mine.sources, [{ type: 'visibility', permission: 'read', collection }])
  await f.admin.call('patch', `/v1/collections/${collection}`, { defaultLevel: null }).expect(200)
  assert.is(await f.role(member, 'space', space), 'none')
  await f.admin.call('patch', `/v1/collections/${collection}`, { defaultLevel: 'review' }).expect(200)
  assert.equal(
    [await f.role(member, 'collection', collection), await f.role(member, 'space', space)],
    ['review', 'read'],
  )
  await f.admin.call('patch', `/v1/spaces/${space}`, { visibility: 'private' }).expect(200)
  assert.is(await f.role(member, 'space', space), 'none')
})

test('space settings can be set or removed with null, and invalid ones are named', async () => {
  const space = await f.space()
  const patch = (body: object) => f.admin.call('patch', `/v1/spaces/${space}`, body)
  const full = {
    title: 'Handbook',
    emoji: '🦊',
    language: 'de',
    editMode: 'locked',
    defaultLevel: 'read',
    visibility: 'visitor-auth',
    visitorAuth: { backend: 'custom' },
  }
  const changed = (await patch(full).expect(200)).body
  for (const [field, value] of Object.entries(full)) assert.equal(changed[field], value)
  const again = (await patch(full).expect(200)).body
  assert.is(again.updatedAt, changed.updatedAt)
  const bare = (await patch({ language: null, visitorAuth: null, defaultLevel: null }).expect(200)).body
  assert.equal(
    ['language' in bare, 'visitorAuth' in bare, bare.defaultLevel, bare.title],
    [false, false, null, 'Handbook'],
  )
  for (const [body, where] of [
    [{ visitorAuth: { backend: 'integration', integration: 'auth0' } }, '/visitorAuth/integration'],
    [{ visitorAuth: { backend: 'other' } }, '/visitorAuth/backend'],
    [{ title: null }, '/title'],
    [{ parent: 'x' }, '/parent'],
  ] as const)
    assert.is((await patch(body).expect(400)).body.error.details[0].path, where)
  const told = (await allEvents(f.service.app.store)).filter(
    ({ subject, type }) => subject.space === space && type === 'space.updated',
  )
  assert.equal(
    told.map(({ data }) => (data.fields as string[]).length),
    [7, 3],
  )
})

test('space counters match the content after any change of the space', async () => {
  const id = await f.space()
  for (const status of ['draft', 'open', 'archived', 'merged']) {
    const { number } = (await f.admin.call('post', `/v1/spaces/${id}/change-requests`, { subject: status }).expect(201))
      .body
    if (status === 'merged') await f.admin.call('post', `/v1/spaces/${id}/change-requests/${number}/merge`).expect(200)
    else if (status !== 'draft')
      await f.admin.call('patch', `/v1/spaces/${id}/change-requests/${number}`, { status }).expect(200)
  }
  const comment = (await f.admin.call('post', `/v1/spaces/${id}/comments`, { body: { markdown: 'One' } }).expect(200))
    .body.id
  await f.admin.call('post', `/v1/spaces/${id}/comments`, { body: { markdown: 'Two' } }).expect(200)
  await f.admin.call('put', `/v1/spaces/${id}/comments/${comment}`, { resolved: true }).expect(200)
  const counters = async (space: string) => {
    const { comments, changeRequests, changeRequestsOpen, changeRequestsDraft } = (
      await f.admin.call('get', `/v1/spaces/${space}`).expect(200)
    ).body
    return [comments, changeRequests, changeRequestsOpen, changeRequestsDraft]
  }
  assert.equal(await counters(id), [1, 4, 1, 1])
  const collection = await f.collection()
  const copy = (await f.admin.call('post', `/v1/spaces/${id}/duplicate`).expect(201)).body.id
  assert.equal(await counters(copy), [0, 0, 0, 0])
  await f.admin.call('post', `/v1/spaces/${id}/move`, { parent: collection }).expect(200)
  await f.admin.call('delete', `/v1/spaces/${id}`).expect(204)
  await f.admin.call('delete', `/v1/collections/${collection}`).expect(204)
  await f.admin.call('post', `/v1/spaces/${id}/restore`).expect(200)
  assert.equal(await counters(id), [1, 4, 1, 1])
})

test('collections can be nested 32 deep, and no deeper', async () => {
  let parent: string | null = null
  for (let depth = 1; depth <= 32; depth++) parent = await f.collection(parent)
  await f.admin.call('post', `/v1/orgs/${f.organization}/collections`, { parent }).expect(400)
  const space = await f.space(parent)
  assert.is(await f.role(await f.caller('read'), 'space', space), 'read')
  const pair = await f.collection()
  await f.collection(pair)
  const { error } = (await f.admin.call('post', `/v1/collections/${pair}/move`, { parent }).expect(400)).body
  assert.is(error.details[0].path, '/parent')
})

test('a space counts among the spaces of each collection above it', async () => {
  const member = await f.caller('edit')
  const counted = async (): Promise<number> =>
    (await f.admin.call('get', `/v1/orgs/${f.organization}/members/${member.user}`).expect(200)).body.spaces
  const before = await counted()
  const space = await f.space(await f.collection())
  await f.admin.call('patch', `/v1/spaces/${space}`, { defaultLevel: null }).expect(200)
  assert.is(await counted(), before)
  await f.admin.call('patch', `/v1/spaces/${space}`, { visibility: 'in-collection' }).expect(200)
  assert.equal([await f.role(member, 'space', space), await counted()], ['read', before + 1])
  const { items } = (
    await f.admin.call('get', `/v1/orgs/${f.organization}/members/${member.user}/spaces?limit=1000`).expect(200)
  ).body
  assert.is(items.find((one: { space: { id: string } }) => one.space.id === space)?.permission, 'read')
})

test.run()
