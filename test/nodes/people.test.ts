import * as assert from 'uvu/assert'
import { runs } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import type { Answer } from './asker.js'
import { newJudge, startCluster } from './cluster.js'
import type { Node } from './node.js'

/**
 * Tests that rights that end on one node end on all of them. Each right is used repeatedly before the change and at
 * once after it.
 */
const ROUNDS = runs(2, 40)
const judge = newJudge()
const [test, cluster] = await suiteWith('nodes: rights that end', () => startCluster({ judge }))
const { nodes, organization } = cluster
const admin = cluster.asker('the admin')
const anyNode = (at: number): Node => nodes[at % nodes.length] as Node
const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status)

async function done(at: number, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await admin.ask(anyNode(at), { method, path, body, expect: [200, 201, 204] })
  assert.ok([200, 201, 204].includes(answer.status), `${method} ${path}: ${answer.status}`)
  return answer.body
}

const spaceOf = (at: number): Promise<{ id: string }> =>
  done(at, 'POST', `/v1/orgs/${organization}/spaces`, { title: `Space ${at}`, editMode: 'live' })

/** A user who joined with a role through a mailed invitation. */
async function joined(at: number, role: string): Promise<{ id: string; token: string }> {
  const email = `person-${at}@example.test`
  await done(at, 'POST', `/v1/orgs/${organization}/invites`, { emails: [email], role })
  const { secret } = await cluster.smtp.mailTo(email)
  const nobody = cluster.asker('somebody invited', 'none')
  const answer = await nobody.ask(anyNode(at + 1), {
    method: 'POST',
    path: '/v1/invites/accept',
    body: { token: secret, displayName: email },
    expect: [200],
    headers: { Authorization: '' },
  })
  assert.is(answer.status, 200)
  return { id: answer.body.member.id, token: answer.body.token.token }
}

const everywhere = (
  token: string,
  method: string,
  path: string,
  body: unknown,
  expect: number[],
): Promise<Answer[]> => {
  const asker = cluster.asker('a member', token)
  return Promise.all(nodes.map((node) => asker.ask(node, { method, path, body, expect })))
}

test('a token that one node revokes is rejected by every node at the next request', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const made = await done(round, 'POST', '/v1/user/tokens', { label: `round ${round}` })
    for (let again = 0; again < 3; again++)
      assert.equal(
        statuses(await everywhere(made.token, 'GET', '/v1/user', undefined, [200])),
        nodes.map(() => 200),
      )
    await done(round + 1, 'DELETE', `/v1/user/tokens/${made.id}`)
    assert.equal(
      statuses(await everywhere(made.token, 'GET', '/v1/user', undefined, [401])),
      nodes.map(() => 401),
    )
  }
})

test('a role change or a removal on one node applies on every node at the next request', async () => {
  const space = await spaceOf(0)
  for (let round = 0; round < ROUNDS; round++) {
    const person = await joined(round, 'edit')
    const write = (title: string) => ({
      changes: [{ operation: 'insert_page', title, document: { markdown: 'Text.' } }],
    })
    const path = `/v1/spaces/${space.id}/content`
    assert.equal(
      statuses(await everywhere(person.token, 'POST', path, write(`may ${round}`), [200])),
      nodes.map(() => 200),
    )
    await done(round + 1, 'PATCH', `/v1/orgs/${organization}/members/${person.id}`, { role: 'read' })
    assert.equal(
      statuses(await everywhere(person.token, 'POST', path, write(`may not ${round}`), [403])),
      nodes.map(() => 403),
    )
    assert.equal(
      statuses(await everywhere(person.token, 'GET', `/v1/spaces/${space.id}`, undefined, [200])),
      nodes.map(() => 200),
    )
    await done(round + 2, 'DELETE', `/v1/orgs/${organization}/members/${person.id}`)
    assert.equal(
      statuses(await everywhere(person.token, 'GET', `/v1/spaces/${space.id}`, undefined, [401, 404])).filter(
        (status) => status === 200,
      ),
      [],
    )
  }
  const { pages } = await done(0, 'GET', `/v1/spaces/${space.id}/content/pages`)
  assert.equal(
    pages.filter(({ title }: { title: string }) => title.startsWith('may not')),
    [],
  )
})

test('a space that one node locks or deletes rejects writes on all other nodes', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const space = await spaceOf(round)
    await done(round + 1, 'PATCH', `/v1/spaces/${space.id}`, { editMode: 'locked' })
    const body = { changes: [{ operation: 'insert_page', title: 'Late', document: { markdown: 'Text.' } }] }
    assert.equal(
      statuses(await everywhere(admin.token, 'POST', `/v1/spaces/${space.id}/content`, body, [423])),
      nodes.map(() => 423),
    )
    await done(round + 2, 'DELETE', `/v1/spaces/${space.id}`)
    assert.equal(
      statuses(await everywhere(admin.token, 'GET', `/v1/spaces/${space.id}/content/pages`, undefined, [404])),
      nodes.map(() => 404),
    )
    await done(round, 'POST', `/v1/spaces/${space.id}/restore`)
    assert.equal(
      statuses(await everywhere(admin.token, 'GET', `/v1/spaces/${space.id}/content/pages`, undefined, [200])),
      nodes.map(() => 200),
    )
  }
})

test('no node returned a response that is not allowed', () => {
  assert.equal(judge.faults, [])
})

test.run()
