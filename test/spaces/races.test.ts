import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { Aggregation } from '../../src/domain/roles/aggregate-permissions.js'
import { contentRole } from '../../src/domain/roles/access.js'
import { collections, memberships, spaces } from '../../src/model/index.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from './fixture.js'

let other: string
const [test, f] = await suiteWith('collections: races', startFixture)
test.before(async () => {
  other = (await f.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
})

const post = (path: string, body: object = {}) => f.admin.call('post', path, body)
const statuses = (responses: readonly { status: number }[]): number[] => responses.map(({ status }) => status).sort()

/**
 * Every collection leads to the top level, every item belongs to the organization of its parent, and keys are unique in
 * each collection.
 */
async function sound(): Promise<void> {
  const { store } = f.service.app
  const all = new Map((await store.all(collections)).map((doc) => [doc.id, doc]))
  const places = new Map<string, Set<string>>()
  for (const doc of [...all.values(), ...(await store.all(spaces))]) {
    let at: { id: string; parent?: string; organization: string } = doc
    for (let depth = 0; at.parent !== undefined; depth++) {
      assert.ok(depth < 40, `a cycle above ${doc.id}`)
      const parent = all.get(at.parent)
      assert.ok(parent, `the parent of ${at.id} is gone`)
      assert.is(parent.organization, at.organization)
      at = parent
    }
    const place = `${doc.organization}/${doc.parent ?? ''}`
    const keys = places.get(place) ?? new Set()
    assert.not.ok(keys.has(doc.position ?? doc.id), `a key twice in ${place}`)
    places.set(place, keys.add(doc.position ?? doc.id))
  }
}

test('two collections that are moved into each other do not form a cycle', async () => {
  for (let round = 0; round < 10; round++) {
    const [a, b] = [await f.collection(), await f.collection()]
    const responses = await Promise.all([
      post(`/v1/collections/${a}/move`, { parent: b }),
      post(`/v1/collections/${b}/move`, { parent: a }),
    ])
    assert.equal(statuses(responses), [200, 409])
    await sound()
  }
})

test('concurrent moves in a ring never form a cycle', async () => {
  const ring = await Promise.all(Array.from({ length: 6 }, () => f.collection()))
  const responses = await Promise.all(
    ring.map((id, i) => post(`/v1/collections/${id}/move`, { parent: ring[(i + 1) % ring.length] })),
  )
  assert.equal(statuses(responses), [200, 200, 200, 200, 200, 409])
  await sound()
})

test('concurrent moves leave each item in one place with a unique key', async () => {
  const places = await Promise.all([f.collection(), f.collection(), f.collection()])
  const target = places[0] as string
  const fixed = await f.space(target)
  const one = await f.space()
  const many = await Promise.all(Array.from({ length: 6 }, () => f.space()))
  const responses = await Promise.all([
    ...places.map((parent) => post(`/v1/spaces/${one}/move`, { parent })),
    ...many.map((id) =>
      post(`/v1/spaces/${id}/move`, { parent: target, position: { before: { type: 'space', space: fixed } } }),
    ),
  ])
  assert.ok(responses.every(({ status }) => status === 200))
  const homes = (await Promise.all(places.map((place) => f.order(place)))).filter((order) => order.includes(one))
  assert.is(homes.length, 1)
  assert.equal((await f.order(target)).filter((id) => id !== one).slice(-1), [fixed])
  await sound()
})

test('deleting a collection while its spaces change loses none of them', async () => {
  for (let round = 0; round < 6; round++) {
    const parent = await f.collection()
    const gone = await f.collection(parent)
    const [moved, restored, leaving] = [await f.space(), await f.space(gone), await f.space(gone)]
    await f.admin.call('delete', `/v1/spaces/${restored}`).expect(204)
    const [deleted, ...responses] = await Promise.all([
      f.admin.call('delete', `/v1/collections/${gone}`),
      post(`/v1/orgs/${f.organization}/spaces`, { parent: gone }),
      post(`/v1/orgs/${f.organization}/collections`, { parent: gone }),
      post(`/v1/spaces/${moved}/move`, { parent: gone }),
      post(`/v1/spaces/${restored}/restore`),
      post(`/v1/spaces/${leaving}/transfer`, { organization: other }),
      f.admin.call('patch', `/v1/collections/${gone}`, { title: 'Changed' }),
    ])
    assert.is(deleted?.status, 204)
    for (const { status } of responses) assert.ok([200, 201, 400, 404].includes(status), String(status))
    for (const id of [moved, restored, leaving]) await f.get('space', id)
    const made = responses[0]?.body.id
    if (made) await f.get('space', made)
    await sound()
  }
})

test('changes to a space never fail during its deletion and restoration', async () => {
  const parent = await f.collection()
  for (let round = 0; round < 5; round++) {
    const id = await f.space()
    const responses = await Promise.all([
      f.admin.call('patch', `/v1/spaces/${id}`, { title: 'Changed' }),
      f.admin.call('delete', `/v1/spaces/${id}`),
      post(`/v1/spaces/${id}/move`, { parent }),
      post(`/v1/spaces/${id}/duplicate`),
      f.admin.call('patch', `/v1/spaces/${id}`, { visibility: 'in-collection' }),
    ])
    for (const { status } of responses) assert.ok([200, 201, 204, 400, 404].includes(status), String(status))
    await f.admin.call('get', `/v1/spaces/${id}`).expect(404)
    const back = await Promise.all([post(`/v1/spaces/${id}/restore`), post(`/v1/spaces/${id}/restore`)])
    assert.equal(statuses(back), [200, 409])
    await sound()
  }
})

test('concurrent transfers and changes leave every item in one organization', async () => {
  for (let round = 0; round < 5; round++) {
    const top = await f.collection()
    const inner = await f.collection(top)
    const inside = await Promise.all([f.space(top), f.space(inner), f.space(inner)])
    const [first, ...rest] = inside as [string, string, string]
    const responses = await Promise.all([
      post(`/v1/collections/${top}/transfer`, { organization: other }),
      post(`/v1/collections/${top}/transfer`, { organization: other }),
      post(`/v1/collections/${inner}/transfer`, { organization: other }),
      post(`/v1/spaces/${first}/move`, { parent: inner }),
      post(`/v1/spaces/${rest[0]}/move`, { parent: null }),
      f.admin.call('patch', `/v1/spaces/${rest[1]}`, { title: 'Changed' }),
      f.admin.call('delete', `/v1/spaces/${first}`),
      post(`/v1/spaces/${first}/duplicate`),
    ])
    for (const { status } of responses) assert.ok([200, 201, 204, 404, 409].includes(status), String(status))
    assert.equal(statuses(responses.slice(0, 2)), [200, 409])
    await sound()
  }
})

test(
  'order and roles stay consistent after any moves, deletions and transfers',
  async () => {
    const member = await f.caller('edit')
    const step = fc.record({
      what: fc.nat(9),
      where: fc.nat(9),
      next: fc.nat(9),
      kind: fc.constantFrom('move', 'move', 'move', 'end', 'delete', 'transfer'),
    })
    const root = await f.collection()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const nests = [root, await f.collection(root), await f.collection(root)]
        const items = [
          ...nests.slice(1).map((id) => ({ kind: 'collection' as const, id })),
          ...(await Promise.all([f.space(root), f.space(root), f.space(nests[1])])).map((id) => ({
            kind: 'space' as const,
            id,
          })),
        ]
        for (const { what, where, next, kind } of steps) {
          const item = items[what % items.length] as (typeof items)[number]
          const parent = nests[where % nests.length] as string
          if (kind === 'delete') {
            await f.admin.call('delete', `/v1/${item.kind}s/${item.id}`).expect(204)
            if (item.kind === 'space') await post(`/v1/spaces/${item.id}/restore`).expect(200)
            else {
              nests.splice(nests.indexOf(item.id), 1)
              items.splice(items.indexOf(item), 1)
            }
            continue
          }
          if (kind === 'transfer') {
            const { status } = await post(`/v1/${item.kind}s/${item.id}/transfer`, { organization: other })
            assert.is(status, 200)
            await post(`/v1/${item.kind}s/${item.id}/transfer`, { organization: f.organization, parent: root }).expect(
              200,
            )
            assert.is((await f.order(root)).at(-1), item.id)
            continue
          }
          const before = (await f.order(parent)).filter((id) => id !== item.id)
          const sibling =
            kind === 'end' ? undefined : items.find(({ id }) => id === before[next % Math.max(1, before.length)])
          const position = sibling && { position: { before: { type: sibling.kind, [sibling.kind]: sibling.id } } }
          const { status } = await post(`/v1/${item.kind}s/${item.id}/move`, { parent, ...position })
          assert.ok([200, 400, 409].includes(status), String(status))
          if (status !== 200) continue
          const at = sibling ? before.indexOf(sibling.id) : before.length
          assert.equal(await f.order(parent), before.toSpliced(at, 0, item.id))
        }
        await sound()
        const { store } = f.service.app
        const membership = await store.get(memberships, `${f.organization}:${member.user}`)
        const listed = (
          await member.call('get', `/v1/orgs/${f.organization}/spaces?limit=1000`).expect(200)
        ).body.items.map((one: { id: string }) => one.id)
        for (const { kind, id } of items) {
          const doc = kind === 'space' ? await store.get(spaces, id) : await store.get(collections, id)
          if (!doc || !membership) throw new Error(`${id} is gone`)
          const role = await contentRole(store, member.user, { ...doc, kind })
          assert.is((await Aggregation.of(store, { ...doc, kind })).role(membership), role)
          if (kind === 'space') assert.is(listed.includes(id), role !== null)
        }
      }),
      { numRuns: 25 },
    )
  },
  { timeoutMs: 240_000 },
)

test.run()
