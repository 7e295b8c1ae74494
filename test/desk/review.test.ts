/** A review in a browser: read, comment, suggest, approve, and merge. Plain Git shows the result. */
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { buildDesk } from '../../scripts/build-browser.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { openChromium } from '../site/chromium.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('desk/review', async () => {
  await buildDesk('dist/desk/assets')
  const service = await startService()
  const browser = await openChromium(service)
  return {
    ...service,
    browser,
    close: async () => {
      await browser.close()
      await service.close()
    },
  }
})

const FILES = {
  'README.md': '# Home\n\nWelcome.\n',
  'docker.md': '# Docker\n\nPull the image latest.\n\nNothing changes here.\n\nThe port is 13000.\n',
  'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Docker](docker.md)\n',
}

/** A space that needs an approval, and a change request of another user. */
async function opened(): Promise<{ desk: Desk; ref: string; page: string; write: (text: string) => Promise<unknown> }> {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('docker')
  await here.admin.call('patch', desk.url, { requiredApprovals: 1 }).expect(200)
  const writer = await here.caller('edit')
  const made = await writer.call('post', `${desk.url}/change-requests`, { subject: 'Pin the version' }).expect(201)
  const url = `${desk.url}/change-requests/${made.body.id}`
  const write = async (markdown: string) =>
    writer
      .call('post', `${url}/content`, { changes: [{ operation: 'update_page', page, document: { markdown } }] })
      .expect(200)
  await write(FILES['docker.md'].replace('latest', '3.8.0').replace('13000', '14000'))
  await writer.call('patch', url, { status: 'open' }).expect(200)
  return { desk, ref: `change-requests/${made.body.number}`, page, write }
}

/** Opens an address of the app as the admin. */
async function openAs(path: string): Promise<Page> {
  const page = await here.browser.newPage()
  await page.setViewport({ width: 1440, height: 900 })
  await page.goto(`${here.url}/sign-in`)
  await page.evaluate(async (token) => {
    await fetch('/v1/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    })
  }, here.admin.token)
  await page.goto(here.url + path)
  return page
}

const hasText = (page: Page, text: string) =>
  page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text)
