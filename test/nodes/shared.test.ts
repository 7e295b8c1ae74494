import { setTimeout as wait } from 'node:timers/promises'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { queueMail } from '../../src/domain/notifications/queue-mail.js'
import { jobs } from '../../src/model/index.js'
import { checkFence, LeaseLost, openDatabase } from '../../src/postgres/index.js'
import { startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'
import { startNodes, until } from './nodes.js'

const test = suite('nodes on one database: shared state')
const [first, second] = await Promise.all([startSmtp(), startSmtp()])
const mail = { BINDERY_MAIL_FROM: 'docs@example.org' }
const limits = { BINDERY_RATE_LIMIT_SIGN_INS: '5', BINDERY_RATE_LIMIT_PER_MINUTE: '30' }
const nodes = await startNodes(0, { ...mail, ...limits })
const one = await nodes.add({ BINDERY_SMTP_URL: first.url })
const two = await nodes.add({ BINDERY_SMTP_URL: second.url })
const database = openDatabase({ url: nodes.url })
test.after(async () => {
  await nodes.close()
  await database.close()
  await Promise.all([first.close(), second.close()])
})
const { app } = one.service

/** Queues a mail with words for its own job. */
async function mailFor(email: string, more: { keeper?: string }): Promise<void> {
  await app.store.transact(async (tx) => {
    await queueMail(app, tx, { mail: 'sign-in', email })
    const job = (await tx.all(jobs)).find(({ payload }) => 'email' in payload && payload.email === email)
    if (job) await tx.replace(jobs, { ...job, ...more })
  })
  app.wakes.jobs()
}

test('a job runs on the node that has its credentials in memory, and on others if it is gone', async () => {
  for (let at = 1; at <= 3; at++) await one.caller('read')
  await mailFor('person-1@example.org', { keeper: two.service.app.node })
  await second.mailTo('person-1@example.org')
  await mailFor('person-2@example.org', { keeper: app.node })
  await first.mailTo('person-2@example.org')
  await mailFor('person-3@example.org', { keeper: 'a node that died' })
  await until(() => first.received.length + second.received.length === 3)
})

test('a canceled run ends on its node, and waiting callers on every node get a response', async () => {
  const stop = new AbortController()
  two.service.app.running.set('run', stop)
  app.endRun('run')
  await until(() => stop.signal.aborted)
  two.service.app.running.delete('run')
  let asked = 0
  const waiting = two.service.app.waits.until('import', 60_000, async () => ++asked > 1)
  app.waits.wake('import')
  await waiting
})

test('people who have a page open on different nodes see each other', async () => {
  const space = (await one.admin.call('post', `/v1/orgs/${one.organization}/spaces`, { title: 'Shared' }).expect(201))
    .body
  const mate = await one.caller('edit')
  const path = `/v1/spaces/${space.id}/content/page/any-page/presence`
  const tell = async (node: typeof one, token: string, body: object): Promise<[string, number | null][]> => {
    const response = await request(node.url).post(path).set('Authorization', `Bearer ${token}`).send(body).expect(200)
    return response.body.people.map((person: { user: { id: string }; line: number | null }) => [
      person.user.id,
      person.line,
    ])
  }
  const mine = () => tell(one, one.admin.token, { editor: 'editor-of-one', line: 3 })
  const theirs = (more = {}) => tell(two, mate.token, { editor: 'editor-of-two', line: 7, ...more })
  const equal = (found: unknown, wanted: unknown): boolean => JSON.stringify(found) === JSON.stringify(wanted)
  await mine()
  await until(async () => equal(await theirs(), [[one.admin.user, 3]]))
  await until(async () => equal(await mine(), [[mate.user, 7]]))
  await theirs({ leaves: true })
  await until(async () => equal(await mine(), []))
})

test('all nodes share one exact count of the sign-ins from an address', async () => {
  const statuses: number[] = []
  for (let at = 0; at < 9; at++) {
    const { url } = at % 2 ? one : two
    statuses.push((await request(url).post('/v1/sign-in').send({ email: 'nobody@example.org' })).status)
  }
  assert.equal(statuses, [...Array(5).fill(202), ...Array(4).fill(429)])
})

test("all nodes share the count of a token's requests within a second", async () => {
  const caller = await one.caller('read')
  const at = (url: string) => request(url).get('/v1/user').set('Authorization', `Bearer ${caller.token}`)
  for (let count = 0; count < 29; count++) await at(one.url).expect(200)
  let passed = 0
  while ((await at(two.url)).status === 200) {
    passed++
    await wait(100)
  }
  assert.ok(passed < 29, `${passed} more`)
})

test('a permission change waits for ref moves on other nodes and aborts long ones', async () => {
  const order: string[] = []
  let settled: Promise<unknown> = Promise.resolve()
  await two.service.app.locks.run('a-space', async () => {
    settled = app.moves.settled('a-space').then(() => order.push('settled'))
    await wait(100)
    order.push('moved')
  })
  await settled
  assert.equal(order, ['moved', 'settled'])

  await two.service.app.locks.run('a-space', async (lease) => {
    const { fence } = lease
    assert.ok(fence)
    await database.transact((session) => checkFence(session, fence))
    await app.moves.settled()
    assert.instance(await database.transact((session) => checkFence(session, fence)).catch((error) => error), LeaseLost)
  })
  // No one waits for the locks of this node itself, which may be those of the request.
  await app.locks.run('a-space', () => app.moves.settled('a-space'))
})

test('every node reports an unreachable database and recovers automatically', async () => {
  await nodes.postgres.crash()
  for (const { url } of nodes.all) {
    await request(url).get('/readyz').expect(503)
    await request(url).get('/healthz').expect(200)
    const refused = await request(url).get('/v1/user').set('Authorization', `Bearer ${one.admin.token}`).expect(503)
    assert.match(String(refused.headers['retry-after']), /^\d+$/)
  }
  assert.is(
    (await app.locks.run('a-space', async () => 1).catch((error: { status: number }) => error.status)) as number,
    503,
  )
  await nodes.postgres.start()
  for (const { url } of nodes.all) await until(async () => (await request(url).get('/readyz')).status === 200)
  await one.caller('read')
  const sent = first.received.length + second.received.length
  await mailFor('person-2@example.org', {})
  await until(() => first.received.length + second.received.length > sent)
})

test.run()
