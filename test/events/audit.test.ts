import * as assert from 'uvu/assert'
import { issueToken } from '../../src/domain/accounts/accounts.js'
import { finishEntries } from '../../src/domain/events/request-entry.js'
import { applyRetention } from '../../src/domain/events/retention.js'
import { overlay } from '../../src/kernel/overlay.js'
import { type AuditDoc, auditLog, unfinishedEntries, users } from '../../src/model/index.js'
import { openWrite } from '../../src/start/open-write.js'
import type { Store, Transaction } from '../../src/store/index.js'
import { onPostgres } from '../support/on-postgres.js'
import { startService, type TestService } from '../support/service.js'
import { type Smtp, startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'
import { handClock } from '../support/hand-clock.js'

const test = suite('audit log')
const DAY = 24 * 60 * 60 * 1000
const clock = handClock()
let here: TestService
let log: string
let smtp: Smtp
test.before(async () => {
  smtp = await startSmtp({ user: 'docs', password: 'smtp-pass-word' })
  const env = { BINDERY_TRUST_PROXY: '1', BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'docs@people.example' }
  here = await startService({ overrides: { clock }, env })
  log = `/v1/orgs/${here.organization}/audit-log`
})
test.after(async () => {
  await here.close()
  await smtp.close()
})

const read = async (query = '') => (await here.admin.call('get', `${log}?${query}`).expect(200)).body
const newest = async () => (await read('limit=1')).items[0]
const newSpace = async (): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)).body.id

test('an entry records the actor, action, time, address and target, but no values', async () => {
  const before = clock.now().toISOString()
  const response = await here.admin
    .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Very secret plans', emoji: '🔒' })
    .set('X-Forwarded-For', '203.0.113.7')
    .set('User-Agent', `Tester/1 ${'x'.repeat(500)}`)
    .set('X-Request-Id', 'request-0001')
    .expect(201)
  const entry = await newest()
  assert.equal(entry.actor.user, here.admin.user)
  assert.ok(entry.actor.token)
  assert.equal(
    [entry.operation, entry.method, entry.status, entry.outcome],
    ['createSpaceInOrganization', 'POST', 201, 'succeeded'],
  )
  assert.equal(
    [entry.resources, entry.created, entry.members],
    [{ organization: here.organization }, `/v1/spaces/${response.body.id}`, ['title', 'emoji']],
  )
  assert.equal([entry.from.address, entry.from.userAgent.length, entry.requestId], ['203.0.113.7', 200, 'request-0001'])
  assert.ok(entry.at >= before && entry.at <= clock.now().toISOString())
  assert.not.match(JSON.stringify(entry), /secret plans/)
  const { body } = await here.admin.call('post', `/v1/spaces/${response.body.id}/change-requests`, {}).expect(201)
  await here.admin
    .call('patch', `/v1/spaces/${response.body.id}/change-requests/${body.number}`, { subject: 'x' })
    .expect(200)
  assert.equal((await newest()).resources, { space: response.body.id, changeRequest: body.id })
})

test('rejected and failed requests are recorded, but reads are not', async () => {
  const space = await newSpace()
  const reader = await here.caller('read')
  await reader.call('patch', `/v1/spaces/${space}`, { title: 'Mine' }).expect(403)
  const refused = await newest()
  assert.equal(
    [refused.actor.user, refused.operation, refused.outcome, refused.status, refused.resources],
    [reader.user, 'updateSpaceById', 'refused', 403, { space }],
  )
  await here.admin.call('patch', `/v1/spaces/${space}`, { bogus: 'hunter2' }).expect(400)
  const failed = await newest()
  assert.equal([failed.outcome, failed.status, failed.members], ['failed', 400, []])
  await here.admin.call('post', `/v1/spaces/${space}/restore`).expect(409)
  assert.is((await newest()).status, 409)
  const { count } = await read('limit=0')
  await reader.call('get', `/v1/spaces/${space}`).expect(200)
  await reader.call('post', `/v1/orgs/${here.organization}/ping`).expect(200)
  await (await here.caller()).call('patch', `/v1/spaces/${space}`, {}).expect(404)
  assert.is((await read('limit=0')).count, count)
})

test('a rejected write with a read-only token is recorded', async () => {
  const { secret, token } = await issueToken(here.service.app, here.admin.user, { label: 'ro', readOnly: true })
  await here.admin
    .call('patch', `/v1/orgs/${here.organization}`, { title: 'Changed' })
    .set('Authorization', `Bearer ${secret}`)
    .expect(403)
  const entry = await newest()
  assert.equal([entry.operation, entry.outcome, entry.actor.token], ['updateOrganizationById', 'refused', token.id])
})

