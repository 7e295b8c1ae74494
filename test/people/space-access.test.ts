import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { roleOn, viewerOf } from '../../src/domain/roles/access.js'
import { newMembership } from '../../src/domain/people/organizations.js'
import { loadSpaceAccess } from '../../src/domain/roles/space-access.js'
import {
  type CollectionDoc,
  collections,
  grants,
  memberships,
  roles,
  type SpaceDoc,
  spaces,
  teamMembers,
} from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('people: number of visible spaces')

const level = fc.constantFrom('inherit' as const, null, ...roles)
const parent = fc.option(fc.nat(5), { nil: undefined })
const world = fc.record({
  collections: fc.array(fc.record({ level, parent }), { minLength: 6, maxLength: 6 }),
  spaces: fc.array(fc.record({ level, parent, open: fc.boolean(), deleted: fc.boolean() }), { maxLength: 12 }),
  members: fc.array(fc.constantFrom(null, ...roles), { minLength: 4, maxLength: 4 }),
  grants: fc.array(
    fc.record({
      to: fc.nat(5),
      kind: fc.constantFrom('space', 'collection'),
      on: fc.nat(11),
      role: fc.constantFrom(...roles),
    }),
    {
      maxLength: 8,
    },
  ),
})

test(
  'space counts match asking for every space one by one',
  async () => {
    const here = await startService({ overrides: { withoutWorker: true } })
    const { store } = here.service.app
    let round = 0
    try {
      await fc.assert(
        fc.asyncProperty(world, async (made) => {
          const org = `o${++round}`
          // Collection i may be in an earlier one, so there are no cycles.
          const inside = (at: number | undefined, below: number) =>
            at !== undefined && at < below ? { parent: `${org}-c${at}` } : {}
          await store.transact(async (tx) => {
            for (const [i, one] of made.collections.entries())
              await tx.insert(collections, {
                id: `${org}-c${i}`,
                organization: org,
                createdAt: 'x',
                defaultLevel: one.level,
                ...inside(one.parent, i),
              } as CollectionDoc)
            for (const [i, one] of made.spaces.entries()) {
              const visibility = one.open ? 'in-collection' : 'private'
              const more = { ...inside(one.parent, 6), ...(one.deleted ? { deletedAt: 'x' } : {}) }
              await tx.insert(spaces, {
                id: `${org}-s${i}`,
                organization: org,
                createdAt: 'x',
                defaultLevel: one.level,
                visibility,
                ...more,
              } as SpaceDoc)
            }
            for (const [i, role] of made.members.entries())
              await tx.insert(memberships, newMembership(org, `m${i}`, role, 'x'))
            for (const [team, user] of [
              [0, 0],
              [0, 1],
              [1, 2],
            ]) {
              const place = { organization: org, team: `${org}-t${team}`, user: `m${user}`, role: 'member' as const }
              await tx.insert(teamMembers, { id: `${place.team}:${place.user}`, ...place })
            }
            for (const [i, { to, kind, on, role }] of made.grants.entries()) {
              const principal = to < 4 ? `user:m${to}` : `team:${org}-t${to - 4}`
              await tx.insert(grants, {
                id: `${org}-g${i}`,
                target: `${kind}:${org}-${kind[0]}${kind === 'space' ? on : on % 6}`,
                principal,
                role,
              })
            }
          })
          const access = await loadSpaceAccess(store, org)
          const all = (await store.find(spaces, 'organization', org)).filter(({ deletedAt }) => deletedAt === undefined)
          for (const user of ['m0', 'm1', 'm2', 'm3', 'nobody']) {
            const viewer = await viewerOf(store, user, org)
            const expected = []
            for (const space of all) {
              const role = await roleOn(store, viewer, { ...space, kind: 'space' })
              if (role !== null) expected.push([space.id, role])
            }
            const seen = await access.visibleTo(viewer)
            assert.equal(seen.map(({ space, role }) => [space.id, role]).sort(), expected.sort())
            assert.is(await access.countFor(viewer), expected.length, user)
          }
        }),
        { numRuns: 60, includeErrorInReport: true },
      )
    } finally {
      await here.close()
    }
  },
  { timeoutMs: 120_000 },
)

test.run()
