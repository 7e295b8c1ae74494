/** Tests that hostile content runs on no screen of the app: pages, titles, subjects, comments, names, differences. */
// @costly: Chromium opens the screens of a space with more than 400 vectors
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { openChromium } from '../site/chromium.js'
import { hostileSpace, readVectors } from '../site/hostile-pages.js'
import { faultsIn, watchPage } from '../site/watch-page.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'

const vectors = readVectors({ script: 'evil.js', style: 'evil.css' })
/** The vectors that fit in a single-line field. */
const lines = vectors.filter((vector) => vector.length <= 100 && !/[\0-\x1f]/.test(vector))

const [test, context] = await suiteWith('desk/xss', async () => {
  const here = await startService()
  const { call } = here.admin
  const desk = await openDesk(here, hostileSpace(vectors))
  await call('patch', '/v1/user', { displayName: lines[0] }).expect(200)
  await call('patch', `/v1/orgs/${here.organization}`, { title: lines[1] }).expect(200)
  await call('patch', desk.url, { title: lines[2] }).expect(200)
  const request = await desk.changeRequest(lines[3])
  await call('patch', request.url, { status: 'open' }).expect(200)
  await call('patch', request.url, { description: { markdown: lines.slice(0, 20).join('\n\n') } })
  const chapters = [...(await desk.byPath())].filter(([path]) => /(?:^|\/)p\d+$/.test(path)).map(([, page]) => page.id)
  for (const [at, page] of chapters.entries()) {
    const own = vectors.filter((_, n) => n % chapters.length === at)
    const markdown = own.join('\n\n').replaceAll('\0', '')
    await request.write([{ operation: 'update_page', page, document: { markdown } }])
  }
  for (const text of lines.slice(0, size(12, 100)))
    await call('post', `${request.url}/comments`, { body: { markdown: text } }).expect(200)
  const browser = await openChromium(here)
  const watched = await watchPage(await browser.newPage(), here.url)
  await watched.page.goto(`${here.url}/sign-in`)
  await watched.page.evaluate(
    (token) =>
      fetch('/v1/session', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token, label: 'Test' }),
      }).then(() => {}),
    here.admin.token,
  )
  const close = async (): Promise<void> => {
    await browser.close()
    await here.close()
  }
  return { here, desk, request, chapters, watched, close }
})
const { here, desk, request, chapters, watched } = context
const { page, events } = watched

/** Opens a screen, waits until it shows something, and fails if anything hostile happens. Returns its text. */
async function open(path: string, shows: string): Promise<string> {
  await page.goto(here.url + path, { waitUntil: 'load' })
  await page.waitForSelector(shows).catch(async (error: unknown) => {
    throw new Error(`${path} shows ${await page.evaluate(() => document.body.innerText.slice(0, 2_000))}`, {
      cause: error,
    })
  })
  const faults = await page.evaluate(`(() => {
    const check = ${faultsIn}
    const inTexts = (selector) => Array.from(document.querySelectorAll('.rendered')).flatMap((one) => Array.from(one.querySelectorAll(selector)))
    const texts = check({ querySelectorAll: inTexts, head: document.head }, location.href)
    const ids = Array.from(document.querySelectorAll('#main script, #main iframe, #main [onload], #main [onerror]'), (one) => one.outerHTML)
    return [...texts, ...ids]
  })()`)
  assert.equal([faults, events], [[], []], path)
  assert.is(new URL(page.url()).origin, here.url, 'nothing navigates')
  return page.evaluate(() => document.body.textContent ?? '')
}
/** The pages of the test run; a soak takes all. */
const some = <T>(items: readonly T[], count: number): readonly T[] => items.slice(0, size(count, items.length))

test('no vector runs on the screen of a page', async () => {
  assert.ok(chapters.length > 10 && lines.length > 100)
  for (const id of some(chapters, 5)) assert.match(await open(`/s/${desk.space}/p/${id}`, '.rendered'), 'alert')
})

test('no vector runs in the editor and its preview', async () => {
  for (const id of some(chapters, 3)) {
    // A file with a NUL character cannot be edited here, and the screen states that.
    await open(`/s/${desk.space}/p/${id}/edit`, '.cm-content, .note')
    await open(`/s/${desk.space}/c/${request.number}/p/${id}`, '.cm-content')
    await page.waitForSelector('.rendered')
    assert.equal(events, [])
  }
})

test('no vector runs in a change request: its subject, its difference, its comments', async () => {
  const base = `/s/${desk.space}/c/${request.number}`
  for (const id of some(chapters, 3)) await open(`${base}?page=${id}`, '.blk')
  for (const tab of ['source', 'discussion', 'activity']) await open(`${base}/${tab}`, '#main')
  const list = await open(`/s/${desk.space}/c`, '#main a')
  assert.ok(list.includes(lines[3] as string), 'the subject is shown as text')
})

test('no vector runs on the other screens, in the search, or in an address', async () => {
  const home = await open('/', `#main a[href="/s/${desk.space}"]`)
  assert.ok(home.includes(lines[0] as string) && home.includes(lines[2] as string), 'names are shown as text')
  const screens = [
    '/inbox',
    '/new',
    '/settings',
    '/settings/devices',
    `/s/${desk.space}/history`,
    `/s/${desk.space}/links`,
  ]
  const admin = ['members', 'audit', 'trash', 'teams'].map((name) => `/o/${here.organization}/settings/${name}`)
  for (const path of [...screens, ...admin, `/s/${desk.space}/settings`]) await open(path, '#main')
  for (const vector of some(lines, 6)) {
    const text = encodeURIComponent(vector)
    await open(`/s/${text}/p/${text}?at=${text}#${text}`, 'body')
    await open(`/sign-in?to=${text}#${text}`, 'form')
    await open(`/sign-in?to=${encodeURIComponent(`javascript:alert(1)//${vector}`)}`, 'body')
  }
  await open('/', '#main a')
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.waitForSelector('dialog[open] input')
  await page.type('dialog[open] input', 'alert')
  await page.waitForSelector('dialog[open] [role=option]')
  assert.equal(events, [])
})

test.run()
