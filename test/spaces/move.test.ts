import * as assert from 'uvu/assert'
import { spaces } from '../../src/model/index.js'
import { allEvents } from '../support/events.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from './fixture.js'

const [test, f] = await suiteWith('collections: move', startFixture)

const move = (kind: 'space' | 'collection', id: string, body: object, who = f.admin) =>
  who.call('post', `/v1/${kind}s/${id}/move`, body)
const space = (id: string) => ({ type: 'space', space: id })
const collection = (id: string) => ({ type: 'collection', collection: id })

test('an item can move before and after others, to the end, and out again', async () => {
  const parent = await f.collection()
  const [a, c, b] = [await f.space(parent), await f.collection(parent), await f.space(parent)]
  assert.equal(await f.order(parent), [a, c, b])
  assert.is((await move('space', b, { position: { before: collection(c) } }).expect(200)).body.parent, parent)
  assert.equal(await f.order(parent), [a, b, c])
  await move('collection', c, { position: { before: space(a) } }).expect(200)
  assert.equal(await f.order(parent), [c, a, b])
  await move('space', a, { position: { after: space(b) } }).expect(200)
  assert.equal(await f.order(parent), [c, b, a])
  await move('collection', c, {}).expect(200)
  assert.equal(await f.order(parent), [b, a, c])
  const out = (await move('space', a, { parent: null }).expect(200)).body
  assert.not.ok('parent' in out)
  assert.equal([await f.order(parent), (await f.order()).at(-1)], [[b, c], a])
  const into = (await move('space', a, { parent: c }).expect(200)).body
  assert.equal([into.parent, await f.order(c)], [c, [a]])
  const back = (await move('space', a, { parent, position: { before: space(b) } }).expect(200)).body
  assert.equal([back, await f.order(parent)], [await f.get('space', a), [a, b, c]])
})

test('an item moves between two others, or to the end without a position', async () => {
  const parent = await f.collection()
  const [a, b, c, d] = [await f.space(parent), await f.space(parent), await f.collection(parent), await f.space(parent)]
  await move('space', d, { position: { before: space(b), after: space(a) } }).expect(200)
  assert.equal(await f.order(parent), [a, d, b, c])
  await move('space', d, { position: { before: space(b), after: space(a) } }).expect(409)
  await move('space', d, { position: { before: space(a), after: collection(c) } }).expect(400)
  await move('space', d, { position: {} }).expect(200)
  assert.equal(await f.order(parent), [a, b, c, d])
  await f.admin.call('post', `/v1/spaces/${a}/move`).expect(200)
  await f.admin.call('post', `/v1/collections/${c}/move`).expect(200)
  assert.equal(await f.order(parent), [b, d, a, c])
  await f.admin.call('post', `/v1/collections/${c}/move`).expect(409)
})

test('a move that changes nothing is a 409 in every notation', async () => {
  const parent = await f.collection()
  const [a, b, last] = [await f.space(parent), await f.collection(parent), await f.space(parent)]
  await move('space', last, {}).expect(409)
  await move('space', last, { parent }).expect(409)
  await move('space', last, { position: { after: collection(b) } }).expect(409)
  await move('collection', b, { position: { after: space(a) } }).expect(409)
  await move('collection', b, { position: { before: space(last) } }).expect(409)
  // A deleted space between two others is ignored for all users.
  await f.admin.call('delete', `/v1/collections/${b}`).expect(204)
  const hidden = await f.space(parent)
  await move('space', hidden, { position: { after: space(a) } }).expect(200)
  await f.admin.call('delete', `/v1/spaces/${hidden}`).expect(204)
  await move('space', a, { position: { before: space(last) } }).expect(409)
  await move('space', last, { position: { after: space(a) } }).expect(409)
  await f.admin.call('post', `/v1/spaces/${hidden}/restore`).expect(200)
  assert.equal(await f.order(parent), [a, hidden, last])
})

