import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { newMembership } from '../../src/domain/people/organizations.js'
import { grants, memberships, spaces, teamMembers, teams, tokens, users } from '../../src/model/index.js'
import type { Store } from '../../src/store/index.js'
import { openDocuments } from '../support/stored-documents.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { caller } from './client.js'
import { startServer, TOKEN } from './server-process.js'

const KILLS = runs(2, 50)
/** One of each kind of document that belongs to a membership. */
const EACH = 300

const test = suite('kill -9 while members are removed')

const remaining = async (store: Store, organization: string, user: string): Promise<number[]> => [
  (await store.get(memberships, `${organization}:${user}`)) ? 1 : 0,
  await store.count(teamMembers, 'user', `${organization}/${user}`),
  await store.count(grants, 'principal', `user:${user}`),
  await store.count(tokens, 'user', user),
]

/** A member in many teams, with many grants and a token. */
async function populate(store: Store, organization: string, user: string, space: string): Promise<void> {
  const at = new Date().toISOString()
  await store.transact(async (tx) => {
    await tx.insert(users, {
      id: user,
      displayName: user,
      email: `${user}@people.example`,
      createdAt: at,
      proof: 'operator',
    })
    await tx.insert(memberships, newMembership(organization, user, 'edit', at))
    await tx.insert(tokens, {
      id: `t-${user}`,
      user,
      label: 't',
      hash: user,
      organization,
      readOnly: false,
      createdAt: at,
    })
    for (let i = 0; i < EACH; i++) {
      if (!(await tx.get(teams, `team-${i}`)))
        await tx.insert(teams, { id: `team-${i}`, organization, title: `T ${i}`, createdAt: at })
      await tx.insert(teamMembers, { id: `team-${i}:${user}`, organization, team: `team-${i}`, user, role: 'member' })
      await tx.insert(grants, { id: `${i}:${user}`, target: `space:${space}`, principal: `user:${user}`, role: 'read' })
    }
  })
}

test(
  `a member exists completely or not at all after ${KILLS} kills`,
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-removal-'))
    try {
      const first = await startServer(dir)
      const { organization } = first
      const space = (await caller(first.url, TOKEN)('POST', `/v1/orgs/${organization}/spaces`, { title: 'S' })).body.id
      await first.kill('tree')
      let store = await openDocuments(dir)
      assert.ok(await store.get(spaces, space))
      const people = Array.from({ length: KILLS }, (_, i) => `person-${i}`)
      for (const user of people) await populate(store, organization, user, space)
      await store.close()
      let gone = 0
      for (const [index, user] of people.entries()) {
        const server = await startServer(dir)
        const call = caller(server.url, TOKEN)
        const removal = call('DELETE', `/v1/orgs/${organization}/members/${user}`).then(
          ({ status }) => status,
          () => null,
        )
        await sleep(index * 15)
        await server.kill('tree')
        const status = await removal
        store = await openDocuments(dir)
        const left = await remaining(store, organization, user)
        await store.close()
        assert.ok([`1,${EACH},${EACH},1`, '0,0,0,0'].includes(String(left)), String(left))
        if (status === 204) assert.equal(left, [0, 0, 0, 0])
        if (left[0] === 0) gone++
      }
      console.log(`races/member-removal: ${gone} of ${KILLS} were gone`)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
  { timeoutMs: 280_000 },
)

test.run()
