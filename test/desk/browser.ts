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

/** Returns the findings of axe on the page, one line for each element. */
export async function axeReport(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (
      window as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
    ).axe.run({ resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 150)}`))
  })
}

/** A page of the app, with the actions of a user. */
export interface DeskPage {
  page: Page
  browser: Browser
  /** Opens an address of the app. */
  open(path: string): Promise<void>
  /** Clicks a button, a link, a check box or a tab by its name. */
  click(name: string, role?: string): Promise<void>
  /** Replaces the text of a field by its label. */
  type(label: string, text: string): Promise<void>
  /** Chooses the option with this text in the list with this label. */
  choose(label: string, option: string): Promise<void>
  /** Waits until a text is shown. */
  sees(text: string): Promise<void>
  /** Waits until a text is shown no longer. */
  seesNo(text: string): Promise<void>
  /** Asserts that axe reports nothing. */
  checkAxe(name: string): Promise<void>
}

const PATIENCE_MS = 20_000

/** Opens the app. With a token, signed in. */
export async function openApp(here: TestService, token?: string): Promise<DeskPage> {
  const browser = await openChromium(here)
  const page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.setViewport({ width: 1440, height: 900 })
  const open = async (path: string) => void (await page.goto(here.url + path, { waitUntil: 'load' }))
  if (token !== undefined) {
    await open('/sign-in')
    await page.evaluate(async (secret) => {
      const headers = { 'Content-Type': 'application/json' }
      await fetch('/v1/session', { method: 'POST', headers, body: JSON.stringify({ token: secret }) })
    }, token)
  }
  const named = (name: string, role: string) => page.locator(`::-p-aria([name="${name}"][role="${role}"])`)
  const shown = (text: string, isShown: boolean) =>
    page.waitForFunction(
      (wanted: string, is: boolean) => document.body.innerText.includes(wanted) === is,
      {},
      text,
      isShown,
    )
  return {
    page,
    browser,
    open,
    click: (name, role = 'button') => named(name, role).click(),
    type: (label, text) => page.locator(`::-p-aria([name="${label}"][role="textbox"])`).fill(text),
    async choose(label, option) {
      await page.waitForFunction(
        (name: string, text: string) =>
          [...document.querySelectorAll('select')].some(
            (one) =>
              (one.getAttribute('aria-label') ?? one.labels[0]?.textContent ?? '').trim() === name &&
              [...one.options].some((each) => each.text === text),
          ),
        {},
        label,
        option,
      )
      const handle = await page.evaluateHandle(
        (name: string) =>
          [...document.querySelectorAll('select')].find(
            (one) => (one.getAttribute('aria-label') ?? one.labels[0]?.textContent ?? '').trim() === name,
          ) as HTMLSelectElement,
        label,
      )
      const value = await handle.evaluate(
        (list, text) => [...list.options].find((each) => each.text === text)?.value ?? '',
        option,
      )
      await handle.select(value)
    },
    async sees(text) {
      await shown(text, true).catch(async (error) => {
        const body = await page.evaluate(() => document.body.innerText)
        throw new Error(`The page does not show “${text}”. It shows:\n${body.slice(0, 2_000)}`, { cause: error })
      })
    },
    seesNo: async (text) => void (await shown(text, false)),
    async checkAxe(name) {
      // Colors are measured when nothing moves.
      await page.evaluate(() =>
        Promise.all(
          // The caret of the editor blinks for ever.
          document
            .getAnimations()
            .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
            .map((one) => one.finished.catch(() => {})),
        ),
      )
      await page.evaluate(axe)
      const found = await page.evaluate(async () => {
        const runner = (globalThis as unknown as { axe: { run: (at: Document, options: object) => Promise<Report> } })
          .axe
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
        // The name of the user's menu is a sentence, not the initials that it shows.
        const rules = { 'label-content-name-mismatch': { enabled: false } }
        const { violations } = await runner.run(document, { runOnly: tags, rules, resultTypes: ['violations'] })
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
      })
      assert.equal(found, [], name)
    },
  }
}

interface Report {
  violations: { id: string; nodes: { target: string[] }[] }[]
}