test('the audit log never contains a secret', async () => {
  const space = await newSpace()
  const { body: made } = await here.admin.call('post', '/v1/user/tokens', { label: 'x' }).expect(201)
  const { body: hook } = await here.admin
    .call('post', `/v1/orgs/${here.organization}/webhooks`, { url: 'http://127.0.0.1:1/T000/hush-hush' })
    .expect(201)
  const remote = { url: 'https://me:hunter2@git.invalid/x.git', ref: 'refs/heads/main' }
  await here.admin.call('post', `/v1/spaces/${space}/git/import`, remote).expect(204)
  const text = JSON.stringify((await read('limit=1000')).items)
  assert.match(text, /createUserToken/)
  for (const secret of [made.token, hook.secret, 'hush-hush', 'hunter2']) assert.not.ok(text.includes(secret), secret)
})

test('account changes are logged in all organizations of the user, other changes only in one', async () => {
  const { count } = await read('limit=0')
  const { headers } = await here.admin.call('post', '/v1/orgs', { title: 'Second' }).expect(201)
  const second = headers.location as string
  assert.is((await read('limit=0')).count, count)
  assert.equal(
    (await here.admin.call('get', `${second}/audit-log`).expect(200)).body.items.map(
      (one: { operation: string }) => one.operation,
    ),
    ['createOrganizationForAuthenticatedUser'],
  )
  const { body } = await here.admin.call('post', '/v1/user/tokens', { label: 'both' }).expect(201)
  assert.is((await newest()).created, `/v1/user/tokens/${body.id}`)
  assert.is(
    (await here.admin.call('get', `${second}/audit-log?limit=1`).expect(200)).body.items[0].operation,
    'createUserToken',
  )
})

test('sign-ins and accepted invitations are recorded', async () => {
  const base = `/v1/orgs/${here.organization}`
  await here.admin.call('post', `${base}/invites`, { emails: ['new@people.example'], role: 'edit' }).expect(200)
  const nobody = (path: string, body: object) => here.admin.call('post', path, body).unset('Authorization')
  const invited = (await smtp.mailTo('new@people.example')).secret
  const { body: accepted } = await nobody('/v1/invites/accept', { token: invited }).expect(200)
  const joined = await newest()
  assert.equal(
    [joined.operation, joined.actor],
    ['acceptOrganizationInvite', { user: accepted.member.user.id, token: accepted.token.id }],
  )
  await nobody('/v1/sign-in', { email: 'new@people.example' }).expect(202)
  const { secret } = await smtp.mailTo('new@people.example', 2)
  const { body: token } = await nobody('/v1/sign-in/token', { token: secret }).expect(201)
  const signedIn = await newest()
  assert.equal(
    [signedIn.operation, signedIn.actor, signedIn.members],
    ['signInByLink', { user: accepted.member.user.id, token: token.id }, ['token']],
  )
  await nobody('/v1/sign-in/token', { token: secret }).expect(404)
  assert.is((await newest()).id, signedIn.id)
  for (const value of [invited, secret, token.token])
    assert.not.ok(JSON.stringify((await read('limit=1000')).items).includes(value))
})

test('filters work, and pages continue while entries arrive', async () => {
  const space = await newSpace()
  const person = await here.caller('edit')
  // Entries have times in milliseconds. A pause before and after separates each limit from neighboring changes.
  clock.forward(1000)
  const from = clock.now().toISOString()
  clock.forward(1000)
  for (let i = 0; i < 5; i++) await person.call('post', `/v1/spaces/${space}/change-requests`, {}).expect(201)
  await person.call('delete', `/v1/spaces/${space}`).expect(403)
  clock.forward(1000)
  const mid = clock.now().toISOString()
  clock.forward(1000)
  await here.admin.call('patch', `/v1/spaces/${space}`, { title: 'Later' }).expect(200)
  const counts: [query: string, count: number][] = [
    [`space=${space}`, 7],
    [`resource=${space}`, 7],
    [`actor=${person.user}`, 6],
    [`actor=${person.user}&outcome=refused`, 1],
    [`space=${space}&operation=updateSpaceById`, 1],
    [`space=${space}&from=${from}&to=${mid}`, 6],
    [`space=${space}&from=${mid}`, 1],
    [`space=${space}&to=${from}`, 0],
    ['operation=nothing', 0],
    [`resource=${here.organization}x`, 0],
  ]
  for (const [query, count] of counts)
    assert.equal([(await read(query)).count, (await read(query)).items.length], [count, count], query)
  const seen: string[] = []
  for (let next = ''; ; ) {
    const body = await read(`space=${space}&limit=2${next}`)
    seen.push(...body.items.map((one: { id: string }) => one.id))
    if (!body.next) break
    await here.admin.call('patch', `/v1/spaces/${space}`, { title: 'Meanwhile' }).expect(200)
    next = `&page=${body.next.page}`
  }
  assert.is(new Set(seen).size, 7)
  assert.equal(seen, [...seen].sort().reverse())
  for (const query of ['from=x', 'outcome=maybe', 'limit=1001', 'page=x'])
    await here.admin.call('get', `${log}?${query}`).expect(400)
})

test('entries of failed attempts displace only each other', async () => {
  const space = await newSpace()
  const person = await here.caller('read')
  await here.admin.call('patch', `/v1/spaces/${space}`, { title: 'Kept' }).expect(200)
  for (let i = 0; i < 6; i++) await person.call('patch', `/v1/spaces/${space}`, { title: 'Mine' }).expect(403)
  const { count } = await read('limit=0&outcome=succeeded')
  await applyRetention(here.service.app, { deliveries: 0, failedRequests: 4 })
  assert.equal(
    [(await read(`actor=${person.user}`)).count, (await read('outcome=succeeded&limit=0')).count],
    [4, count],
  )
})

