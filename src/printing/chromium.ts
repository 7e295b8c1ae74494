/** Starts Chromium and prints documents with it. Runs in a process of its own (`print-process.ts`). */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type HTTPRequest } from 'puppeteer-core'
import { type Engine, ORIGIN } from './order.js'

/** A file for the engine. */
export interface Served {
  contentType: string
  body: Buffer
}

const ARGUMENTS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-gpu',
  '--disable-sync',
  '--dns-prefetch-disable',
  '--font-render-hinting=none',
  '--no-first-run',
  '--no-pings',
  // Should anything ask for the network in spite of all: there is no name that resolves, and no proxy that answers.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=socks5://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
]
/** Nothing but the book itself, without scripts. */
const POLICY = `default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'`

/** Longest time that Chromium may take to start, and to print one document. */
const START_MS = 60_000
const PRINT_MS = 300_000

/**
 * Where the folder for what Chromium writes is made, and its name. Not where TMPDIR says: that may be a folder of this user's own,
 * and Chromium may run as another.
 */
const PLACE = process.platform === 'linux' ? '/tmp' : tmpdir()
const PROFILE = 'bindery-chromium-'
/** A process that was killed could not remove its folder. No book takes as long as this. */
const OLD_MS = 60 * 60 * 1000

function removeOldProfiles(): void {
  for (const name of readdirSync(PLACE)) {
    if (!name.startsWith(PROFILE)) continue
    const folder = join(PLACE, name)
    try {
      if (Date.now() - statSync(folder).mtimeMs > OLD_MS) rmSync(folder, { recursive: true, force: true })
    } catch {
      // It is somebody else's, or gone.
    }
  }
}

/** Starts Chromium, does the work and ends it. */
export async function withChromium<T>(engine: Engine, work: (browser: Browser) => Promise<T>): Promise<T> {
  removeOldProfiles()
  const profile = mkdtempSync(join(PLACE, PROFILE))
  // The other user that it may run as writes there; the name cannot be guessed, and there is nothing in it but caches.
  chmodSync(profile, 0o733)
  const own = puppeteer.defaultArgs({
    headless: 'shell',
    userDataDir: join(profile, 'user'),
    args: [...ARGUMENTS, ...(engine.sandbox ? [] : ['--no-sandbox'])],
  })
  let browser: Browser | undefined
  try {
    browser = await puppeteer.launch({
      // puppeteer wants a path: env finds the commands in front.
      executablePath: '/usr/bin/env',
      ignoreDefaultArgs: true,
      args: [
        ...engine.prefix,
        engine.path,
        ...own.filter((one) => !one.startsWith('--remote-debugging')),
        '--remote-debugging-pipe',
      ],
      pipe: true,
      timeout: START_MS,
      protocolTimeout: PRINT_MS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      env: {
        PATH: process.env['PATH'],
        HOME: profile,
        ...(engine.libraries ? { LD_LIBRARY_PATH: engine.libraries } : {}),
      },
    })
    return await work(browser)
  } finally {
    await browser?.close().catch(() => browser?.process()?.kill('SIGKILL'))
    removeProfile(profile)
  }
}

/** Processes of Chromium that are just ending may still write there: then the folder stays, and is removed as an old one. What was printed is not lost by that. */
function removeProfile(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
  } catch {
    // `removeOldProfiles` takes it.
  }
}

/**
 * Prints `/name` of the book. `serve` returns the files that it may load; whatever else it asks for fails.
 * @param tagged with the tags by which a text is read aloud: they are most of the objects of a PDF
 */
export async function printDocument(
  browser: Browser,
  name: string,
  serve: (path: string) => Served | null,
  tagged: boolean,
): Promise<Buffer> {
  const page = await browser.newPage()
  try {
    await page.setJavaScriptEnabled(false)
    await page.setRequestInterception(true)
    page.on('request', (request) => void answer(request, serve).catch(() => undefined))
    await page.goto(`${ORIGIN}/${name}`, { waitUntil: 'load', timeout: PRINT_MS })
    return Buffer.from(
      await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged, outline: false, timeout: PRINT_MS }),
    )
  } finally {
    await page.close().catch(() => undefined)
  }
}

async function answer(request: HTTPRequest, serve: (path: string) => Served | null): Promise<void> {
  const url = new URL(request.url())
  const served = url.origin === ORIGIN && request.method() === 'GET' ? serve(decodeURIComponent(url.pathname)) : null
  // A page that leads elsewhere by itself stays: that is what 204 means.
  if (!served && request.isNavigationRequest()) return request.respond({ status: 204 })
  if (!served) return request.abort('blockedbyclient')
  await request.respond({
    status: 200,
    contentType: served.contentType,
    headers: { 'content-security-policy': POLICY },
    body: served.body,
  })
}
