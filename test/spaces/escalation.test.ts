import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { newMembership } from '../../src/domain/people/organizations.js'
import { memberships, type Role } from '../../src/model/index.js'
import type { Caller } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from './fixture.js'

const [test, f] = await suiteWith('collections: no privilege escalation', startFixture)

const level = (kind: 'space' | 'collection', id: string, defaultLevel: Role | null) =>
  f.admin.call('patch', `/v1/${kind}s/${id}`, { defaultLevel }).expect(200)
const to = (who: Caller, verb: 'move' | 'transfer', parent: string) => (id: string) =>
  who.call(
    'post',
    `/v1/collections/${id}/${verb}`,
    verb === 'move' ? { parent } : { organization: f.organization, parent },
  )

/** A user who may create content, with a collection of which they are the admin, and another one with a space in it. */
async function detour() {
  const bob = await f.caller('create')
  const mine = await f.collection()
  await f.grant('collection', mine, 'admin', [bob])
  const shelf = await f.collection()
  return { bob, mine, shelf, space: await f.space(await f.collection(shelf)) }
}

for (const verb of ['move', 'transfer'] as const)
  for (const hidden of [null, 'read'] as const)
    test(`${verb}: a collection with content that is ${hidden === null ? 'hidden' : 'only to be read'} is rejected`, async () => {
      const { bob, mine, shelf, space } = await detour()
      await level('space', space, hidden)
      const before = await f.role(bob, 'space', space)
      const { body } = await to(bob, verb, mine)(shelf).expect(verb === 'move' ? 403 : 412)
      assert.is(body.error.details.length, 1)
      assert.is(
        body.error.details[0].message.includes(space),
        hidden !== null,
        'what the caller cannot see is not named',
      )
      assert.is(await f.role(bob, 'space', space), before)
      await to(f.admin, verb, mine)(shelf).expect(200)
    })

test('a deleted hidden space counts too, because it can be restored', async () => {
  const { bob, mine, shelf, space } = await detour()
  await level('space', space, null)
  await f.admin.call('delete', `/v1/spaces/${space}`).expect(204)
  await to(bob, 'move', mine)(shelf).expect(403)
})

test('a user who may create everywhere in a collection can move it among its siblings', async () => {
  const { bob, mine, shelf, space } = await detour()
  await to(bob, 'move', mine)(shelf).expect(200)
  await level('space', space, null)
  await f.collection(mine)
  await bob.call('post', `/v1/collections/${shelf}/move`, {}).expect(200)
})

for (const rule of [{ requiredApprovals: 1 }, { editMode: 'locked' }])
  test(`a rule that only admins may lift cannot be bypassed: ${JSON.stringify(rule)}`, async () => {
    const { bob, mine, shelf, space } = await detour()
    const patch = (who: Caller, body: object) => who.call('patch', `/v1/spaces/${space}`, body)
    await patch(f.admin, rule).expect(200)
    await patch(bob, { requiredApprovals: 0, editMode: 'live' }).expect(403)
    for (const verb of ['move', 'transfer'] as const) {
      assert.match((await to(bob, verb, mine)(shelf).expect(403)).body.error.message, /only its admins may change/)
      const own = verb === 'move' ? { parent: mine } : { organization: f.organization, parent: mine }
      await bob.call('post', `/v1/spaces/${space}/${verb}`, own).expect(403)
    }
    const away = (await bob.call('post', '/v1/orgs', { title: 'Bob’s own' }).expect(201)).body.id
    await bob.call('post', `/v1/spaces/${space}/transfer`, { organization: away }).expect(403)
    assert.is(await f.role(bob, 'space', space), 'create')
    await f.admin.call('post', `/v1/spaces/${space}/move`, { parent: mine }).expect(200)
  })

for (const parent of ['a collection', 'the top level'] as const)
  test(`a user with a role only on a space cannot add content next to it: ${parent}`, async () => {
    const dan = await f.caller('read')
    const shelf = parent === 'a collection' ? await f.collection() : undefined
    const space = await f.space(shelf)
    await f.grant('space', space, 'create', [dan])
    const before = await f.order(shelf)
    const { message } = (await dan.call('post', `/v1/spaces/${space}/duplicate`).expect(403)).body.error
    assert.match(
      message,
      new RegExp(`not allowed to add to ${parent === 'a collection' ? 'the collection' : 'the top level'}`),
    )
    assert.equal(await f.order(shelf), before)
    await dan.call('delete', `/v1/spaces/${space}`).expect(204)
    await dan.call('post', `/v1/spaces/${space}/restore`).expect(403)
    await f.admin.call('post', `/v1/spaces/${space}/restore`).expect(200)
    const eve = await f.caller('create')
    await eve.call('post', `/v1/spaces/${space}/duplicate`).expect(201)
  })

test('a rejected duplicate creates no repository', async () => {
  const dan = await f.caller('read')
  const space = await f.space()
  await f.grant('space', space, 'create', [dan])
  const repositories = async () => (await readdir(join(f.dir, 'repos'))).length
  const before = await repositories()
  await dan.call('post', `/v1/spaces/${space}/duplicate`).expect(403)
  assert.is(await repositories(), before)
})

test('roles from another organization are limited to the role of the user who brings them', async () => {
  const bob = await f.caller('create')
  const friend = await f.caller('read')
  const team = await f.team([friend])
  const own = (await bob.call('post', '/v1/orgs', { title: 'Own' }).expect(201)).body.id as string
  await f.service.app.store.insert(memberships, newMembership(own, friend.user, 'read', new Date().toISOString()))
  const space = await f.space()
  await f.grant('space', space, 'admin', [], [team])
  const transfer = (organization: string) => bob.call('post', `/v1/spaces/${space}/transfer`, { organization })
  await transfer(own).expect(200)
  await bob
    .call('post', `/v1/spaces/${space}/permissions`, { role: 'admin', users: [bob.user, friend.user] })
    .expect(204)
  await bob.call('patch', `/v1/spaces/${space}`, { defaultLevel: 'admin' }).expect(200)
  const { details } = (await transfer(f.organization).expect(412)).body.error
  assert.equal(details.length, 2)
  await bob.call('patch', `/v1/spaces/${space}`, { defaultLevel: 'edit' }).expect(200)
  assert.match(
    (await transfer(f.organization).expect(412)).body.error.message,
    /2 users or teams of that organization would have a role above your own/,
  )
  await bob
    .call('post', `/v1/spaces/${space}/permissions`, { role: 'create', users: [bob.user, friend.user] })
    .expect(204)
  await transfer(f.organization).expect(200)
  assert.equal(
    [await f.role(bob, 'space', space), await f.role(friend, 'space', space)],
    ['create', 'admin'],
    'what the organization itself had given to a team is its own',
  )
})

test.run()
