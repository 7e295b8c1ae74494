/**
 * Measures how long the first screens of the app and pages of a site with 10,000 pages take on a slow device:
 * scripts/soak first-screen [loads]. All loads have an empty cache, a processor slowed down four times, and 1.6 Mbit/s.
 * Prints medians: for the app the time from the navigation until the screen shows its content and answers (the goal is
 * 1.5 s on an idle machine), for a site the largest contentful paint (1 s), the requests and the transferred bytes; and
 * the time in which a member corrects a typo on a page of a site (20 s), with a person's pauses.
 */
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'puppeteer-core'
import { required } from '../src/kernel/defined.js'
import { openDesk } from '../test/commits/fixture.js'
import { exceeded, openChromium, SITE_BUDGETS, weigh, type Weights } from '../test/site/chromium.js'
import { publishSite } from '../test/site/published.js'
import { startService } from '../test/support/service.js'

const GOAL_MS = 1_500
const SITE_GOAL_MS = 1_000
const SLOWDOWN = 4
const BYTES_PER_SECOND = 1_600_000 / 8
const TYPO_GOAL_MS = 20_000
/** Times of the keystroke-level model (Card, Moran and Newell, 1980) in milliseconds: an average typist. */
const PERSON = { think: 1_350, point: 1_100, click: 200, changeHands: 400, key: 280 }
const FOLDERS = 100
const loads = Number(process.argv[2] ?? 7)

interface Load {
  ms: number
  weights: Weights
}

interface Screen {
  address: string
  width?: number
  token?: string
  /** Returns the time that is measured, when the page has loaded. */
  time: (page: Page) => Promise<number>
}

/** Loads a screen in a new profile. */
async function load(browser: Browser, { address, width = 1440, token, time }: Screen): Promise<Load> {
  const profile = await browser.createBrowserContext()
  try {
    const page = await profile.newPage()
    await page.setViewport({ width, height: 900 })
    if (token !== undefined) {
      const { origin, hostname } = new URL(here.url)
      const body = JSON.stringify({ token })
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(`${origin}/v1/session`, { method: 'POST', headers, body })
      const [name = '', value = ''] = (response.headers.get('set-cookie') ?? '').split(';')[0]?.split('=') ?? []
      await profile.setCookie({ name, value, domain: hostname, path: '/' })
    }
    const cdp = await page.createCDPSession()
    const weights = await weigh(cdp)
    const speed = {
      downloadThroughput: BYTES_PER_SECOND,
      uploadThroughput: BYTES_PER_SECOND,
      latency: 0,
      offline: false,
    }
    await cdp.send('Network.emulateNetworkConditions', speed)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    await page.goto(address, { waitUntil: 'domcontentloaded' })
    return { ms: await time(page), weights }
  } finally {
    await profile.close()
  }
}

/** The time until a screen of the app shows a text and answers: once a task queued after its content has run. */
const answers =
  (text: string) =>
  async (page: Page): Promise<number> => {
    const shown = await page.waitForFunction(
      (text: string) =>
        document.body?.innerText.includes(text) &&
        new Promise((done) => window.setTimeout(() => done(performance.now()), 0)),
      { polling: 'mutation', timeout: 60_000 },
      text,
    )
    return Number(await shown.jsonValue())
  }

/** The time of the largest contentful paint. */
async function largestPaint(page: Page): Promise<number> {
  await page.waitForNetworkIdle()
  return page.evaluate(
    () =>
      new Promise<number>((done) =>
        new PerformanceObserver((list) => done(list.getEntries().at(-1)?.startTime ?? 0)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        }),
      ),
  )
}

/** Points at an element and clicks it, as fast as a person. */
async function choose(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector, { visible: true })
  await setTimeout(PERSON.think + PERSON.point + PERSON.click)
  await page.click(selector)
}

