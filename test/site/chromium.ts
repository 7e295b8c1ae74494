/** Chromium for tests of sites. */
import puppeteer, { type Browser } from 'puppeteer-core'
import { findEngine } from '../../src/printing/find-engine.js'
import type { TestService } from '../support/service.js'

/** Starts Chromium with its files in the folder of a service. Throws if it is not installed. */
export async function openChromium({ dir }: TestService): Promise<Browser> {
  const engine = await findEngine(null, dir, AbortSignal.timeout(30_000))
  if (!engine) throw new Error('This test needs Chromium: install chromium-headless-shell.')
  return puppeteer.launch({
    executablePath: engine.path,
    headless: 'shell',
    // Long stories audit thousands of addresses in one call.
    protocolTimeout: 900_000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
}
