/** The actions of a writer in the editor, in Chromium. */
import type { Browser, Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import type { Caller, TestService } from '../support/service.js'

/** Opens an address of the app as a user, in a new profile. Errors of scripts fail the story. */
export const inEditor =
  (here: TestService, browser: Browser) =>
  async (caller: Caller, path: string, work: (page: Page) => Promise<void>): Promise<void> => {
    const profile = await browser.createBrowserContext()
    const errors: string[] = []
    try {
      const page = await profile.newPage()
      page.setDefaultTimeout(60_000)
      page.on('pageerror', (error) => errors.push(String(error)))
      page.on('console', (message) => {
        if (/Content Security Policy/.test(message.text())) errors.push(message.text())
      })
      await page.setViewport({ width: 1440, height: 900 })
      await page.goto(`${here.url}/sign-in`, { waitUntil: 'load' })
      await signIn(page, caller)
      await page.goto(here.url + path, { waitUntil: 'load' })
      await page.waitForSelector('.cm-content')
      await work(page)
      assert.equal(errors, [])
    } finally {
      await profile.close()
    }
  }

const signIn = (page: Page, { token }: Caller): Promise<number> =>
  page.evaluate(
    async (given) =>
      (
        await fetch('/v1/session', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Requested-By': 'test' },
          body: JSON.stringify({ token: given }),
        })
      ).status,
    token,
  )

export const textOf = (page: Page): Promise<string> =>
  page.$eval('.cm-content', (element) => (element as HTMLElement).innerText)
/** Waits until the server has everything. A save that is shorter than 300 ms changes no word on the screen. */
export const saved = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => /^Saved/.test(document.querySelector('.save[data-phase=clean]')?.textContent ?? ''))
export const stateIs = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelector('.save')?.textContent?.includes(wanted), {}, text)
export const button = async (page: Page, text: string): Promise<void> => {
  const found = await page.waitForSelector(`::-p-xpath(//button[contains(., "${text}")])`)
  await found?.click()
}
/** Types behind a text of the source. */
export async function typeAfter(page: Page, text: string, typed: string): Promise<void> {
  await page.evaluate((wanted) => {
    const walker = document.createTreeWalker(document.querySelector('.cm-content') as Element, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(wanted) ?? -1
      if (at < 0) continue
      ;(document.querySelector('.cm-content') as HTMLElement).focus()
      document.getSelection()?.collapse(node, at + wanted.length)
      return
    }
    throw new Error(`No text ${wanted}`)
  }, text)
  await page.keyboard.type(typed)
}
export const press = async (page: Page, modifier: 'Control' | 'Alt', key: string): Promise<void> => {
  await page.keyboard.down(modifier)
  await page.keyboard.press(key as 'KeyS')
  await page.keyboard.up(modifier)
}