/** The time in which a member who sees a typo on a page corrects the word and sends the suggestion. */
async function correctTypo(page: Page): Promise<number> {
  await page.waitForNetworkIdle()
  const started = performance.now()
  await choose(page, '[data-suggest]')
  await choose(page, '.prose p.sg-able')
  await page.waitForSelector('.sg-form textarea')
  // Double-clicks the word.
  await setTimeout(PERSON.think + PERSON.point + 2 * PERSON.click)
  await page.$eval('.sg-form textarea', (field) => {
    const area = field as HTMLTextAreaElement
    area.focus()
    const at = area.value.indexOf('serber')
    area.setSelectionRange(at, at + 'serber'.length)
  })
  await setTimeout(PERSON.changeHands)
  await page.keyboard.type('server', { delay: PERSON.key })
  await setTimeout(PERSON.changeHands)
  await choose(page, '.sg-form button[value=member]')
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Send your suggestion')
  await choose(page, 'main button.btn.primary')
  await page.waitForFunction(() => /\/c\/\d+$/.test(location.pathname))
  return performance.now() - started
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

/** Loads a screen several times. Returns the median time and the weights of the last load. */
async function measure(browser: Browser, screen: Screen): Promise<Load> {
  const runs: Load[] = []
  for (let at = 0; at < loads; at++) runs.push(await load(browser, screen))
  return { ms: median(runs.map(({ ms }) => ms)), weights: required(runs.at(-1)).weights }
}

const above = (problems: readonly string[]): string => (problems.length > 0 ? ` (above: ${problems.join('; ')})` : '')
const kilobytes = (bytes = 0): string => (bytes / 1_000).toFixed(1)

/** Publishes a site with 10,000 pages. Returns the addresses of a page with every block, and of a page of text. */
async function openSite(): Promise<[string, string][]> {
  const files: Record<string, string> = {}
  const lines = ['* [Blocks](README.md)']
  for (let at = 0; at < FOLDERS; at++) {
    files[`part-${at}/README.md`] = `# Part ${at}\n\nAn overview.\n`
    lines.push(`* [Part ${at}](part-${at}/README.md)`)
    for (let n = 1; n < FOLDERS; n++) {
      files[`part-${at}/page-${n}.md`] = `# Page ${n} of part ${at}\n\n${`Text of paragraph ${n}. `.repeat(20)}\n`
      lines.push(`  * [Page ${n} of part ${at}](part-${at}/page-${n}.md)`)
    }
  }
  const every = new URL('../test/site/fixtures/every-block.md', import.meta.url)
  files['README.md'] = readFileSync(every, 'utf8')
  const desk = await openDesk(here, { ...files, 'SUMMARY.md': `# Summary\n\n${lines.join('\n')}\n` })
  const site = await publishSite(here, [desk.space])
  const address = `${here.service.sites}${site.base}`
  return [
    ['every block', address],
    ['a page of text', `${address}/part-50/page-50`],
  ]
}

const here = await startService()
const browser = await openChromium(here)
try {
  for (const [name, address] of await openSite()) {
    const before = performance.now()
    await (await fetch(address)).text()
    console.info(`site, ${name}: first rendering in ${Math.round(performance.now() - before)} ms`)
    for (const width of [390, 1440]) {
      const { ms, weights } = await measure(browser, { address, width, time: largestPaint })
      const sizes = [...SITE_BUDGETS.keys()].map((kind) => `${kind} ${kilobytes(weights.bytes.get(kind))} KB`)
      const problems = [...(ms > SITE_GOAL_MS ? [`${SITE_GOAL_MS} ms`] : []), ...exceeded(weights)]
      const later = `and ${weights.onDemand.length} fonts on demand of ${kilobytes(weights.bytes.get('onDemand'))} KB`
      const figures = [`LCP ${Math.round(ms)} ms`, `${weights.requests.length} requests`, ...sizes, later]
      console.info(`site, ${name}, ${width} px: ${figures.join(', ')}${above(problems)}`)
    }
  }
  const desk = await openDesk(here, {
    'README.md': '# Home\n\nWelcome to the harbor.\n',
    'SUMMARY.md': '* [Home](README.md)\n',
  })
  const page = await desk.id('readme')
  const { token } = here.admin
  const screens: [string, string, string, { token?: string }][] = [
    ['sign-in', '/sign-in', 'Sign in', {}],
    ['home', '/', 'Waiting for you', { token }],
    ['a page', `/s/${desk.space}/p/${page}`, 'Welcome to the harbor.', { token }],
    ['the editor', `/s/${desk.space}/p/${page}/edit`, 'Welcome to the harbor.', { token }],
  ]
  for (const [name, path, shows, session] of screens) {
    const { ms, weights } = await measure(browser, { address: here.url + path, time: answers(shows), ...session })
    const size = kilobytes([...weights.bytes.values()].reduce((sum, one) => sum + one, 0))
    console.info(`app, ${name}: ${Math.round(ms)} ms, ${size} KB${above(ms > GOAL_MS ? [`${GOAL_MS} ms`] : [])}`)
  }
  const typo = await openDesk(here, { 'README.md': '# Start\n\nThe serber listens on port 8080.\n' })
  const site = await publishSite(here, [typo.space])
  await here.admin.call('patch', site.api, { suggestions: 'members' }).expect(200)
  const { ms } = await measure(browser, { address: `${here.service.sites}${site.base}`, token, time: correctTypo })
  console.info(`a member corrects a typo: ${(ms / 1_000).toFixed(1)} s${above(ms > TYPO_GOAL_MS ? ['20 s'] : [])}`)
} finally {
  await browser.close()
  await here.close()
}
