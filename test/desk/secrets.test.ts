/** Secrets of people who use the app: they are in no address except one-time links, in no log, and in no referrer. */
import { Writable } from 'node:stream'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type DeskPage, openApp } from './browser.js'

let logged = ''
const destination = new Writable({
  write(chunk, _, done) {
    logged += String(chunk)
    done()
  },
})
const [test, here] = await suiteWith('desk/secrets', () =>
  startService({
    env: { BINDERY_ADMIN_TOKEN: '' },
    overrides: { log: createLog({ level: 'debug', destination }) },
  }),
)

/** Opens the app, and records the addresses and the referrers of all its requests. */
async function watched(work: (app: DeskPage, addresses: string[]) => Promise<void>): Promise<void> {
  const app = await openApp(here)
  const addresses: string[] = []
  app.page.on('request', (one) => addresses.push(one.url(), one.headers()['referer'] ?? ''))
  app.page.on('framenavigated', (frame) => addresses.push(frame.url()))
  try {
    await work(app, addresses)
  } finally {
    await app.browser.close()
  }
}
const cookieOf = async ({ page }: DeskPage): Promise<string> =>
  (await page.browserContext().cookies()).find(({ name }) => /session/.test(name))?.value ?? ''

test('a secret is in no address but that of a one-time link, and in no log', async () => {
  const first = here.service.first.link ?? ''
  await watched(async (app, addresses) => {
    const { page } = app
    await app.open(`/start#${first}`)
    await app.click('Continue')
    await app.type('Your name', 'Ines Okafor')
    await app.click('Continue to your docs')
    await page.waitForFunction(() => location.pathname === '/new')
    const session = await cookieOf(app)
    assert.ok(session.length > 20)
    await app.open('/settings/tokens')
    await page.waitForSelector('form input.in')
    await page.type('form input.in', 'Nightly')
    await page.click('form .btn.primary')
    await app.sees('Copy the token now.')
    const token = await page.$eval('.note code', (code) => code.textContent ?? '')
    await app.open(`/o/${here.organization}/settings/members`)
    await app.click('Invite people')
    await app.type('Email addresses', 'wanda@example.com')
    await app.click('Send invitations')
    await app.sees('1 person was invited.')
    const link = await page.$eval('input[aria-label="wanda@example.com"]', (one) => (one as HTMLInputElement).value)
    const invitation = new URL(link).hash.slice(1)
    const isFirst = (address: string): boolean => new URL(address, here.url).pathname === '/start'
    for (const secret of [session, token, invitation, first]) {
      assert.ok(secret.length > 20)
      const own = addresses.filter((address) => address.includes(secret))
      assert.equal(
        own.filter((address) => !(secret === first && isFirst(address))),
        [],
      )
    }
    await watched(async (other, theirs) => {
      await other.open('/sign-in')
      const signedIn = await request(here.url).post('/v1/session').send({ token: 'bindery_wrong_0123456789abcdef' })
      assert.is(signedIn.status, 401)
      await other.page.goto(link, { waitUntil: 'load' })
      await other.sees('Accept the invitation')
      assert.equal(
        theirs.filter((address) => address.includes(invitation) && !address.startsWith(link)),
        [],
      )
    })
    assert.ok(logged.length > 1_000, 'the log has lines')
    for (const secret of [session, token, invitation, first, 'bindery_wrong_0123456789abcdef'])
      assert.not.ok(logged.includes(secret), 'no secret is in the log')
  })
})

const PLANTED = 'bindery_session=bindery_planted_by_an_attacker_0123456789'

test('a page of another origin changes nothing, whatever it sends', async () => {
  await watched(async (app) => {
    const { page } = app
    const { body } = await request(here.url).get('/v1/user').expect(401)
    assert.ok(body.error)
    await page.setRequestInterception(true)
    page.on('request', (one) => {
      if (one.url().startsWith('http://attacker.example/'))
        void one.respond({ contentType: 'text/html', body: '<!doctype html><title>x</title>' })
      else void one.continue()
    })
    await page.setCookie({
      name: PLANTED.split('=')[0] ?? '',
      value: PLANTED.split('=')[1] ?? '',
      url: here.url,
    })
    await page.goto('http://attacker.example/')
    const sent = await page.evaluate(async (to) => {
      const statuses: string[] = []
      for (const init of [
        { method: 'POST', mode: 'no-cors', body: '{"displayName":"x"}', headers: { 'Content-Type': 'text/plain' } },
        { method: 'PATCH', body: '{"displayName":"x"}', headers: { 'X-Requested-By': 'desk' } },
        { method: 'GET' },
      ] as const)
        statuses.push(
          await fetch(`${to}/v1/user`, { ...init, credentials: 'include' })
            .then((response) => response.type)
            .catch(() => 'refused'),
        )
      return statuses
    }, here.url)
    for (const one of sent) assert.ok(['refused', 'opaque'].includes(one), one)
    await app.open('/')
    // The planted cookie is no session, so the app asks to sign in.
    await app.sees('Sign in')
    assert.is((await fetch(`${here.url}/v1/user`, { headers: { Cookie: PLANTED } })).status, 401)
  })
})

test.run()
