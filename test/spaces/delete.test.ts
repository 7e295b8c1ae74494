import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { contentRole, viewerOf } from '../../src/domain/roles/access.js'
import { Aggregation } from '../../src/domain/roles/aggregate-permissions.js'
import { rolesOf } from '../../src/domain/roles/roles-of-list.js'
import {
  collections,
  type DefaultLevel,
  grants,
  membershipId,
  memberships,
  type Role,
  roles,
  spaces,
} from '../../src/model/index.js'
import { allEvents } from '../support/events.js'
import type { Caller } from '../support/service.js'
import { runs } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from './fixture.js'

const [test, f] = await suiteWith('collections: delete', startFixture)

const remove = (id: string, who = f.admin) => who.call('delete', `/v1/collections/${id}`)

test('the content of a deleted collection moves to its position, in the same order', async () => {
  const parent = await f.collection()
  const before = await f.space(parent)
  const gone = await f.collection(parent)
  const after = await f.space(parent)
  const [a, b, c] = [await f.space(gone), await f.collection(gone), await f.space(gone)]
  const deep = await f.space(b)
  await f.grant('collection', gone, 'edit', [await f.caller(null)])
  await remove(gone).expect(204)
  assert.equal([await f.order(parent), await f.order(b)], [[before, a, b, c, after], [deep]])
  await remove(parent).expect(204)
  assert.equal((await f.order()).slice(-5), [before, a, b, c, after])
  const { store } = f.service.app
  assert.equal(
    [await store.find(grants, 'target', `collection:${gone}`), await store.find(spaces, 'parent', gone)],
    [[], []],
  )
  const told = (await allEvents(store)).filter(({ data }) => data.because !== undefined && data.from === gone)
  assert.equal(
    told.map(({ type, subject, data }) => [type, subject.space ?? subject.collection, data.to]),
    [
      ['space.moved', a, parent],
      ['collection.moved', b, parent],
      ['space.moved', c, parent],
    ],
  )
})

test("a space of a deleted collection is restored next to the collection's former content", async () => {
  const outer = await f.collection()
  const inner = await f.collection(outer)
  const [space, other] = [await f.space(inner), await f.space(outer)]
  await f.admin.call('patch', `/v1/collections/${inner}`, { defaultLevel: null }).expect(200)
  await f.admin.call('delete', `/v1/spaces/${space}`).expect(204)
  await remove(inner).expect(204)
  await remove(outer).expect(204)
  const back = (await f.admin.call('post', `/v1/spaces/${space}/restore`).expect(200)).body
  assert.equal(
    ['parent' in back, back.defaultLevel, await f.role(await f.caller('create'), 'space', space)],
    [false, null, 'none'],
  )
  assert.equal((await f.order()).slice(-2), [space, other])
})

test('deleting a nonempty collection requires the right to add to its parent', async () => {
  const parent = await f.collection()
  await f.admin.call('patch', `/v1/collections/${parent}`, { defaultLevel: 'read' }).expect(200)
  const id = await f.collection(parent)
  const space = await f.space(id)
  const who = await f.caller('edit')
  await remove(id, who).expect(403)
  await f.grant('collection', id, 'create', [who])
  assert.match((await remove(id, who).expect(403)).body.error.message, 'Move the content elsewhere first')
  await f.admin.call('post', `/v1/spaces/${space}/move`, { parent: null }).expect(200)
  await remove(id, who).expect(204)
  await f.get('space', space)
})

const level = fc.constantFrom<DefaultLevel>('inherit', null, 'read', 'edit', 'create')
const given = fc.array(
  fc.record({
    on: fc.constantFrom('parent', 'gone', 'space', 'nested'),
    who: fc.nat(5),
    role: fc.constantFrom<Role>(...roles),
  }),
  {
    maxLength: 6,
  },
)

test(
  "deleting a collection changes no user's access",
  async () => {
    const { app } = f.service
    const people: Caller[] = []
    for (const role of [null, null, 'read', 'edit', 'create'] as const) people.push(await f.caller(role))
    const team = await f.team([people[1] as Caller, people[2] as Caller])
    const principal = (who: number) => (people[who] ? `user:${people[who].user}` : `team:${team}`)
    const run = { n: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          top: fc.boolean(),
          parent: level,
          gone: level,
          space: level,
          nested: level,
          inNested: level,
          visibility: fc.boolean(),
          given,
        }),
        async (given) => {
          const suffix = ++run.n
          const id = (name: string) => `${name}-${suffix}`
          const { organization } = f
          const seed = await app.store.get(spaces, await seedSpace())
          await app.store.transact(async (tx) => {
            const nest = (name: string, defaultLevel: DefaultLevel, parent?: string) =>
              tx.insert(collections, {
                id: id(name),
                organization,
                title: name,
                defaultLevel,
                createdAt: '',
                ...(parent ? { parent: id(parent) } : {}),
              })
            await nest('parent', given.parent)
            await nest('gone', given.gone, given.top ? undefined : 'parent')
            await nest('nested', given.nested, 'gone')
            const { version: _seed, position: _place, ...space } = seed as NonNullable<typeof seed>
            const visibility = given.visibility ? 'in-collection' : 'private'
            await tx.insert(spaces, {
              ...space,
              id: id('space'),
              parent: id('gone'),
              defaultLevel: given.space,
              visibility,
            })
            await tx.insert(spaces, {
              ...space,
              id: id('inNested'),
              parent: id('nested'),
              defaultLevel: given.inNested,
              visibility,
            })
            for (const { on, who, role } of given.given) {
              const target = `${on === 'space' ? 'space' : 'collection'}:${id(on)}`
              const grant = { id: `${target}:${principal(who)}`, target, principal: principal(who), role }
              if (!(await tx.get(grants, grant.id))) await tx.insert(grants, grant)
            }
          })
          const access = async () => {
            const found = [
              { kind: 'space' as const, doc: await app.store.get(spaces, id('space')) },
              { kind: 'space' as const, doc: await app.store.get(spaces, id('inNested')) },
              { kind: 'collection' as const, doc: await app.store.get(collections, id('nested')) },
            ]
            const roles: (Role | null)[] = []
            for (const { kind, doc } of found) {
              if (!doc) throw new Error('it is gone')
              const content = { ...doc, kind }
              const aggregation = await Aggregation.of(app.store, content)
              for (const { user } of people) {
                const role = await contentRole(app.store, user, content)
                roles.push(role)
                // The other two ways to a role, for lists and for everyone, agree.
                assert.equal(await rolesOf(app.store, await viewerOf(app.store, user, organization), kind, [content]), [
                  role,
                ])
                const membership = await app.store.get(memberships, membershipId(organization, user))
                assert.is(membership && aggregation.role(membership), role)
              }
            }
            return roles
          }
          const before = await access()
          await remove(id('gone')).expect(204)
          assert.equal(await access(), before)
        },
      ),
      { numRuns: runs(50, 750) },
    )
  },
  { timeoutMs: 180_000 },
)

let seeded = ''
const seedSpace = async (): Promise<string> => {
  if (seeded === '') seeded = await f.space()
  return seeded
}

test.run()
