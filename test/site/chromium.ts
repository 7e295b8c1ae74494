/** Chromium for tests of sites. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import puppeteer, { type Browser, type CDPSession, Page } from 'puppeteer-core'
import { findEngine } from '../../src/printing/find-engine.js'
import type { TestService } from '../support/service.js'
import { sharedPath } from '../support/shared-path.js'

// Actions wait for their element, as a person does. Without this, they fail if the page is slower than the test.
const actions = Page.prototype as unknown as Record<
  string,
  (this: Page, selector: string, ...rest: unknown[]) => unknown
>
for (const name of ['click', 'focus', 'hover', 'select', 'tap', 'type', '$eval']) {
  const act = actions[name]
  actions[name] = async function (selector, ...rest) {
    await this.waitForSelector(selector)
    return act?.call(this, selector, ...rest)
  }
}

/**
 * Returns the path of Chromium. The first file of a run finds it, because the search prints a page, which costs ten
 * times as much as a start.
 */
async function chromiumPath(dir: string): Promise<string> {
  const note = sharedPath('chromium')
  if (note !== null && existsSync(note)) return readFileSync(note, 'utf8')
  const engine = await findEngine(null, dir, AbortSignal.timeout(30_000))
  if (!engine) throw new Error('This test needs Chromium: install chromium-headless-shell.')
  // Not noted if it is in the folder of the service, which is deleted.
  if (note !== null && !engine.path.startsWith(dir)) {
    writeFileSync(`${note}.${process.pid}`, engine.path)
    renameSync(`${note}.${process.pid}`, note)
  }
  return engine.path
}

/** Starts Chromium with its files in the folder of a service. Throws if it is not installed. */
export async function openChromium({ dir }: TestService): Promise<Browser> {
  return puppeteer.launch({
    executablePath: await chromiumPath(dir),
    headless: 'shell',
    // Long stories audit thousands of addresses in one call.
    protocolTimeout: 900_000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
}

/** The requests of a page so far. */
export interface Weights {
  /** The addresses of all requests, without fonts on demand. */
  requests: string[]
  /** Fonts that the page does not preload, because only its italics, formulas or characters of other scripts need them. */
  onDemand: string[]
  /** The transferred bytes by kind of request, for example `Stylesheet`, and of `onDemand`. */
  bytes: Map<string, number>
}

/** The budgets of a page of a site, in transferred bytes by kind of request. */
export const SITE_BUDGETS = new Map([
  ['Document', 20_000],
  ['Stylesheet', 14_000],
  ['Script', 15_000],
  ['Font', 90_000],
])
const SITE_REQUESTS = 6

/** Counts the requests of a page, with those that Puppeteer does not report, for example of rules for prefetching. */
export async function weigh(client: CDPSession): Promise<Weights> {
  const weights: Weights = { requests: [], onDemand: [], bytes: new Map() }
  const kinds = new Map<string, string>()
  client.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
    const isOnDemand = type === 'Font' && request.isLinkPreload !== true
    weights[isOnDemand ? 'onDemand' : 'requests'].push(request.url)
    kinds.set(requestId, isOnDemand ? 'onDemand' : type)
  })
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? 'Other'
    weights.bytes.set(kind, (weights.bytes.get(kind) ?? 0) + encodedDataLength)
  })
  await client.send('Network.enable')
  return weights
}

/** The budgets that a page of a site exceeds, as lines. */
export function exceeded({ requests, bytes }: Weights): string[] {
  const heavy = [...SITE_BUDGETS].filter(([kind, most]) => (bytes.get(kind) ?? 0) > most)
  const lines = heavy.map(([kind, most]) => `${kind}: ${bytes.get(kind)} of ${most} bytes`)
  return requests.length > SITE_REQUESTS ? [`${requests.length} requests: ${requests.join(' ')}`, ...lines] : lines
}