test('only admins of the organization can read the audit log', async () => {
  for (const role of ['create', 'read', null] as const) await (await here.caller(role)).call('get', log).expect(403)
  await (await here.caller()).call('get', log).expect(404)
})

/** Runs work while no transaction can write an entry of the audit log. */
async function withoutEntries(work: () => Promise<void>): Promise<void> {
  const { app } = here.service
  const { store } = app
  const refusing = (tx: Transaction): Transaction =>
    overlay<Transaction>(() => tx, {
      append: async (to, group, make, least) => {
        if (to.name === auditLog.name) throw new Error('there is no space for the entry')
        return tx.append(to, group, make, least)
      },
    })
  app.store = overlay<Store>(() => store, { transact: (work) => store.transact((tx) => work(refusing(tx))) })
  try {
    await work()
  } finally {
    app.store = store
  }
}

test('a stored change gets its entry later if the entry cannot be written at its end', async () => {
  const { body: token } = await here.admin.call('post', '/v1/user/tokens', { label: 'gone' }).expect(201)
  const space = await newSpace()
  const { id: last } = await newest()
  const { app } = here.service
  await withoutEntries(async () => {
    await here.admin.call('delete', `/v1/user/tokens/${token.id}`).expect(204)
    await here.admin.call('patch', `/v1/spaces/${space}`, { title: 'Changed' }).expect(200)
    await here.admin.call('patch', `/v1/spaces/${space}`, { bogus: true }).expect(500)
  })
  await here.admin.call('get', `/v1/user/tokens/${token.id}`).expect(404)
  assert.is((await here.admin.call('get', `/v1/spaces/${space}`).expect(200)).body.title, 'Changed')
  assert.is((await newest()).id, last)
  // A request may still be in progress for a while.
  await finishEntries(app, new Date(clock.now().getTime() - 1000))
  assert.is((await newest()).id, last)
  for (let n = 0; n < 2; n++) await finishEntries(app, null)
  const entries = (await read('limit=3')).items
  assert.equal(
    entries.map((one: AuditDoc) => [one.operation, one.status, one.resources.token ?? one.resources.space]),
    [
      ['updateSpaceById', 200, space],
      ['deleteUserToken', 204, token.id],
      ['createSpaceInOrganization', 201, undefined],
    ],
  )
  assert.equal(await app.store.all(unfinishedEntries), [])
})

test('a transaction that runs again gets one entry, also if its last attempt changes nothing', async () => {
  const { app } = here.service
  const conflict = new Error('another transaction has changed the same documents')
  const again: Store['transact'] = async (work) => {
    await app.store
      .transact(async (tx) => {
        await work(tx)
        throw conflict
      })
      .catch((error: unknown) => assert.is(error, conflict))
    return app.store.transact(work)
  }
  const store = overlay<Store>(() => app.store, { transact: again })
  for (const [operation, changing] of [
    ['changedOnce', [1]],
    ['changedTwice', [1, 2]],
  ] as const) {
    const { guard, finish } = openWrite(
      { ...app, store },
      {
        actor: null,
        audited: { user: here.admin.user, organization: here.organization },
        operation,
        method: 'PATCH',
        resources: {},
        members: [],
        overruled: [],
        success: 200,
        address: '203.0.113.7',
        requestId: operation,
      },
    )
    let attempt = 0
    await guard(null, {}).store.transact(async (tx) => {
      const user = await tx.get(users, here.admin.user)
      if (user && changing.some((one) => one === attempt + 1)) await tx.replace(users, user)
      attempt++
    })
    assert.is(attempt, 2)
    await finish({ status: 200 })
    const entries = (await read('limit=1000')).items.filter((one: AuditDoc) => one.operation === operation)
    assert.is(entries.length, 1, operation)
  }
  assert.equal(await app.store.all(unfinishedEntries), [])
})

test('the entry of a killed request is in the log after the next start', async () => {
  const space = await newSpace()
  await withoutEntries(async () => {
    await here.admin.call('patch', `/v1/spaces/${space}`, { title: 'Killed' }).expect(200)
  })
  if (onPostgres) return finishEntries(here.service.app, null)
  await here.restart()
  const entry = await newest()
  assert.equal([entry.operation, entry.resources, entry.status], ['updateSpaceById', { space }, 200])
})

test('acknowledged changes are in the log after a restart, and old entries expire', async () => {
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { title: 'Before' }).expect(200)
  const before = await read('limit=1000')
  await here.restart()
  assert.equal(await read('limit=1000'), before)
  clock.forward(91 * DAY)
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { title: 'After' }).expect(200)
  await applyRetention(here.service.app)
  assert.equal(
    (await read()).items.map((one: { operation: string }) => one.operation),
    ['updateOrganizationById'],
  )
})

test.run()
