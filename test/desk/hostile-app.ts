/** The app in Chromium, watched while it shows hostile content. */
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { openChromium } from '../site/chromium.js'
import { faultsIn, watchPage } from '../site/watch-page.js'
import type { TestService } from '../support/service.js'

export interface HostileApp {
  page: Page
  /** The effects of hostile content so far. */
  events: string[]
  /** Opens a screen, waits until it shows something, and fails if anything hostile happens. Returns its text. */
  open(path: string, shows: string): Promise<string>
  /** Follows a link to a page within the app, without a reload, and fails if anything hostile happens. */
  follow(path: string, title: string): Promise<void>
  /** Fails if the screen that is shown now has hostile markup, or if anything hostile happened. */
  check(name: string): Promise<void>
  close(): Promise<void>
}

/** Scripts, handlers, and addresses that run a script, anywhere in the app. */
const IN_APP = `[...document.querySelectorAll('body *')].filter((one) => one.matches('script:not([src]), object, embed, base, [srcdoc]')
  || one.getAttributeNames().some((name) => /^on/i.test(name))
  || ['href', 'src', 'action'].some((name) => /^(?:javascript|vbscript|data:text)/i.test((one.getAttribute(name) ?? '').replace(/[\\s\\0-\\x20]/g, ''))))
  .map((one) => one.outerHTML)`

/** Opens a browser that is signed in as the admin. */
export async function openHostileApp(here: TestService): Promise<HostileApp> {
  const browser = await openChromium(here)
  const { page, events } = await watchPage(await browser.newPage(), here.url)
  await page.goto(`${here.url}/sign-in`)
  await page.evaluate(
    (token) =>
      fetch('/v1/session', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token, label: 'Test' }),
      }).then(() => {}),
    here.admin.token,
  )
  // The app shows a site in a frame.
  const isCaused = (event: string): boolean => !event.startsWith(`document ${here.service.sites}/`)
  const check = async (name: string): Promise<void> => {
    const faults = await page.evaluate(`(() => {
      const check = ${faultsIn}
      const inTexts = (selector) => Array.from(document.querySelectorAll('.rendered')).flatMap((one) => Array.from(one.querySelectorAll(selector)))
      return [...check({ querySelectorAll: inTexts, head: document.head }, location.href), ...${IN_APP}]
    })()`)
    assert.equal([faults, events.filter(isCaused)], [[], []], name)
    assert.is(new URL(page.url()).origin, here.url, 'nothing navigates')
  }
  return {
    page,
    events,
    check,
    async open(path, shows) {
      await page.goto(here.url + path, { waitUntil: 'load' })
      await page.waitForSelector(shows).catch(async (error: unknown) => {
        const text = await page.evaluate(() => document.body.innerText.slice(0, 2_000))
        throw new Error(`${path} shows ${text}`, { cause: error })
      })
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
      await check(path)
      return page.evaluate(() => document.body.textContent ?? '')
    },
    async follow(path, title) {
      await page.evaluate((href) => {
        const link = document.body.appendChild(Object.assign(document.createElement('a'), { href }))
        link.click()
        link.remove()
      }, path)
      const words = (text: string): string => text.replace(/\s+/g, ' ').trim()
      await page
        .waitForFunction(
          (at, wanted) =>
            location.pathname === at &&
            document.title.replace(/\s+/g, ' ').includes(wanted) &&
            document.querySelector('[aria-busy="true"]') === null,
          {},
          path,
          words(title),
        )
        .catch(async (error: unknown) => {
          throw new Error(`${path} has the title ${await page.title()} instead of ${title}`, { cause: error })
        })
      await check(path)
    },
    close: () => browser.close(),
  }
}
