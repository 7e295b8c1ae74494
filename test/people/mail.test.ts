import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { loadConfig } from '../../src/config.js'
import { jobs } from '../../src/model/index.js'
import { startService, type TestService } from '../support/service.js'
import { type Smtp, startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'
import { as, organization } from './fixture.js'

const test = suite('people: mails')
let here: TestService
let smtp: Smtp
let now = Date.now()
test.before(async () => {
  smtp = await startSmtp()
  const env = { BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'Docs <docs@people.example>' }
  here = await startService({ env, overrides: { clock: { now: () => new Date(now) } } })
})
test.after(async () => {
  await here.close()
  await smtp.close()
})

const invite = async (org: string, email: string): Promise<string> => {
  const { body } = await here.admin.call('post', `/v1/orgs/${org}/invites`, { emails: [email] }).expect(200)
  return body.invites[0].urls.location.replace(here.url, '')
}
const mailJobs = async () => (await here.service.app.store.all(jobs)).filter(({ kind }) => kind === 'send-mail')
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 10))
}
const delivery = async (url: string): Promise<string> => (await here.admin.call('get', url).expect(200)).body.delivery

test('user text cannot add an email header or break a line', async () => {
  const org = await organization(here, { title: 'Evil\r\nBcc: victim@evil.example\r\n\r\nhello\u2028\u0007 ' })
  await invite(org, 'header@people.example')
  const mail = await smtp.mailTo('header@people.example')
  const [head = ''] = mail.raw.split('\r\n\r\n')
  assert.not.match(head, /^bcc/im)
  assert.match(head, /^Subject: Invitation to Evil Bcc: victim@evil\.example hello$/m)
  assert.match(head, /^Auto-Submitted: auto-generated$/m)
  assert.equal(mail.to, ['header@people.example'])
  assert.match(mail.text.split('\n')[0] as string, 'Evil Bcc: victim@evil.example hello.')
})

test('a long name in another script is sent intact or shortened', async () => {
  const org = await organization(here, { title: `Übersicht 文書 ${'x'.repeat(200)}` })
  await invite(org, 'script@people.example')
  const { text } = await smtp.mailTo('script@people.example')
  assert.match(text, /invites you to Übersicht 文書 x{87}\.\r?\n/)
})

test('mail to an unavailable server is sent later and does not delay other mail', async () => {
  const org = await organization(here)
  smtp.behave((what, address) => (what === 'recipient' && address === 'later@people.example' ? 451 : null))
  const url = await invite(org, 'later@people.example')
  await until(async () => (await mailJobs()).some(({ notBefore }) => notBefore !== undefined))
  await invite(org, 'sooner@people.example')
  await smtp.mailTo('sooner@people.example')
  assert.is(await delivery(url), 'queued')
  smtp.behave(() => null)
  now += 10_000
  here.service.app.wakes.jobs()
  const { secret } = await smtp.mailTo('later@people.example')
  await until(async () => (await delivery(url)) === 'sent')
  await as(here, null, 'post', '/v1/invites/accept', { token: secret }).expect(200)
})

test('mail that the server rejects permanently is not retried and is listed as such', async () => {
  const org = await organization(here)
  smtp.behave((what, address) => (what === 'recipient' && address === 'no-such@people.example' ? 550 : null))
  const url = await invite(org, 'no-such@people.example')
  await until(async () => (await delivery(url)) === 'failed')
  const [job] = (await mailJobs()).filter(({ state }) => state === 'failed')
  assert.match(job?.error as string, /rejected the message \(550\)/)
  smtp.behave(() => null)
})

test('mail is dropped after a day without the server', async () => {
  const org = await organization(here)
  smtp.behave(() => 421)
  const url = await invite(org, 'never@people.example')
  await until(async () => {
    if ((await delivery(url)) === 'failed') return true
    now += 20 * 60 * 1000
    here.service.app.wakes.jobs()
    return false
  })
  smtp.behave(() => null)
})

test('an invitation that is revoked before its mail leaves is not sent', async () => {
  const org = await organization(here)
  smtp.behave(() => 421)
  const url = await invite(org, 'revoked@people.example')
  await until(async () =>
    (await mailJobs()).some(({ notBefore, state }) => state === 'queued' && notBefore !== undefined),
  )
  await here.admin.call('delete', url).expect(204)
  smtp.behave(() => null)
  now += 10_000
  here.service.app.wakes.jobs()
  await until(async () => (await mailJobs()).every(({ state }) => state !== 'queued' && state !== 'running'))
  assert.not.ok(smtp.received.some(({ to }) => to.includes('revoked@people.example')))
})

test('a queued email survives a restart', async () => {
  const org = await organization(here)
  smtp.behave(() => 421)
  await invite(org, 'restart@people.example')
  await until(async () =>
    (await mailJobs()).some(({ notBefore, state }) => state === 'queued' && notBefore !== undefined),
  )
  smtp.behave(() => null)
  now += 10_000
  await here.restart()
  await smtp.mailTo('restart@people.example')
})

test('a mail server that accepts a connection and never responds does not block requests', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const slow = await startService({ env: { BINDERY_SMTP_URL: url, BINDERY_MAIL_FROM: 'docs@people.example' } })
  try {
    const org = (await slow.admin.call('post', '/v1/orgs', { title: 'Slow' }).expect(201)).body.id
    await slow.admin.call('post', `/v1/orgs/${org}/invites`, { emails: ['silent@people.example'] }).expect(200)
    while (sockets.length === 0) await new Promise((done) => setTimeout(done, 10))
    await slow.admin.call('post', `/v1/orgs/${org}/invites`, { emails: ['behind@people.example'] }).expect(200)
    await slow.admin.call('post', `/v1/orgs/${org}/spaces`, { title: 'S' }).expect(201)
  } finally {
    for (const socket of sockets) socket.destroy()
    silent.close()
    await slow.close()
  }
})

test('mail settings are validated and never appear in an error', () => {
  const load = (url: string, from = 'docs@people.example') => {
    try {
      loadConfig({ BINDERY_SMTP_URL: url, BINDERY_MAIL_FROM: from })
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.is(load('smtp://u:geheim@mail.example:587'), '')
  assert.is(load('smtps://mail.example', 'Docs Team <docs@people.example>'), '')
  for (const url of ['http://u:geheim@mail.example', 'geheim', 'smtp://']) {
    assert.match(load(url), /BINDERY_SMTP_URL/)
    assert.not.match(load(url), /geheim/)
  }
  assert.match(load('smtp://mail.example', ''), /BINDERY_MAIL_FROM must be set/)
  for (const from of ['x', 'a@b\r\nBcc: c@d', 'a@b, c@d', '<a@b> <c@d>'])
    assert.match(load('smtp://mail.example', from), /BINDERY_MAIL_FROM/)
})

test.run()
