/** Chromium with the app, signed in. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { openChromium } from '../site/chromium.js'
import type { TestService } from '../support/service.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Opens a browser that is signed in with a token. */
export async function signedIn(here: TestService, token: string): Promise<{ browser: Browser; page: Page }> {
  const browser = await openChromium(here)
  const page = await browser.newPage()
  await page.setViewport({ width: 1440, height: 900 })
  await page.goto(`${here.url}/sign-in`)
  const status = await page.evaluate(async (secret) => {
    const headers = { 'Content-Type': 'application/json' }
    return (await fetch('/v1/session', { method: 'POST', headers, body: JSON.stringify({ token: secret }) })).status
  }, token)
  assert.is(status, 201)
  return { browser, page }
}

/** Waits until an element with a text is shown. */
export const shows = (page: Page, selector: string, text: string): Promise<unknown> =>
  page.waitForFunction(
    (of, wanted) => [...document.querySelectorAll(of)].some((one) => one.textContent?.includes(wanted)),
    {},
    selector,
    text,
  )

/** Returns what axe reports about the page, one line for each element. */
export async function axeReport(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (
      window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
    ).axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 150)}`))
  })
}
