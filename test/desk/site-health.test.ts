/** An admin turns on the provenance and the statistics of a site, a reader visits it, and the health names what to do. */
import * as assert from 'uvu/assert'
import { storeCounts } from '../../src/domain/health/record.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish } from '../site/support.js'
import { openApp } from './browser.js'

const READER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36'

const [test, context] = await suiteWith('desk/site-health', async () => {
  const here = await startService({ env: { BINDERY_TRUST_PROXY: '1' } })
  const site = await publish(here, { Install: 'See [the guide](nothing.md).\n', Configure: 'Text.\n' })
  const app = await openApp(here, here.admin.token)
  const close = async (): Promise<void> => {
    await app.browser.close()
    await here.close()
  }
  return { here, site, app, close }
})
const { here, site, app } = context

test('an admin turns on provenance and counting, and a reader sees the state of the signature', async () => {
  await app.open(`/sites/${site.id}/settings`)
  await app.click('Show signatures of commits, and sign statements about pages', 'switch')
  await app.open(`/sites/${site.id}/health`)
  await app.sees('Readers of this site are not counted.')
  await app.click('Count reads, searches and missing addresses', 'switch')
  await app.seesNo('Readers of this site are not counted.')
  const reader = await (await app.browser.createBrowserContext()).newPage()
  await reader.setUserAgent({ userAgent: READER })
  await reader.goto(`${site.address}/install`, { waitUntil: 'load' })
  const link = await reader.$eval('.record a[href*="~/provenance"]', (one) => ({
    text: one.textContent,
    href: (one as HTMLAnchorElement).href,
  }))
  assert.is(link.text, 'Not signed')
  const { statement } = JSON.parse(await (await fetch(link.href)).text())
  assert.is(statement.file.path, 'install.md')
  for (let visit = 0; visit < 2; visit++) await reader.goto(`${site.address}/install`, { waitUntil: 'load' })
  assert.equal(await reader.cookies(), [], 'counting needs no cookies')
  for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    await reader.setExtraHTTPHeaders({ 'X-Forwarded-For': from })
    await reader.goto(`${site.address}/~search?q=kubernetes`, { waitUntil: 'load' })
  }
  await reader.close()
})

test('the health shows empty searches, unread pages and broken links, also as CSV', async () => {
  await storeCounts(here.service.app, { all: true })
  await app.open(`/sites/${site.id}/health`)
  await app.sees('kubernetes')
  await app.sees('Broken links (1)')
  await app.click('Unread (2)')
  await app.sees('Configure')
  await app.page.waitForFunction(() => !document.querySelector('#main')?.textContent?.includes('Install'))
  const csv = await app.page.evaluate(async () => {
    const link = document.querySelector<HTMLAnchorElement>('a[href*="table=pages"]')
    const response = await fetch(link?.href ?? '')
    return { status: response.status, text: await response.text() }
  })
  assert.is(csv.status, 200)
  assert.match(csv.text, /,Install,install,3,0,0,1,/)
})

test('the health is legible on every width, in light and dark', async () => {
  for (const [width, scheme] of [
    [390, 'dark'],
    [834, 'light'],
    [1440, 'dark'],
  ] as const) {
    await app.page.setViewport({ width, height: 900 })
    await app.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await app.open(`/sites/${site.id}/health`)
    await app.sees('kubernetes')
    await app.checkAxe(`health at ${width}, ${scheme}`)
    assert.not.ok(await app.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), `${width} scrolls`)
  }
})

test('an admin adds the key of a signer', async () => {
  await app.open(`/o/${here.organization}/settings/general`)
  await app.type('Allowed signers', 'nothing useful')
  const save = async () =>
    app.page.evaluate(() => {
      const form = [...document.querySelectorAll('form')].find((one) => one.textContent?.includes('Allowed signers'))
      form?.requestSubmit()
    })
  await save()
  await app.sees('line 1')
})

test.run()
