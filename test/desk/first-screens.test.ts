/** The first screen of the app: its page names the code and the data, so both are loaded along with the shell. */
import { basename } from 'node:path'
import type { Browser, HTTPRequest } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { FIRST_SCREENS } from '../../src/desk/first-screens.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { signedIn } from './browser.js'

const test = suite('desk/first-screens')
let here: TestService
let desk: Desk
let browser: Browser
let page: Awaited<ReturnType<typeof signedIn>>['page']
const values: Record<string, string> = {}

test.before(async () => {
  here = await startService()
  desk = await openDesk(here, {
    'README.md': '# Home\n\nWelcome to the harbor.\n',
    'SUMMARY.md': '* [Home](README.md)\n',
  })
  const { body } = await here.admin.call('post', `${desk.url}/change-requests`, { subject: 'Deeper water' }).expect(201)
  Object.assign(values, { space: desk.space, page: await desk.id('readme'), number: String(body.number) })
  ;({ browser, page } = await signedIn(here, here.admin.token))
})
test.after(async () => {
  await browser?.close()
  await here.close()
})

const filled = (text: string): string => text.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? '')
const SHOWS: Readonly<Record<string, string>> = {
  'sign-in': 'Sign in',
  home: 'Waiting for you',
  space: 'Welcome to the harbor.',
  editor: 'Welcome to the harbor.',
  'change-request': 'Deeper water',
}

/** Opens an address. Returns what the page names, and what was loaded when its screen shows a text. */
async function load(
  path: string,
  text: string,
): Promise<{ named: string[]; scripts: string[]; data: string[]; unused: string[] }> {
  const html = await (
    await fetch(here.url + path, { headers: { Accept: 'text/html', Cookie: `bindery_session=${'x'.repeat(40)}` } })
  ).text()
  const named = [...html.matchAll(/\/~desk\/([\w-]+\.js)/g)].map(([, name = '']) => name)
  await page.goto(here.url + path, { waitUntil: 'domcontentloaded' })
  const loaded = await page.waitForFunction(
    (wanted: string) =>
      document.body?.innerText.includes(wanted) &&
      performance.getEntriesByType('resource').map(({ name }) => name.slice(location.origin.length)),
    { polling: 'mutation', timeout: 60_000 },
    text,
  )
  const all = (await loaded.jsonValue()) || []
  return {
    named,
    scripts: all.filter((one) => one.endsWith('.js')).map((one) => basename(one)),
    data: all.filter((one) => one.startsWith('/v1/')),
    unused: await page.evaluate(() => [...(globalThis.binderyEarly?.keys() ?? [])]),
  }
}

for (const { pattern, screen, data } of FIRST_SCREENS)
  test(`the page at ${pattern} names the code and the data of its screen`, async () => {
    const { named, scripts, data: requested, unused } = await load(filled(pattern), SHOWS[screen] ?? '')
    const own = scripts.filter((name) => name.replace(/-\w{8}\.js$/, '') === screen)
    assert.is(own.length, 1, scripts.join(' '))
    assert.ok(named.includes(own[0] ?? ''), named.join(' '))
    assert.equal(
      ['/v1/session', ...data.map(filled)].filter((one) => !requested.includes(one)),
      [],
    )
    assert.equal(unused, [])
  })

test('keys that are pressed before the tools of the editor are there act, or wait for them', async () => {
  const held: HTTPRequest[] = []
  const hold = (request: HTTPRequest): void => {
    if (/\/tools-\w+\.js$/.test(request.url())) held.push(request)
    else void request.continue()
  }
  await page.setRequestInterception(true)
  page.on('request', hold)
  await page.setCacheEnabled(false)
  await page.goto(`${here.url}${filled('/s/:space/p/:page/edit')}`, { waitUntil: 'domcontentloaded' })
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('Welcome to the harbor.'))
  const text = () => page.$$eval('.cm-line', (lines) => lines.map((one) => one.textContent).join('\n'))
  const shows = (wanted: string) =>
    page.waitForFunction(
      (all: string) => [...document.querySelectorAll('.cm-line')].map((one) => one.textContent).join('\n') === all,
      {},
      wanted,
    )
  await page.keyboard.type('One')
  await page.keyboard.press('Enter')
  await page.keyboard.type('two')
  await page.keyboard.press('Tab')
  await shows('One\ntwo# Home\n\nWelcome to the harbor.\n')
  assert.is(await page.evaluate(() => document.activeElement?.classList.contains('cm-content')), true)
  page.off('request', hold)
  await page.setRequestInterception(false)
  assert.is(held.length, 1)
  await held[0]?.continue()
  await shows('One\n  two# Home\n\nWelcome to the harbor.\n')
  for (let steps = 0; steps < 20 && (await text()) !== '# Home\n\nWelcome to the harbor.\n'; steps++) {
    await page.keyboard.down('Control')
    await page.keyboard.press('z')
    await page.keyboard.up('Control')
  }
  assert.is(await text(), '# Home\n\nWelcome to the harbor.\n')
})

test('without a session the page requests no data of spaces', async () => {
  const html = await (await fetch(`${here.url}/s/${desk.space}`, { headers: { Accept: 'text/html' } })).text()
  assert.match(html, 'data-early="/v1/session"')
  const hostile = await (
    await fetch(`${here.url}/s/%22%3E%3Cscript%3E/p/x`, { headers: { Accept: 'text/html' } })
  ).text()
  assert.match(hostile, 'data-early="/v1/session"')
})

test('files with a hash in their name are kept across sessions and sent as Brotli', async () => {
  const html = await (await fetch(here.url, { headers: { Accept: 'text/html' } })).text()
  const [, name] = /(\/~desk\/main-[\w-]+\.css)/.exec(html) ?? []
  // As Chromium sends it.
  const response = await fetch(here.url + name, { headers: { 'Accept-Encoding': 'gzip, deflate, br, zstd' } })
  assert.is(response.headers.get('content-encoding'), 'br')
  assert.is(response.headers.get('vary'), 'Accept-Encoding')
  assert.match(response.headers.get('cache-control') ?? '', 'immutable')
})

test.run()
