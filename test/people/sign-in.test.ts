import * as assert from 'uvu/assert'
import { removeExpired } from '../../src/domain/upkeep/housekeeping.js'
import { createLog } from '../../src/kernel/log.js'
import { documentTables, jobs, memberships, signIns, users } from '../../src/model/index.js'
import { startService, type TestService } from '../support/service.js'
import { type Smtp, startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'
import { as, organization, person, putIn, secretOf } from './fixture.js'

const test = suite('people: sign-in by e-mail link')
let here: TestService
let smtp: Smtp
let now = Date.now()
let logged = ''
test.before(async () => {
  smtp = await startSmtp({ user: 'docs', password: 'smtp-pass-word' })
  const log = createLog({ level: 'debug', destination: { write: (line) => void (logged += line) } })
  const env = { BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'Docs <docs@people.example>' }
  here = await startService({ env, overrides: { log, clock: { now: () => new Date(now) } } })
})
test.after(async () => {
  await here.close()
  await smtp.close()
})

const ask = (email: string, more: object = {}) => as(here, null, 'post', '/v1/sign-in', { email, ...more })
const finish = (secret: string) => as(here, null, 'post', '/v1/sign-in/token', { token: secret })
/** Waits until every queued mail was processed. */
async function quiet(): Promise<void> {
  while (
    (await here.service.app.store.all(jobs)).some(
      (job) => job.kind === 'send-mail' && ['queued', 'running'].includes(job.state),
    )
  )
    await new Promise((done) => setTimeout(done, 10))
}

test('the link in an email signs an account in once', async () => {
  const { user } = await person(here, 'one@people.example')
  await ask('ONE@people.example').expect(202)
  const mail = await smtp.mailTo('one@people.example')
  assert.equal([mail.from, mail.to], ['docs@people.example', ['one@people.example']])
  assert.match(mail.text, `${here.url}/sign-in#`)
  const { body, headers } = await finish(mail.secret).expect(201)
  assert.is((await as(here, body.token, 'get', '/v1/user').expect(200)).body.id, user)
  await as(here, body.token, 'get', headers.location as string).expect(200)
  assert.ok(Date.parse(body.expiresAt) > now)
  await finish(mail.secret).expect(404)
  assert.equal(await here.service.app.store.find(signIns, 'email', 'one@people.example'), [])
})

test('one of many concurrent uses of a link succeeds', async () => {
  await person(here, 'many@people.example')
  await ask('many@people.example').expect(202)
  const { secret } = await smtp.mailTo('many@people.example')
  const responses = await Promise.all([1, 2, 3, 4, 5].map(() => finish(secret)))
  assert.equal(responses.map(({ status }) => status).sort(), [201, 404, 404, 404, 404])
})

test('responses do not reveal whether an address has an account, and unknown ones get no email', async () => {
  await person(here, 'known@people.example')
  const [known, unknown] = [
    await ask('known@people.example').expect(202),
    await ask('unknown@people.example').expect(202),
  ]
  assert.equal(known.body, unknown.body)
  const without = (headers: object) => Object.keys(headers).sort()
  assert.equal(without(known.headers), without(unknown.headers))
  await smtp.mailTo('known@people.example')
  await quiet()
  assert.not.ok(smtp.received.some(({ to }) => to.includes('unknown@people.example')))
  assert.equal(await here.service.app.store.find(users, 'proven', 'unknown@people.example'), [])
})

test('a sign-in link works for fifteen minutes, and at most three are open', async () => {
  await person(here, 'late@people.example')
  for (let i = 0; i < 5; i++) await ask('late@people.example').expect(202)
  await quiet()
  const mails = smtp.received.filter(({ to }) => to.includes('late@people.example'))
  assert.is(mails.length, 3)
  now += 15 * 60 * 1000 - 1
  await finish(mails[0]?.secret as string).expect(201)
  now += 1
  await finish(mails[1]?.secret as string).expect(404)
  await removeExpired(here.service.app)
  assert.equal(await here.service.app.store.find(signIns, 'email', 'late@people.example'), [])
  await ask('late@people.example').expect(202)
  await smtp.mailTo('late@people.example', 4)
})

test('the removal of expired documents reads a bounded number of them at once', async () => {
  const { store } = here.service.app
  const at = (ms: number): string => new Date(now + ms).toISOString()
  await store.transact(async (tx) => {
    for (let n = 0; n < 900; n++) {
      const expiresAt = at(n < 450 ? -1000 : 60_000)
      await tx.insert(signIns, {
        id: `many-${n}`,
        email: `${n}@many.example`,
        hash: `hash-${n}`,
        createdAt: at(-2000),
        expiresAt,
      })
    }
  })
  const transact = store.transact.bind(store)
  const read: number[] = []
  store.transact = (work) =>
    transact((tx) =>
      work(
        new Proxy(tx, {
          get: (target, name) => {
            if (name === 'all') assert.unreachable('it reads a whole table')
            const value = target[name as keyof typeof target] as unknown
            if (typeof value !== 'function') return value
            return async (...given: unknown[]) => {
              const found = await value.apply(target, given)
              if (name === 'page') read.push(found.documents.length)
              return found
            }
          },
        }),
      ),
    )
  try {
    await removeExpired(here.service.app)
  } finally {
    store.transact = transact
  }
  assert.ok(Math.max(...read) <= 200, read.join())
  assert.is(await store.get(signIns, 'many-449'), null)
  assert.ok(await store.get(signIns, 'many-450'))
  for (let n = 450; n < 900; n++) await store.remove(signIns, `many-${n}`)
})

test('a newcomer gets an account only through a valid link invitation', async () => {
  const org = await organization(here, { inviteLinks: true })
  const { body: link } = await here.admin.call('post', `/v1/orgs/${org}/link-invites`, { role: 'comment' }).expect(201)
  const invite = secretOf(link.urls.invite)
  await ask('newcomer@people.example', { invite }).expect(202)
  await ask('nobody@people.example', { invite: `${invite}x` }).expect(202)
  const mail = await smtp.mailTo('newcomer@people.example')
  const { body } = await finish(mail.secret).expect(201)
  assert.is(
    (
      await as(
        here,
        body.token,
        'get',
        `/v1/orgs/${org}/members/${(await as(here, body.token, 'get', '/v1/user')).body.id}`,
      )
    ).body.role,
    'comment',
  )
  assert.is(body.organization, undefined, 'the mail has shown whose address it is')

  await ask('too-late@people.example', { invite }).expect(202)
  const late = await smtp.mailTo('too-late@people.example')
  await here.admin.call('delete', `/v1/orgs/${org}/link-invites/${link.id}`).expect(204)
  await finish(late.secret).expect(404)
  await quiet()
  assert.equal(await here.service.app.store.find(users, 'proven', 'too-late@people.example'), [])
  assert.not.ok(smtp.received.some(({ to }) => to.includes('nobody@people.example')))
})

test("with single sign-on, only an admin's link token opens the organization", async () => {
  const org = await organization(here)
  const [boss, member] = [await person(here, 'boss@people.example'), await person(here, 'member@people.example')]
  await putIn(here, org, boss.user, 'admin')
  await putIn(here, org, member.user, 'edit')
  const space = (await here.admin.call('post', `/v1/orgs/${org}/spaces`, { title: 'S' }).expect(201)).body.id
  const tokenOf = async (email: string): Promise<string> => {
    await ask(email).expect(202)
    return (await finish((await smtp.mailTo(email)).secret).expect(201)).body.token
  }
  const mine = await tokenOf('member@people.example')
  const made = (await as(here, mine, 'post', '/v1/user/tokens', { label: 'made' }).expect(201)).body.token
  await as(here, made, 'get', `/v1/spaces/${space}`).expect(200)
  await as(here, made, 'get', `/v1/users/${boss.user}`).expect(200)
  await here.admin.call('patch', `/v1/orgs/${org}`, { sso: true }).expect(200)
  for (const token of [mine, made]) {
    await as(here, token, 'get', `/v1/orgs/${org}`).expect(403)
    await as(here, token, 'get', `/v1/spaces/${space}`).expect(404)
    await as(here, token, 'get', `/v1/users/${boss.user}`).expect(404)
    assert.equal((await as(here, token, 'get', '/v1/orgs').expect(200)).body.items, [])
  }
  await as(here, member.token, 'get', `/v1/orgs/${org}`).expect(403)
  await as(here, await tokenOf('boss@people.example'), 'get', `/v1/orgs/${org}`).expect(200)
  await here.admin.call('patch', `/v1/orgs/${org}`, { sso: false }).expect(200)
  await as(here, mine, 'get', `/v1/orgs/${org}`).expect(200)
  await here.admin.call('post', `/v1/orgs/${org}/members/${member.user}/sso`).expect(200)
  await as(here, mine, 'get', `/v1/orgs/${org}`).expect(403)
})

test('a mailed invitation creates an account with a full token, and a new one replaces it', async () => {
  const org = await organization(here)
  const invite = async () =>
    (
      await here.admin
        .call('post', `/v1/orgs/${org}/invites`, { emails: ['mailed@people.example'], role: 'edit' })
        .expect(200)
    ).body
  const { invites, invited } = await invite()
  assert.equal([invited, invites[0].delivery, invites[0].urls.invite], [1, 'queued', undefined])
  const first = await smtp.mailTo('mailed@people.example')
  await quiet()
  const shown = await here.admin.call('get', invites[0].urls.location.replace(here.url, '')).expect(200)
  assert.is(shown.body.delivery, 'sent')
  await invite()
  await quiet()
  assert.is(smtp.received.filter(({ to }) => to.includes('mailed@people.example')).length, 1, 'not twice in a minute')
  now += 60_000
  await invite()
  const second = await smtp.mailTo('mailed@people.example', 2)
  const accept = (token: string) => as(here, null, 'post', '/v1/invites/accept', { token })
  await accept(first.secret).expect(404)
  const { body } = await accept(second.secret).expect(200)
  assert.is(body.token.organization, undefined)
  assert.is((await here.service.app.store.find(memberships, 'organization', org)).length, 2)
})

test('no sign-in secret is stored or logged', async () => {
  await quiet()
  const secrets = smtp.received.map(({ secret }) => secret)
  assert.ok(secrets.length > 10 && secrets.every((secret) => secret.length >= 43))
  const stored = await Promise.all(
    documentTables.map(async (one) => JSON.stringify(await here.service.app.store.all(one))),
  )
  for (const text of [...stored, logged])
    for (const secret of [...secrets, 'smtp-pass-word']) assert.not.ok(text.includes(secret))
})

test('excess requests from one address are rejected, and a missing mail server is explained', async () => {
  const limited = await startService({
    env: { BINDERY_RATE_LIMIT_SIGN_INS: '2', BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'docs@people.example' },
  })
  const bare = await startService()
  try {
    const responses = []
    for (let i = 0; i < 3; i++)
      responses.push(await as(limited, null, 'post', '/v1/sign-in', { email: `n${i}@people.example` }))
    assert.equal(
      responses.map(({ status }) => status),
      [202, 202, 429],
    )
    assert.ok(Number(responses[2]?.headers['retry-after']) > 0)
    const { error } = (await as(bare, null, 'post', '/v1/sign-in', { email: 'a@people.example' }).expect(409)).body
    assert.match(error.message, /BINDERY_SMTP_URL.*bindery token/)
    for (const email of ['a', 'a@b\r\nBcc: c@d', '', 'a,b@c.example'])
      await as(bare, null, 'post', '/v1/sign-in', { email }).expect(400)
  } finally {
    await limited.close()
    await bare.close()
  }
})

test.run()
