/**
 * Measures how long the first screens of the app take on a slow device: scripts/soak first-screen [loads]. Prints the
 * median time from the navigation until the screen shows its content and answers, with an empty cache, at a processor
 * slowed down four times and 1.6 Mbit/s. The goal is 1.5 s on an idle machine.
 */
import type { Browser } from 'puppeteer-core'
import { openDesk } from '../test/commits/fixture.js'
import { openChromium } from '../test/site/chromium.js'
import { startService } from '../test/support/service.js'

const GOAL_MS = 1_500
const SLOWDOWN = 4
const BYTES_PER_SECOND = 1_600_000 / 8
const loads = Number(process.argv[2] ?? 7)

interface Load {
  ms: number
  kilobytes: number
}

/** Loads a screen in a new profile. */
async function load(
  browser: Browser,
  origin: string,
  path: string,
  shows: string,
  token: string | null,
): Promise<Load> {
  const profile = await browser.createBrowserContext()
  try {
    const page = await profile.newPage()
    await page.setViewport({ width: 1440, height: 900 })
    if (token !== null) {
      const body = JSON.stringify({ token })
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(`${origin}/v1/session`, { method: 'POST', headers, body })
      const [name = '', value = ''] = (response.headers.get('set-cookie') ?? '').split(';')[0]?.split('=') ?? []
      await profile.setCookie({ name, value, domain: new URL(origin).hostname, path: '/' })
    }
    const cdp = await page.createCDPSession()
    let bytes = 0
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength))
    await cdp.send('Network.enable')
    const speed = {
      downloadThroughput: BYTES_PER_SECOND,
      uploadThroughput: BYTES_PER_SECOND,
      latency: 0,
      offline: false,
    }
    await cdp.send('Network.emulateNetworkConditions', speed)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    await page.goto(origin + path, { waitUntil: 'domcontentloaded' })
    // The screen answers once a task that is queued after its content has run.
    const shown = await page.waitForFunction(
      (text: string) =>
        document.body?.innerText.includes(text) && new Promise((done) => setTimeout(() => done(performance.now()), 0)),
      { polling: 'mutation', timeout: 60_000 },
      shows,
    )
    return { ms: Number(await shown.jsonValue()), kilobytes: bytes / 1_024 }
  } finally {
    await profile.close()
  }
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

const here = await startService()
const browser = await openChromium(here)
try {
  const desk = await openDesk(here, {
    'README.md': '# Home\n\nWelcome to the harbor.\n',
    'SUMMARY.md': '* [Home](README.md)\n',
  })
  const page = await desk.id('readme')
  const screens: [string, string, string, string | null][] = [
    ['sign-in', '/sign-in', 'Sign in', null],
    ['home', '/', 'Waiting for you', here.admin.token],
    ['a page', `/s/${desk.space}/p/${page}`, 'Welcome to the harbor.', here.admin.token],
    ['the editor', `/s/${desk.space}/p/${page}/edit`, 'Welcome to the harbor.', here.admin.token],
  ]
  for (const [name, path, shows, token] of screens) {
    const runs: Load[] = []
    for (let at = 0; at < loads; at++) runs.push(await load(browser, here.url, path, shows, token))
    const ms = median(runs.map((one) => one.ms))
    const size = median(runs.map((one) => one.kilobytes))
    console.info(`${name}: ${Math.round(ms)} ms, ${Math.round(size)} KB${ms > GOAL_MS ? ' (above the goal)' : ''}`)
  }
} finally {
  await browser.close()
  await here.close()
}
