import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { axeReport, openApp, shows } from '../desk/browser.js'
import { suiteWith } from '../support/suite.js'
import { openSuggestedSite } from './support.js'

const README =
  '# Start\n\nThe serber listens on *port* 8080.\n\n* one\n* two\n\n1. first note <!-- internal -->\n2. secund note\n\n<!-- secret -->\n'
const [test, context] = await suiteWith('suggestions/story', async () => {
  const on = await openSuggestedSite({ 'README.md': README, 'SUMMARY.md': '* [Start](README.md)\n' }, 'everyone')
  const app = await openApp(on.here, on.here.admin.token)
  const close = async () => {
    await app.browser.close()
    await on.close()
  }
  return { ...on, app, close }
})
const { here, desk, smtp, site, app } = context
const { page } = app

const press = (selector: string) => page.click(selector)
const replace = async (on: Page, selector: string, from: string, to: string) =>
  on.$eval(
    selector,
    (field, before, after) => {
      const area = field as HTMLTextAreaElement
      area.value = area.value.replace(before, after)
    },
    from,
    to,
  )

/** Chooses the first paragraph of the page with the keyboard. */
async function start(): Promise<void> {
  await page.goto(`${here.service.sites}${site.base}`, { waitUntil: 'load' })
  await press('[data-suggest]')
  await page.waitForSelector('.sg-bar')
  assert.match(
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''),
    /^Suggest a change: The serber/,
  )
}

test('a member corrects a typo with the keyboard, and one line changes', async () => {
  await start()
  assert.equal(await axeReport(page), [])
  await page.keyboard.press('Enter')
  await page.waitForSelector('.sg-form textarea')
  assert.is(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA')
  assert.equal(await axeReport(page), [])
  await replace(page, '.sg-form textarea', 'serber', 'server')
  await press('.sg-form button[value=member]')
  await shows(page, 'h1', 'Send your suggestion')
  await app.sees('It becomes a change request in your name.')
  await app.checkAxe('the suggestion of a member')
  await app.click('Send the suggestion')
  await page.waitForFunction(() => /\/c\/1$/.test(location.pathname))
  const diff = await desk.git('diff', '-U0', 'main', 'refs/heads/change-requests/1')
  assert.equal(
    diff.split('\n').filter((line) => /^[-+][^-+]/.test(line)),
    ['-The serber listens on *port* 8080.', '+The server listens on *port* 8080.'],
  )
})

test('a guest confirms by mail, and a reviewer accepts one suggestion and rejects another', async () => {
  for (const [email, word] of [
    ['ada@guest.example', 'server'],
    ['eve@guest.example', '<img src=x onerror=alert(1)>'],
  ] as const) {
    await start()
    await page.keyboard.press('Enter')
    await page.waitForSelector('.sg-form textarea')
    await replace(page, '.sg-form textarea', 'serber', word)
    await page.type('.sg-form [name=name]', 'Ada Guest')
    await page.type('.sg-form [name=email]', email)
    await press('.sg-form button[value=guest]')
    await shows(page, '.sg-form h2', 'Check your mail')
    const link = /Confirm: (\S+)/.exec((await smtp.mailTo(email)).text)?.[1] ?? ''
    await page.goto(here.service.sites + new URL(link).pathname + new URL(link).search, { waitUntil: 'load' })
    assert.equal(await axeReport(page), [])
    await press('.sg-form button')
    await shows(page, 'h2', 'Thank you for your suggestion.')
  }
  await app.open('/')
  await shows(page, '[aria-labelledby=waiting] a.t', 'Suggestions of readers on “Field guide”: 2')
  await app.open(`/o/${here.organization}/settings/sites`)
  await app.sees('2 suggestions wait')
  await app.checkAxe('the list of sites')
  await app.click('2 suggestions wait', 'link')
  await shows(page, 'nav.tree .count', '2')
  await app.sees('Ada Guest (ada@guest.example)')
  await app.sees('<img src=x onerror=alert(1)>')
  await app.checkAxe('the queue of suggestions')
  const buttons = await page.$$('main article .btn')
  await buttons[3]?.click()
  await page.waitForSelector('dialog .btn.danger')
  await press('dialog .btn.danger')
  await app.seesNo('eve@guest.example')
  await shows(page, 'nav.tree .count', '1')
  await app.click('Accept')
  await page.waitForFunction(() => /\/c\/2$/.test(location.pathname))
  const author = await desk.git('log', '-1', '--format=%an <%ae>', 'refs/heads/change-requests/2')
  assert.is(author.trim(), 'Ada Guest <ada@guest.example>')
  assert.is((await desk.git('diff', '--numstat', 'main', 'refs/heads/change-requests/2')).trim(), '1\t1\tREADME.md')
})

test('the forms fit the width of a phone and a tablet, and work without script', async () => {
  for (const width of [390, 834]) {
    await page.setViewport({ width, height: 900 })
    await start()
    await page.keyboard.press('Enter')
    await page.waitForSelector('.sg-form textarea')
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), String(width))
  }
  await page.setViewport({ width: 1440, height: 900 })
  const plain = await app.browser.newPage()
  await plain.setJavaScriptEnabled(false)
  await plain.goto(`${here.service.sites}${site.base}`, { waitUntil: 'load' })
  const go = async (selector: string) => Promise.all([plain.waitForNavigation(), plain.click(selector)])
  await go('.record a.act')
  await go('.sg-list li:nth-child(2) a')
  await plain.type('textarea', 'New. ')
  await go('button[value=member]')
  const to = await plain.$eval('.sg-page a.btn', (link) => link.getAttribute('href'))
  assert.ok(to?.startsWith(`${here.url}/suggest#`), String(to))
  await plain.close()
})

test('one item of a list with a comment is changed alone', async () => {
  await start()
  await press('.prose ol li.sg-able')
  await page.waitForSelector('.sg-form textarea')
  assert.is(await page.$eval('.sg-form textarea', (field) => (field as HTMLTextAreaElement).value), '2. secund note')
  assert.equal(await axeReport(page), [])
  await replace(page, '.sg-form textarea', 'secund', 'second')
  await press('.sg-form button[value=member]')
  await shows(page, 'h1', 'Send your suggestion')
  await app.click('Send the suggestion')
  await page.waitForFunction(() => /\/c\/3$/.test(location.pathname))
  const diff = await desk.git('diff', '-U0', 'main', 'refs/heads/change-requests/3')
  assert.equal(
    diff.split('\n').filter((line) => /^[-+][^-+]/.test(line)),
    ['-2. secund note', '+2. second note'],
  )
})

test.run()
