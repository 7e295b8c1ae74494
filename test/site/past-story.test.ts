/** A reader in Chromium opens a page as it was, and returns after a week: the page offers what has changed since then. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openChromium } from './chromium.js'
import { publishSite } from './published.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const DAY = 24 * 60 * 60
const [test, context] = await suiteWith('sites: past and changes in Chromium', async () => {
  const here = await startService()
  const now = Math.floor(Date.now() / 1000)
  const desk = await openDesk(here, { 'README.md': '# Start\n\nText.\n' })
  const commit = (daysAgo: number, files: Record<string, string>) =>
    desk.human(files, { author: 'Ada Okafor', seconds: now - daysAgo * DAY })
  const guide = (...blocks: string[]) => ({ 'guide.md': `# Install\n\n${blocks.join('\n\n')}\n` })
  const requirements = ['## Requirements', 'The server needs Node 20.', '- Git 2.39\n- 2 GB of memory']
  await commit(40, guide('Download the archive and unpack it.', ...requirements))
  await commit(20, { 'config.md': '# Configure\n\nSet the port.\n' })
  await commit(
    2,
    guide(
      'Download the archive and unpack it into a folder.',
      '## Requirements',
      'The server needs Node 20 or 24.',
      '{% hint style="info" %}\nChromium is optional. PDFs need it.\n{% endhint %}',
      '- Git 2.39\n- 2 GB of memory',
      '```sh\nnode dist/main.js serve\n```',
    ),
  )
  await commit(1, { 'config.md': '# Configure\n\nSet the port and the folder.\n' })
  const site = await publishSite(here, [desk.space])
  await here.admin.call('patch', site.api, { pastVersions: true, changesSince: true }).expect(200)
  const browser = await openChromium(here)
  const close = async () => {
    await browser.close()
    await here.close()
  }
  return { here, site, browser, close, origin: here.service.sites, now }
})
const { site, browser, origin, now } = context

const dayOf = (daysAgo: number): string => new Date((now - daysAgo * DAY) * 1000).toISOString().slice(0, 10)

/** Opens a page without script. `PICTURES=<folder>` stores a picture of it. */
async function openStill(path: string, width: number, scheme: 'light' | 'dark') {
  const page = await browser.newPage()
  await page.setViewport({ width, height: 900 })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  await page.setJavaScriptEnabled(false)
  await page.goto(`${origin}${site.base}${path}`)
  const { PICTURES: folder } = process.env
  if (folder)
    await page.screenshot({
      path: `${folder}/${path.includes('/at/') ? 'past' : path.includes('~') ? 'versions' : path.includes('since') ? 'since' : 'page'}-${width}-${scheme}.png`,
    })
  return page
}

/** Returns what axe finds on a page. */
async function findings(path: string, width: number, scheme: 'light' | 'dark'): Promise<unknown> {
  const page = await browser.newPage()
  await page.setViewport({ width, height: 900 })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  await page.goto(`${origin}${site.base}${path}`)
  await page.evaluate(axe)
  const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
  await page.close()
  return found
}

test('a page as it was has a notice that leads to the current page, without script', async () => {
  for (const width of [390, 834, 1440])
    for (const scheme of ['light', 'dark'] as const) {
      const page = await openStill(`/~/at/${dayOf(30)}/guide`, width, scheme)
      const text = await page.$eval('main', (main) => main.innerText)
      assert.match(text, 'The server needs Node 20.')
      assert.not.match(text, 'Chromium')
      // Without script, Puppeteer cannot click.
      await page.goto(await page.$eval('main aside a', (link) => (link as HTMLAnchorElement).href))
      assert.match(await page.$eval('main', (main) => main.textContent ?? ''), 'Chromium is optional')
      await page.close()
    }
})

test('changed blocks have a bar and a label at every width, without script', async () => {
  for (const width of [390, 834, 1440])
    for (const scheme of ['light', 'dark'] as const) {
      const page = await openStill(`/guide?since=${dayOf(30)}`, width, scheme)
      const labels = await page.$$eval('.mark', (marks) =>
        marks.map((mark) => [mark.textContent, mark.getBoundingClientRect().width > 0]),
      )
      assert.equal(labels, [
        ['Changed', true],
        ['Changed', true],
        ['New', true],
        ['New', true],
      ])
      assert.is(await page.$eval('html', (root) => root.scrollWidth <= root.clientWidth), true)
      await page.close()
    }
})

test('a page leads to the list of its versions, and from there to the page as it was', async () => {
  for (const width of [390, 834, 1440])
    for (const scheme of ['light', 'dark'] as const) {
      const current = await openStill('/guide', width, scheme)
      const href = await current.$eval('.record a[href*="/~/versions/"]', (link) => (link as HTMLAnchorElement).href)
      await current.close()
      const page = await openStill(new URL(href).pathname.slice(site.base.length), width, scheme)
      assert.is(await page.$eval('html', (root) => root.scrollWidth <= root.clientWidth), true)
      const links = await page.$$eval('main li a', (all) => all.map((link) => (link as HTMLAnchorElement).href))
      assert.is(links.length, 2)
      await page.goto(links[1] ?? '')
      assert.match(await page.$eval('main', (main) => main.textContent ?? ''), 'The server needs Node 20.')
      await page.close()
    }
})

test('axe finds nothing on the pages', async () => {
  for (const path of [`/~/at/${dayOf(30)}/guide`, `/guide?since=${dayOf(30)}`, '/~/versions/guide'])
    for (const [width, scheme] of [
      [390, 'dark'],
      [1440, 'light'],
    ] as const)
      assert.equal(await findings(path, width, scheme), [], `${path} ${width} ${scheme}`)
})

test('the browser remembers the last visit, and the page offers what has changed since then', async () => {
  const page = await browser.newPage()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const open = () => page.goto(`${origin}${site.base}/guide`, { waitUntil: 'networkidle0' })
  const isOffered = () => page.$eval('a[data-visits]', (link) => !(link as HTMLElement).hidden)
  await open()
  assert.is(await isOffered(), false)
  // A week ago, the reader was here for the last time.
  const key = `bindery-visits:${site.base}`
  const past = (now - 7 * DAY) * 1000
  await page.evaluate((name, last) => localStorage.setItem(name, JSON.stringify({ last })), key, past)
  await open()
  assert.is(await isOffered(), true)
  // It stays the same during this visit.
  await open()
  const sent = requests.some((url) => url.includes('since='))
  assert.is(sent, false)
  await Promise.all([page.waitForNavigation(), page.click('a[data-visits]')])
  assert.is(new URL(page.url()).searchParams.get('since'), new Date(past).toISOString().replace('.000Z', 'Z'))
  const notice = await page.$eval('.since', (one) => one.textContent ?? '')
  assert.match(notice, '2 blocks changed · 2 blocks added')
  assert.match(notice, /\d pages of this site have changed/)
  await page.evaluate((name) => localStorage.setItem(name, '{"last":"x"}'), key)
  await open()
  assert.is(await isOffered(), false)
  await page.close()
})

test.run()
