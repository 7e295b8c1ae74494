/** Starts Chromium and prints documents with it. Runs in a separate process (`print-process.ts`). */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type HTTPRequest } from 'puppeteer-core'
import { type Engine, ORIGIN } from './order.js'

/** A file that is served to the engine. */
export interface ServedFile {
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
  // If anything requests the network anyway, no name resolves and no proxy responds.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=socks5://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
]
/** Allows only the book itself, without scripts. */
const POLICY = `default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'`

/** Maximum time for starting Chromium, and for printing one document. */
const START_MS = 60_000
const PRINT_MS = 300_000

/**
 * The parent folder and the name prefix of Chromium's profile folder. TMPDIR is not used, because it may be private to
 * this user and Chromium may run as another.
 */
const PROFILE_PARENT = process.platform === 'linux' ? '/tmp' : tmpdir()
const PROFILE = 'bindery-chromium-'
/**
 * Age after which a profile folder is deleted, in milliseconds. A killed process leaves its folder behind, and no book
 * takes this long.
 */
const MAX_PROFILE_AGE_MS = 60 * 60 * 1000

function removeOldProfiles(): void {
  for (const name of readdirSync(PROFILE_PARENT)) {
    if (!name.startsWith(PROFILE)) continue
    const folder = join(PROFILE_PARENT, name)
    try {
      if (Date.now() - statSync(folder).mtimeMs > MAX_PROFILE_AGE_MS) rmSync(folder, { recursive: true, force: true })
    } catch {
      // The folder belongs to another user or is already deleted.
    }
  }
}

/** Starts Chromium, does the work and ends Chromium. */
export async function withChromium<T>(engine: Engine, work: (browser: Browser) => Promise<T>): Promise<T> {
  removeOldProfiles()
  const profile = mkdtempSync(join(PROFILE_PARENT, PROFILE))
  // If Chromium runs as another user, that user writes here. The name cannot be guessed, and the folder contains only
  // caches.
  chmodSync(profile, 0o733)
  const own = puppeteer.defaultArgs({
    headless: 'shell',
    userDataDir: join(profile, 'user'),
    args: [...ARGUMENTS, ...(engine.sandbox ? [] : ['--no-sandbox'])],
  })
  let browser: Browser | undefined
  try {
    browser = await puppeteer.launch({
      // puppeteer needs a path; env looks up the prefix commands.
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

/**
 * Removes a profile. If an ending Chromium process still writes to it, the folder remains and is removed later as an
 * old one. The printed file is not affected.
 */
function removeProfile(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
  } catch {
    // `removeOldProfiles` will delete it.
  }
}

/**
 * Prints `/name` of the book. `serve` returns the files that it may load; all other requests fail.
 * @param tagged whether to include accessibility tags, which make up most of the objects in a PDF
 */
export async function printDocument(
  browser: Browser,
  name: string,
  serve: (path: string) => ServedFile | null,
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

/** Size of a social card in pixels. */
export const CARD = { width: 1200, height: 630 }
const CARD_MS = 20_000

/** Creates a picture of each document, and passes it on. `serve` returns the files that they may load. */
export async function shootDocuments(
  browser: Browser,
  names: readonly string[],
  serve: (path: string) => ServedFile | null,
  keep: (name: string, png: Buffer) => void,
): Promise<void> {
  const page = await browser.newPage()
  await page.setJavaScriptEnabled(false)
  await page.setViewport(CARD)
  await page.setRequestInterception(true)
  page.on('request', (request) => void answer(request, serve).catch(() => undefined))
  for (const name of names) {
    await page.goto(`${ORIGIN}/${name}`, { waitUntil: 'load', timeout: CARD_MS })
    await page.evaluate('document.fonts.ready.then(() => true)')
    keep(name, Buffer.from(await page.screenshot({ type: 'png', captureBeyondViewport: false })))
  }
}

async function answer(request: HTTPRequest, serve: (path: string) => ServedFile | null): Promise<void> {
  const url = new URL(request.url())
  const served = url.origin === ORIGIN && request.method() === 'GET' ? serve(decodeURIComponent(url.pathname)) : null
  // Status 204 keeps a page that tries to navigate elsewhere.
  if (!served && request.isNavigationRequest()) return request.respond({ status: 204 })
  if (!served) return request.abort('blockedbyclient')
  await request.respond({
    status: 200,
    contentType: served.contentType,
    headers: { 'content-security-policy': POLICY },
    body: served.body,
  })
}
