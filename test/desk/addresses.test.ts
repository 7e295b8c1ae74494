/** Follows `urls.app` of each kind of resource in Chromium: the app shows the resource there. */
import type { Browser, Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { shows, signedIn } from './browser.js'

const test = suite('desk/addresses')
let here: TestService
let browser: Browser
let page: Page
test.before(async () => {
  here = await startService()
  ;({ browser, page } = await signedIn(here, here.admin.token))
})
test.after(async () => {
  await browser.close()
  await here.close()
})

test('urls.app of every kind of resource opens a screen of the resource', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [Harbor](harbor.md)\n', 'harbor.md': '# Harbor\n\nShips.\n' })
  const org = `/v1/orgs/${here.organization}`
  const get = async (path: string) => (await here.admin.call('get', path).expect(200)).body
  const make = async (path: string, body: object) => (await here.admin.call('post', path, body).expect(201)).body
  const harbor = await desk.id('harbor')
  const request = await desk.changeRequest('Deeper water')
  await request.write([{ operation: 'update_page', page: harbor, document: { markdown: '# Harbor\n\nDeep.\n' } }])
  const { body: spec } = await here.admin
    .call('put', `${org}/openapi/pets`, { source: { text: 'openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\n' } })
    .expect(201)
  const head = await desk.git('rev-parse', 'main')
  const resources: [json: { urls: { app: string } }, text: string][] = [
    [await get(org), 'Spaces'],
    [await make(`${org}/collections`, { title: 'Shelf' }), 'Shelf'],
    [await get(desk.url), 'Ships.'],
    [await get(`${desk.url}/content/page/${harbor}`), 'Ships.'],
    [await get(`${desk.url}/revisions/${head}/page/${harbor}`), 'As of'],
    [(await get(`${desk.url}/revisions`)).items[0], 'As of'],
    [(await get(`${desk.url}/search?query=ships`)).items[0], 'Ships.'],
    [await get(request.url), 'Deeper water'],
    [await make(`${org}/sites`, { title: 'Port site', spaces: [desk.space] }), 'Port site'],
    [spec, 'pets'],
  ]
  for (const [json, text] of resources) {
    const address = json.urls.app
    assert.ok(address.startsWith(`${here.url}/`), address)
    await page.goto(address)
    await shows(page, 'body', text)
    assert.not.ok((await page.content()).includes('There is nothing at this address'), address)
  }
})

test('addresses of missing and of forbidden resources show the same screen', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [Secret](secret.md)\n', 'secret.md': '# Secret\n' })
  const secret = await desk.id('secret')
  const guest = await here.caller('read')
  await here.admin.call('patch', desk.url, { defaultLevel: null }).expect(200)
  const other = await signedIn(here, guest.token)
  try {
    const seen: string[] = []
    for (const to of [`/s/${desk.space}/p/${secret}`, '/s/nothing/p/nothing', '/s/nothing']) {
      await other.page.goto(`${here.url}${to}`)
      await shows(other.page, 'main', 'There is nothing at this address')
      seen.push(await other.page.$eval('main', (main) => main.textContent ?? ''))
    }
    assert.equal(new Set(seen).size, 1)
  } finally {
    await other.browser.close()
  }
})

test.run()
