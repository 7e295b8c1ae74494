/** Reads pages, searches and replies in the app, in Chromium, by keyboard. */
import type { Browser, Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import { type Caller, startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { axeReport, shows, signedIn } from './browser.js'

const test = suite('desk/reading')
let here: TestService
let desk: Desk
let author: Caller
let browser: Browser
let page: Page
const errors: string[] = []

const FILES = {
  'SUMMARY.md':
    '* [Home](README.md)\n* [Harbor](harbor.md)\n* [Elsewhere](https://example.org/x)\n\n## Group\n\n* [Quay](quay.md)\n',
  'README.md': '# Home\n\nSee the [harbor](harbor.md) and [nothing](gone.md).\n',
  'harbor.md': '# Harbor\n\nShips moor here.\n\n## Depth\n\nFour fathoms.\n',
  'quay.md': '---\nhidden: true\n---\n\n# Quay\n\nA **mole** of stone.\n',
}

test.before(async () => {
  here = await startService()
  desk = await openDesk(here, FILES)
  author = await here.caller('edit')
  const { body } = await author.call('post', `${desk.url}/change-requests`, { subject: 'Deeper water' }).expect(201)
  const request = `${desk.url}/change-requests/${body.id}`
  const changes = [
    { operation: 'update_page', page: await desk.id('harbor'), document: { markdown: '# Harbor\n\nFive.\n' } },
  ]
  await author.call('post', `${request}/content`, { changes }).expect(200)
  await author.call('post', `${request}/requested-reviewers`, { users: [here.admin.user] }).expect(200)
  ;({ browser, page } = await signedIn(here, here.admin.token))
  page.on('pageerror', (error) => errors.push(String(error)))
})
test.after(async () => {
  await browser.close()
  await here.close()
})

const path = (): string => new URL(page.url()).pathname
const at = (to: string) => page.goto(`${here.url}${to}`)
const arrives = (to: string) => page.waitForFunction((wanted) => location.pathname + location.hash === wanted, {}, to)

test('a space opens at its first page, and keys move between the pages', async () => {
  await at(`/s/${desk.space}`)
  await shows(page, 'main h1', 'Home')
  await shows(page, 'main', 'See the harbor')
  await page.keyboard.press('j')
  await shows(page, 'main h1', 'Harbor')
  assert.is(path(), `/s/${desk.space}/p/${await desk.id('harbor')}`)
  await shows(page, '.rail', 'Depth')
  await shows(page, '.rail', '1 page links here')
  await shows(page, '.rail', 'Deeper water')
  await page.keyboard.press('j')
  await shows(page, 'main .chip', 'Hidden from readers')
  await page.keyboard.press('k')
  await shows(page, 'main h1', 'Harbor')
  const regions = new Set<string>()
  for (let n = 0; n < 5; n++) {
    await page.keyboard.press('F6')
    regions.add(
      await page.evaluate(() => document.activeElement?.closest('.top, .ribbon, .side, #main, .rail')?.className ?? ''),
    )
  }
  assert.is(regions.size, 5, [...regions].join(', '))
  await page.keyboard.press('/')
  await page.keyboard.type('qua')
  assert.is(path(), `/s/${desk.space}/p/${await desk.id('harbor')}`, 'keys in a field are text')
  await page.waitForFunction(() => document.querySelectorAll('.side .tree a').length === 1)
})

test('a past revision is labeled as such and links to the current content', async () => {
  const before = await desk.git('rev-parse', 'main')
  await desk.human({ 'README.md': '# Home\n\nAll is new.\n' })
  const home = await desk.id('readme')
  await at(`/s/${desk.space}/p/${home}?at=${before}`)
  await shows(page, 'main', 'See the harbor')
  await shows(page, '.ribbon', 'As of')
  assert.is(await page.$('a[href$="/edit"]'), null)
  await page.click('.ribbon .btn.primary')
  await shows(page, 'main', 'All is new.')
  await desk.human({ 'README.md': FILES['README.md'] })
})

test('the command box finds a text in all spaces and opens its page by keyboard', async () => {
  await at('/')
  await shows(page, 'h2', 'Waiting for you')
  await shows(page, 'li', 'Review “Deeper water”')
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.waitForSelector('#palette[open]')
  await page.keyboard.type('fathoms')
  await shows(page, '#palette [role="option"]', 'Harbor › Depth')
  await shows(page, '#palette mark', 'fathoms')
  // Enter that ends a composition opens nothing.
  await page.evaluate(() => {
    const field = document.querySelector('#palette input')
    field?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))
  })
  assert.is(path(), '/')
  await page.keyboard.press('Enter')
  await arrives(`/s/${desk.space}/p/${await desk.id('harbor')}#depth`)
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.waitForSelector('#palette[open]')
  await page.keyboard.type('>broken')
  await shows(page, '#palette [role="option"]', 'Broken links')
  await page.keyboard.press('Enter')
  await arrives(`/s/${desk.space}/links`)
  await shows(page, 'main code', 'gone.md')
})

