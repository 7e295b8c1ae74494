/** Tests that hostile content runs on no screen of the app: pages, titles, subjects, comments, names, conflicts. */
// @costly: Chromium opens the screens of a space with more than 400 vectors
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { hostileSpace, readVectors } from '../site/hostile-pages.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { openHostileApp } from './hostile-app.js'

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
  const app = await openHostileApp(here)
  const close = async (): Promise<void> => {
    await app.close()
    await here.close()
  }
  return { here, desk, request, chapters, app, close }
})
const { here, desk, request, chapters } = context
const { page, events, open } = context.app
/** The pages of the test run; a soak takes all. */
const some = <T>(items: readonly T[], count: number): readonly T[] => items.slice(0, size(count, items.length))

test('no vector runs on the screen of a page', async () => {
  assert.ok(chapters.length > 10 && lines.length > 100)
  for (const id of some(chapters, 2)) assert.match(await open(`/s/${desk.space}/p/${id}`, '.rendered'), 'alert')
})

test('no vector runs in the editor and its preview', async () => {
  for (const id of some(chapters, 1)) {
    // A file with a NUL character cannot be edited here, and the screen states that.
    await open(`/s/${desk.space}/p/${id}/edit`, '.cm-content, .note')
    await open(`/s/${desk.space}/c/${request.number}/p/${id}`, '.cm-content')
    await page.waitForSelector('.rendered')
    assert.equal(events, [])
  }
})

test('no vector runs in a change request: its subject, its difference, its comments', async () => {
  const base = `/s/${desk.space}/c/${request.number}`
  for (const id of some(chapters, 1)) await open(`${base}?page=${id}`, '.blk')
  for (const tab of ['source', 'discussion', 'activity']) await open(`${base}/${tab}`, '#main')
  const list = await open(`/s/${desk.space}/c`, '#main a')
  assert.ok(list.includes(lines[3] as string), 'the subject is shown as text')
})

test('no vector runs among conflicts, rendered and as source', async () => {
  const change = await desk.changeRequest(lines[5])
  const id = chapters[0] ?? ''
  const write = (own: readonly string[]) => [
    { operation: 'update_page', page: id, document: { markdown: own.join('\n\n').replaceAll('\0', '') } },
  ]
  const half = Math.floor(vectors.length / 2)
  await change.write(write(some(vectors.slice(0, half), 30)))
  await desk.write(write(some(vectors.slice(half), 30)))
  for (const view of ['', '?view=source']) {
    await open(`/s/${desk.space}/c/${change.number}/conflicts/1${view}`, '.sides')
    await page.waitForFunction(() => document.querySelector('.sides')?.textContent?.includes('alert'))
    assert.equal(events, [])
  }
  await page.keyboard.press('3')
  await page.waitForSelector('.result')
  assert.equal(events, [])
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
  for (const vector of some(lines, 1)) {
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