const click = (page: Page, name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click()
const mergeIsOff = (page: Page) =>
  page.$$eval('.r-end button', (buttons) =>
    buttons.some((one) => one.textContent?.includes('Merge') && one.getAttribute('aria-disabled') === 'true'),
  )

test('a reviewer comments by keyboard, approves the shown revision, and merges it', async () => {
  const { desk, ref, write } = await opened()
  const page = await openAs(`/s/${desk.space}/c/1`)
  await page.waitForSelector('.blk.chg ins')
  assert.equal(
    await page.$$eval('.blk.chg', (blocks) =>
      blocks.map((one) => [...one.querySelectorAll('ins, del')].map((mark) => mark.textContent)),
    ),
    [
      ['latest', '3.8.0'],
      ['13000', '14000'],
    ],
  )
  assert.ok(await mergeIsOff(page))
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.waitForSelector('#b-n3.at')
  await page.keyboard.press('c')
  await page.waitForSelector('.thread textarea')
  await page.keyboard.type('Is 14000 free?')
  await page.keyboard.down('Control')
  await page.keyboard.press('Enter')
  await page.keyboard.up('Control')
  await page.waitForSelector('#b-n3 .thread.open .cm')
  const { body } = await here.admin.call('get', `${desk.url}/change-requests/1/comments`).expect(200)
  assert.equal([body.items[0].body.markdown, body.items[0].target.node.id], ['Is 14000 free?', 'n3'])

  await page.click('.a-review')
  await page.waitForSelector('#m-review:popover-open')
  await page.click('#m-review button[type="submit"]')
  await hasText(page, 'Approved')
  // A changed text makes the approval stale.
  await write(FILES['docker.md'].replace('latest', '3.9.0'))
  await page.reload()
  await hasText(page, 'Approved an earlier revision')
  assert.ok(await mergeIsOff(page))
  await page.click('.a-review')
  await page.waitForSelector('#m-review:popover-open')
  await page.click('#m-review button[type="submit"]')
  await page.waitForFunction(() => !document.querySelector('.r-end > .btn.primary[aria-disabled]'))
  await page.click('.r-end > .btn.primary')
  await hasText(page, 'Merged')
  assert.match(await desk.git('show', 'main:docker.md'), 'Pull the image 3.9.0.')
  const [first, second] = (await desk.git('log', '-1', '--format=%P', 'main')).trim().split(' ')
  assert.ok(first)
  assert.is(second, (await desk.git('rev-parse', ref)).trim())
  await page.close()
})

test('a viewed page is viewed in every browser, until it changes again', async () => {
  const { desk, write } = await opened()
  const page = await openAs(`/s/${desk.space}/c/1`)
  await page.waitForSelector('.blk.chg ins')
  await page.waitForSelector('.switch input:not(:checked)')
  await page.keyboard.press('v')
  await hasText(page, '1 viewed')
  const pages = async () =>
    (await here.admin.call('get', `${desk.url}/change-requests/1/viewed`).expect(200)).body.pages as {
      current: boolean
    }[]
  while ((await pages()).length === 0) await new Promise((done) => setTimeout(done, 50))
  // Another browser has no memory of its own.
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await hasText(page, '1 viewed')
  await write(FILES['docker.md'].replace('latest', '3.9.0'))
  await page.reload()
  await hasText(page, 'Changed since you viewed it')
  assert.equal(
    (await pages()).map(({ current }) => current),
    [false],
  )
  // The key works as soon as the page and its mark are loaded.
  await page.waitForSelector('.blk.chg ins')
  await page.waitForSelector('.switch input:not(:checked)')
  await page.keyboard.press('v')
  await hasText(page, '1 viewed')
  await page.close()
})

test('a change request without a changed page names its files, also on small screens', async () => {
  const desk = await openDesk(here, FILES)
  const change = await desk.changeRequest('Notes')
  const page = await openAs(`/s/${desk.space}/c/1`)
  await page.setViewport({ width: 390, height: 844 })
  await hasText(page, 'Nothing changes yet')
  await desk.human({ 'notes/one.txt': 'One\n' }, { ref: change.ref })
  await page.reload()
  await hasText(page, 'notes/one.txt')
  assert.not.match(await page.$eval('main', ({ textContent }) => textContent ?? ''), 'Nothing changes yet')
  await page.close()
})

test('the source difference opens unchanged lines, down to the end of the file', async () => {
  const lines = Array.from({ length: 60 }, (_, at) => `Line ${at + 1}.`)
  const desk = await openDesk(here, { ...FILES, 'docker.md': `${lines.join('\n')}\n` })
  const id = await desk.id('docker')
  await here.admin.call('post', `${desk.url}/change-requests`, { subject: 'Long' }).expect(201)
  const markdown = `${lines.join('\n')}\n`.replace('Line 5.', 'Line five.').replace('Line 40.', 'Line forty.')
  await here.admin
    .call('post', `${desk.url}/change-requests/1/content`, {
      changes: [{ operation: 'update_page', page: id, document: { markdown } }],
    })
    .expect(200)
  const page = await openAs(`/s/${desk.space}/c/1/source?page=${id}`)
  await page.waitForSelector('.sd .hunk')
  const shown = (): Promise<string[]> =>
    page.$$eval('.sd tr:not(.hunk) td.l:last-child', (cells) => cells.map((one) => one.textContent ?? ''))
  const gaps = (): Promise<number> => page.$$eval('.sd .hunk', (rows) => rows.length)
  assert.equal([(await shown())[0], (await shown()).at(-1), await gaps()], ['Line 2.', 'Line 43.', 3])
  await page.click('.sd .hunk:nth-of-type(1) .btn')
  await hasText(page, 'Line 1.')
  await click(page, 'Show 20 more lines below the change')
  await hasText(page, 'Line 28.')
  assert.not.ok((await shown()).includes('Line 29.'))
  assert.is(await gaps(), 2)
  await page.click('.sd .hunk .btn')
  await hasText(page, 'Line 29.')
  await page.click('.sd .hunk .btn')
  await hasText(page, 'Line 60.')
  assert.equal(await shown(), markdown.trimEnd().split('\n'))
  assert.is(await gaps(), 0)
  await page.close()
})

test('a suggestion is written into the change request with one click', async () => {
  const { desk, ref } = await opened()
  const page = await openAs(`/s/${desk.space}/c/1`)
  await page.waitForSelector('.blk.chg ins')
  await page.keyboard.press('c')
  await page.waitForSelector('.thread textarea')
  await page.keyboard.type('Name the registry.')
  await click(page, 'Suggest a text')
  const field = await page.waitForSelector('textarea.mono')
  await field?.evaluate((one) => (one as HTMLTextAreaElement).select())
  await field?.type('Pull the image 3.8.0 from Docker Hub.')
  await page.click('.thread button[type="submit"]')
  await page.waitForSelector('.sug ins')
  await click(page, 'Accept')
  await hasText(page, 'The suggestion is in the text.')
  assert.match(
    await desk.git('show', `${ref}:docker.md`),
    'Pull the image 3.8.0 from Docker Hub.\n\nNothing changes here.',
  )
  assert.match(await desk.git('log', '-1', '--format=%s', ref), 'Accept a suggestion for Docker')
  await page.close()
})

test('a revision of a page can be compared, and restored in a change request', async () => {
  const desk = await openDesk(here, FILES)
  const id = await desk.id('docker')
  const old = (await desk.git('rev-parse', 'main')).trim()
  await desk.write([{ operation: 'update_page', page: id, document: { markdown: '# Docker\n\nAll new.\n' } }])
  const page = await openAs(`/s/${desk.space}/p/${id}/history`)
  await page.waitForSelector('.blk.del, .blk.add, .blk.chg')
  await page.keyboard.press('j')
  await page.waitForFunction((wanted) => location.search.includes(wanted), {}, old)
  await click(page, 'Restore this revision')
  await page.waitForSelector('dialog[open]')
  await click(page, 'In a change request')
  await page.waitForFunction(() => /\/c\/\d+$/.test(location.pathname))
  assert.is(await desk.file('docker.md', 'change-requests/1'), FILES['docker.md'])
  await page.close()
})

test('a change request with a request for changes is not listed as ready', async () => {
  const { desk, ref } = await opened()
  await here.admin.call('patch', desk.url, { requiredApprovals: 0 }).expect(200)
  const path = `/s/${desk.space}/c`
  const ready = await openAs(path)
  await hasText(ready, 'Ready to merge')
  await here.admin
    .call('post', `${desk.url}/${ref}/reviews`, { status: 'changes-requested', comment: { markdown: 'Why?' } })
    .expect(201)
  const page = await openAs(path)
  await hasText(page, 'asked for changes')
  assert.not.match(await page.$eval('#main', (main) => main.textContent), /Ready to merge/)
})

test.run()