test('notifications can be marked as read, and their settings are stored', async () => {
  await at('/inbox')
  await shows(page, '.unread', 'asks for your review of #1')
  await page.click('.unread button')
  await shows(page, 'main', 'No notifications')
  await page.waitForFunction(
    async () => (await (await fetch('/v1/user/notifications?status=unread')).json()).count === 0,
  )
  const last = '#settings tr:last-child td:last-child input'
  await page.click(last)
  await page.waitForFunction(
    async () => (await (await fetch('/v1/user/settings')).json()).notifications.merges.mail === true,
  )
  assert.is(await page.$eval(last, (input) => input.getAttribute('aria-checked')), 'true')
})

test('single-key shortcuts can be switched off', async () => {
  await at(`/s/${desk.space}`)
  await shows(page, 'main h1', 'Home')
  await page.keyboard.press('?')
  await page.waitForSelector('dialog[open] input[role="switch"]')
  await page.click('dialog[open] input[role="switch"]')
  await page.waitForFunction(async () => !(await (await fetch('/v1/user/settings')).json()).singleKeys)
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.querySelector('dialog[open]') === null)
  await page.keyboard.press('j')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  assert.is(path(), `/s/${desk.space}`)
  await at('/settings')
  await shows(page, 'h2', 'This app')
  await here.admin.call('patch', '/v1/user/settings', { singleKeys: true }).expect(200)
})

test('a token is created, shown once, and revoked', async () => {
  await at('/settings/tokens')
  await page.waitForSelector('form input.in')
  await page.type('form input.in', 'Nightly')
  await page.click('form .btn.primary')
  await shows(page, '.note', 'Copy the token now.')
  const secret = await page.$eval('.note code', (code) => code.textContent ?? '')
  const user = (await here.admin.call('get', '/v1/user')).body
  const asToken = await fetch(`${here.url}/v1/user`, { headers: { Authorization: `Bearer ${secret}` } })
  assert.is(((await asToken.json()) as { id: string }).id, user.id)
  await page.reload()
  await shows(page, 'main li', 'Nightly')
  assert.not.ok((await page.content()).includes(secret))
  await page.click('button[aria-label="Revoke “Nightly”"]')
  await page.waitForSelector('dialog[open] .btn.danger')
  await page.click('dialog[open] .btn.danger')
  await shows(page, '.toast', '“Nightly” was revoked.')
  const after = await fetch(`${here.url}/v1/user`, { headers: { Authorization: `Bearer ${secret}` } })
  assert.is(after.status, 401)
  await at('/settings/devices')
  await shows(page, 'main li', 'This device')
})

test('axe reports no violation on these screens, light and dark, wide and narrow', async () => {
  const harbor = `/s/${desk.space}/p/${await desk.id('harbor')}`
  const org = (await here.admin.call('get', '/v1/orgs').expect(200)).body.items[0].id
  const screens: [string, string][] = [
    ['/', 'Waiting for you'],
    [`/o/${org}`, 'Spaces'],
    [harbor, 'Ships moor here.'],
    [`/s/${desk.space}/links`, 'gone.md'],
    ['/inbox', 'What reaches you'],
    ['/settings', 'This app'],
    ['/settings/tokens', 'New token'],
    ['/settings/devices', 'This device'],
  ]
  for (const [width, scheme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewport({ width, height: 900 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    for (const [to, text] of screens) {
      await at(to)
      await shows(page, 'body', text)
      assert.equal(await axeReport(page), [], `${to} at ${width}`)
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      assert.not.ok(isWide, `${to} scrolls sideways at ${width}`)
    }
  }
  assert.equal(errors, [])
})

test.run()
