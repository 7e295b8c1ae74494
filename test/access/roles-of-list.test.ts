import fc from 'fast-check'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { roleOn, viewerOf } from '../../src/domain/roles/access.js'
import { rolesOf } from '../../src/domain/roles/roles-of-list.js'
import {
  type CollectionDoc,
  collections,
  grants,
  membershipId,
  memberships,
  roles,
  type SpaceDoc,
  teamMembers,
} from '../../src/model/index.js'
import { openStore } from '../../src/store/index.js'
import { LossyFs } from '../support/lossy-fs.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from '../store/places.js'

const test = suite('roles in a list')

const aRole = fc.constantFrom(...roles)
const aLevel = fc.oneof(aRole, fc.constantFrom('inherit' as const, null))
const COLLECTIONS = 4
const SPACES = 5
const targets = [
  ...Array.from({ length: COLLECTIONS }, (_, n) => `collection:c${n}`),
  ...Array.from({ length: SPACES }, (_, n) => `space:s${n}`),
]
const aWorld = fc.record({
  member: fc.option(fc.oneof(aRole, fc.constant(null)), { nil: undefined }),
  disabled: fc.boolean(),
  teams: fc.subarray(['t1', 't2', 't3']),
  /** The parent is an earlier collection, or -1 for the top level. */
  collections: fc.tuple(
    ...Array.from({ length: COLLECTIONS }, (_, n) =>
      fc.record({ parent: fc.integer({ min: -1, max: n - 1 }), level: aLevel }),
    ),
  ),
  spaces: fc.array(
    fc.record({ parent: fc.integer({ min: -1, max: COLLECTIONS }), level: fc.option(aLevel, { nil: undefined }) }),
    { maxLength: SPACES },
  ),
  grants: fc.uniqueArray(
    fc.record({
      target: fc.constantFrom(...targets),
      principal: fc.constantFrom('user:u', 'user:other', 'team:t1', 'team:t2', 'team:t3'),
      role: aRole,
    }),
    { selector: ({ target, principal }) => `${target}:${principal}`, maxLength: 12 },
  ),
})

test('the roles in a list equal the roles that single lookups return', () =>
  fc.assert(
    fc.asyncProperty(aWorld, async (world) => {
      const place = temporaryDir()
      const store = await openStore({ dir: join(place.dir, 'store'), fs: new LossyFs(place.dir) })
      try {
        const parentOf = (parent: number) => (parent < 0 ? {} : { parent: `c${parent}` })
        const list = world.spaces.map(({ parent, level }, n) => ({
          ...{ id: `s${n}`, organization: 'o', visibility: 'private' },
          ...parentOf(parent),
          ...(level === undefined ? {} : { defaultLevel: level }),
        })) as unknown as SpaceDoc[]
        await store.transact(async (tx) => {
          if (world.member !== undefined) {
            const membership = { id: membershipId('o', 'u'), organization: 'o', user: 'u', joinedAt: '', sso: false }
            await tx.insert(memberships, { ...membership, role: world.member, disabled: world.disabled })
          }
          for (const team of world.teams)
            await tx.insert(teamMembers, { id: `${team}:u`, organization: 'o', team, user: 'u', role: 'member' })
          for (const [n, { parent, level }] of world.collections.entries())
            await tx.insert(collections, {
              id: `c${n}`,
              organization: 'o',
              ...parentOf(parent),
              defaultLevel: level,
            } as unknown as CollectionDoc)
          for (const grant of world.grants)
            await tx.insert(grants, { ...grant, id: `${grant.target}:${grant.principal}` })
        })
        const viewer = await viewerOf(store, 'u', 'o')
        const one = await Promise.all(list.map((space) => roleOn(store, viewer, { ...space, kind: 'space' })))
        assert.equal(await rolesOf(store, viewer, 'space', list), one)
      } finally {
        await store.close()
        place.remove()
      }
    }),
    { numRuns: 50 },
  ))

test.run()