test('a move with an invalid parent or position is a 400 with the reason', async () => {
  const parent = await f.collection()
  const [inside, beside, outside, gone] = [
    await f.space(parent),
    await f.space(parent),
    await f.space(),
    await f.space(parent),
  ]
  await f.admin.call('delete', `/v1/spaces/${gone}`).expect(204)
  const other = (await f.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  const foreign = (await f.admin.call('post', `/v1/orgs/${other}/collections`).expect(201)).body.id
  const cases: [body: object, where: string][] = [
    [{ parent: 'nothing' }, '/parent'],
    [{ parent: foreign }, '/parent'],
    [{ parent: outside }, '/parent'],
    [{ position: { before: space(beside), after: space(beside) } }, '/position'],
    [{ position: { before: space(beside), after: space(outside) } }, '/position/after'],
    [{ position: { before: space(inside) } }, '/position/before'],
    [{ position: { after: space(outside) } }, '/position/after'],
    [{ position: { after: space(gone) } }, '/position/after'],
    [{ position: { after: collection(beside) } }, '/position/after'],
    [{ position: { before: collection(parent) } }, '/position/before'],
    [{ parent: null, position: { before: space(beside) } }, '/position/before'],
    [{ position: { before: { type: 'space', id: beside } } }, '/position/before/space'],
    [{ position: { before: { type: 'page', page: beside } } }, '/position/before/type'],
  ]
  for (const [body, where] of cases) {
    const { error } = (await move('space', inside, body).expect(400)).body
    assert.ok(
      error.details.some((detail: { path: string }) => detail.path.startsWith(where)),
      `${JSON.stringify(body)}: ${JSON.stringify(error)}`,
    )
  }
  await move('space', gone, {}).expect(404)
  assert.equal(await f.order(parent), [inside, beside])
})

test('a collection can move neither into itself nor into its content', async () => {
  const a = await f.collection()
  const b = await f.collection(a)
  const c = await f.collection(b)
  await move('collection', a, { parent: a }).expect(400)
  await move('collection', a, { parent: b }).expect(409)
  await move('collection', a, { parent: c }).expect(409)
  await move('collection', c, { parent: a }).expect(200)
  await move('collection', b, { parent: c }).expect(200)
  assert.equal([await f.order(a), await f.order(c)], [[c], [b]])
})

test('a move requires the role create on the item and on both parents', async () => {
  const [from, to] = [await f.collection(), await f.collection()]
  const id = await f.space(from)
  for (const one of [from, to])
    await f.admin.call('patch', `/v1/collections/${one}`, { defaultLevel: 'read' }).expect(200)
  const who = await f.caller('create')
  await move('space', id, { parent: to }, who).expect(403)
  await f.grant('space', id, 'create', [who])
  await move('space', id, { parent: to }, who).expect(403)
  await f.grant('collection', from, 'create', [who])
  await move('space', id, { parent: to }, who).expect(403)
  await move('space', id, { parent: null }, who).expect(200)
  await move('space', id, { parent: to }, who).expect(403)
  await f.grant('collection', to, 'create', [who])
  await move('space', id, { parent: to }, who).expect(200)
  const guest = await f.caller(null)
  await f.grant('collection', to, 'create', [guest])
  await move('space', id, { parent: null }, guest).expect(403)
  await move('space', id, { parent: from }, guest).expect(400)
  // A user who sees it only through its collection cannot move it to where they would not see it.
  await f.admin.call('patch', `/v1/spaces/${id}`, { defaultLevel: null }).expect(200)
  await f.admin.call('delete', `/v1/spaces/${id}/permissions/users/${who.user}`).expect(204)
  await move('space', id, { parent: null }, who).expect(409)
})

test('a sibling that the caller may not see is treated as missing', async () => {
  const parent = await f.collection()
  const [seen, unseen] = [await f.space(parent), await f.space(parent)]
  await f.admin.call('patch', `/v1/spaces/${unseen}`, { defaultLevel: null }).expect(200)
  const who = await f.caller('create')
  await move('space', seen, { position: { after: space(unseen) } }, who).expect(400)
  await move('space', seen, {}, who).expect(200)
  assert.equal(await f.order(parent), [unseen, seen])
})

test('a moved space inherits from its new parent, and in-collection is private at the top', async () => {
  const [open, closed] = [await f.collection(), await f.collection()]
  await f.admin.call('patch', `/v1/collections/${closed}`, { defaultLevel: null }).expect(200)
  const id = await f.space(open)
  const reader = await f.caller('read')
  await f.admin.call('patch', `/v1/spaces/${id}`, { visibility: 'in-collection' }).expect(200)
  assert.is(await f.role(reader, 'space', id), 'read')
  assert.is((await move('space', id, { parent: closed }).expect(200)).body.visibility, 'in-collection')
  assert.is(await f.role(reader, 'space', id), 'none')
  assert.is((await move('space', id, { parent: null }).expect(200)).body.visibility, 'private')
  assert.is(await f.role(reader, 'space', id), 'read')
})

test('spaces without a stored position come first, by creation time, and can be moved', async () => {
  const parent = await f.collection()
  const { store } = f.service.app
  const old = [await f.space(parent), await f.space(parent), await f.space(parent)]
  for (const [i, id] of old.entries()) {
    const doc = await store.get(spaces, id)
    if (!doc) throw new Error('no space')
    const { position: _none, ...rest } = doc
    await store.replace(spaces, { ...rest, createdAt: `2020-01-0${3 - i}T00:00:00.000Z` } as typeof doc)
  }
  const [x, y, z] = old as [string, string, string]
  const fresh = await f.space(parent)
  assert.equal(await f.order(parent), [z, y, x, fresh])
  await move('space', fresh, { position: { before: space(x) } }).expect(200)
  assert.equal(await f.order(parent), [z, y, fresh, x])
  await move('space', z, {}).expect(200)
  assert.equal(await f.order(parent), [y, fresh, x, z])
})

test('a duplicate comes right after the original, and a move creates an event', async () => {
  const parent = await f.collection()
  const [a, b] = [await f.space(parent), await f.space(parent)]
  const copy = (await f.admin.call('post', `/v1/spaces/${a}/duplicate`).expect(201)).body
  assert.equal([copy.parent, await f.order(parent)], [parent, [a, copy.id, b]])
  await move('space', a, { parent: null }).expect(200)
  const [told] = (await allEvents(f.service.app.store)).filter(
    ({ type, subject }) => type === 'space.moved' && subject.space === a,
  )
  assert.equal([told?.actor, told?.data], [f.admin.user, { from: parent, to: null }])
})

test.run()
