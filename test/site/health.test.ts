/** The health of a site: counts without data about readers, outdated pages, broken links, and CSV. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { ReaderCounts } from '../../src/domain/context/reader-counts.js'
import { csvOf } from '../../src/domain/health/csv.js'
import { recordHealth, storeCounts } from '../../src/domain/health/record.js'
import { siteDays, sitePageReads } from '../../src/model/index.js'
import { openDesk } from '../commits/fixture.js'
import { handClock } from '../support/hand-clock.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { edit, publish } from './support.js'

const DAY_MS = 86_400_000
const clock = handClock()
const BROWSER = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', 'Sec-Fetch-Dest': 'document' }

const [test, context] = await suiteWith('site/health', async () => {
  const here = await startService({ env: { BINDERY_TRUST_PROXY: '1' }, overrides: { clock } })
  const site = await publish(
    here,
    { Start: 'Hello.\n', Install: 'See [nothing](nothing.md).\n', Code: 'Text.\n' },
    { statistics: { enabled: true } },
  )
  return { here, site, close: () => here.close() }
})
const { here, site } = context

/** A response body of the API; the service checks it against its schema. */
type Json = any

/** Opens an address as a browser does, from the address of a client. */
const open = (path: string, from = '192.0.2.1', headers: Record<string, string> = BROWSER) =>
  fetch(`${site.address}${path}`, { redirect: 'manual', headers: { ...headers, 'X-Forwarded-For': from } })

const health = async (path = ''): Promise<Json> =>
  (await here.admin.call('get', `${site.base}/health${path}`).expect(200)).body
const pageOf = async (title: string): Promise<Json> =>
  (await health('/pages')).items.find(({ page }: Json) => page.title === title)

test('reads of browsers count by page, cached or not, and those of programs do not', async () => {
  for (let i = 0; i < 3; i++) await (await open('/install')).text()
  await open('/install', '192.0.2.1', { 'User-Agent': 'curl/8', Accept: '*/*' })
  await open('/install', '192.0.2.1', { ...BROWSER, 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
  await open('/install', '192.0.2.1', { ...BROWSER, 'Sec-Purpose': 'prefetch' })
  await open('/install', '192.0.2.1', { ...BROWSER, 'Sec-Fetch-Dest': 'empty' })
  const { days, pages, counted } = await health()
  assert.ok(counted)
  assert.is(days.at(-1).reads, 3)
  assert.is((await pageOf('Install')).reads, 3)
  assert.equal([pages.total, pages.unread], [4, 3])
  const unread = await health('/pages?filter=unread')
  assert.equal(unread.items.map(({ page }: Json) => page.title).slice(-2), ['Start', 'Code'])
})

test('a text of readers is kept after three addresses have sent it, without the addresses', async () => {
  for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) await open('/~search?q=Kubernetes', from)
  for (let i = 0; i < 5; i++) await open('/~search?q=my-secret-name', '192.0.2.9')
  for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await open('/lost', from)
  await open('/only-once', '192.0.2.7')
  clock.forward(60_000)
  const before = await health()
  assert.equal(before.searches, [])
  assert.equal(before.missing, [{ text: '/lost', count: 4 }])
  assert.is(before.days.at(-1).missing, 5)
  await open('/~search?q=kubernetes', '192.0.2.3')
  clock.forward(60_000)
  const after = await health()
  assert.equal(after.searches, [{ text: 'kubernetes', count: 3 }])
  const stored = JSON.stringify([
    await here.service.app.store.all(siteDays),
    await here.service.app.store.all(sitePageReads),
  ])
  assert.not.match(stored, /192\.0\.2|my-secret-name|only-once/)
})

test('the queries of a search that is typed count as one search', () => {
  const counts = new ReaderCounts(clock)
  for (const query of ['k', 'ku', 'kub', 'ku', 'kube']) counts.search('s', query, true, '192.0.2.1')
  counts.search('s', 'install', false, '192.0.2.1')
  const taken = counts.take(true).get('s')
  assert.equal([taken?.searches, taken?.emptySearches], [2, 1])
})

test('a page is outdated after the code that it names has changed, until the page changes', async () => {
  const bare = join(here.dir, 'repos', `${site.space}.git`)
  const clone = join(here.dir, 'clone')
  await git(here.dir, ['clone', '-q', bare, clone])
  let seconds = Math.floor(clock.now().getTime() / 1000)
  const commit = async (files: Record<string, string>) => {
    await git(clone, ['pull', '-q', 'origin', 'main'])
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(clone, path)), { recursive: true })
      await writeFile(join(clone, path), text)
    }
    await git(clone, ['add', '-A'])
    seconds += 100
    const date = `${seconds} +0000`
    await git(clone, ['commit', '-qm', 'Change'], undefined, { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date })
    // A node learns of moved refs from commands in the folder of the space.
    await git(bare, ['fetch', '-q', clone, 'HEAD:refs/heads/main'])
  }
  const page = '---\ncodePaths:\n  - src/api/\n  - ./missing.ts\n---\n\n# Code\n\nText.\n'
  await commit({ 'src/api/one.ts': '1', 'src/other.ts': '1', 'code.md': page })
  assert.is((await pageOf('Code')).outdated, null)
  await commit({ 'src/other.ts': '2' })
  assert.is((await pageOf('Code')).outdated, null)
  await commit({ 'src/api/one.ts': '2' })
  const { outdated } = await pageOf('Code')
  assert.is(outdated.path, 'src/api')
  assert.is(outdated.changedAt, new Date(seconds * 1000).toISOString())
  assert.is((await health()).pages.outdated, 1)
  await commit({ 'code.md': `${page}More.\n` })
  assert.is((await pageOf('Code')).outdated, null)
})

test('the code may be in another space, which its readers must be able to read', async () => {
  const docs = await publish(here, { Guide: '---\ncodePaths: [lib]\n---\n\n# Guide\n\nText.\n', Other: 'Text.\n' })
  const code = await openDesk(here, { 'lib/main.ts': '1\n' })
  const set = (codeSpace: string | null, status = 200, caller = here.admin) =>
    caller.call('patch', `/v1/spaces/${docs.space}`, { codeSpace }).expect(status)
  const outdated = async (caller = here.admin): Promise<Json> =>
    (await caller.call('get', `${docs.base}/health/pages?filter=outdated`).expect(200)).body.items.map(
      (one: Json) => `${one.page.title}: ${one.outdated.path}`,
    )
  const later = Math.floor(clock.now().getTime() / 1000) + 1_000
  await code.human({ 'lib/main.ts': '2\n' }, { seconds: later })
  assert.equal(await outdated(), [])
  assert.is((await set(code.space)).body.codeSpace, code.space)
  assert.equal(await outdated(), ['Guide: lib'])
  // The setting and the report both need the right to read the space with the code.
  const editor = await here.caller('edit')
  assert.equal(await outdated(editor), ['Guide: lib'])
  await here.admin.call('patch', `/v1/spaces/${code.space}`, { defaultLevel: null }).expect(200)
  assert.equal(await outdated(editor), [])
  await here.admin
    .call('post', `/v1/spaces/${docs.space}/permissions`, { role: 'admin', users: [editor.user] })
    .expect(204)
  await set(code.space, 400, editor)
  for (const wrong of ['nothing', docs.space]) await set(wrong, 400)
  await here.admin.call('delete', `/v1/spaces/${code.space}`).expect(204)
  assert.equal(await outdated(), [])
  assert.is((await set(null)).body.codeSpace, undefined)
})

test('broken links are counted once a day, and old counts are removed', async () => {
  const { app } = here.service
  assert.is((await pageOf('Install')).brokenLinks, 1)
  await recordHealth(app)
  assert.is((await health()).days.at(-1).brokenLinks, 1)
  await edit(here, site.space, 'Install', 'No link.\n')
  await recordHealth(app)
  assert.is((await health()).days.at(-1).brokenLinks, 1)
  clock.forward(DAY_MS)
  await recordHealth(app)
  assert.equal(
    (await health()).days.map(({ brokenLinks }: Json) => brokenLinks),
    [1, 0],
  )
  clock.forward(31 * DAY_MS)
  assert.is((await pageOf('Install')).reads, 0)
  clock.forward(400 * DAY_MS)
  await recordHealth(app)
  assert.is((await health()).days.length, 1)
  assert.is(await app.store.count(sitePageReads, 'site', site.id), 0)
})

test('the tables are served as CSV, without formulas', async () => {
  const days = await here.admin.call('get', `${site.base}/health/csv?table=days`).expect(200)
  assert.match(String(days.headers['content-type']), /^text\/csv/)
  assert.match(days.text, /^\uFEFFday,reads,searches,emptySearches,missing,redirected,brokenLinks\r\n\d{4}-/)
  const pages = (await here.admin.call('get', `${site.base}/health/csv`).expect(200)).text
  assert.match(pages, /,Install,install,/)
  assert.is(
    csvOf(
      ['a', 'b'],
      [
        ['=1+1', 'x,"y"'],
        [-1, null],
      ],
    ),
    '\uFEFFa,b\r\n\'=1+1,"x,""y"""\r\n-1,\r\n',
  )
})

test('the health is for members who may edit the site, and a silent site stores nothing', async () => {
  await (await here.caller()).call('get', `${site.base}/health`).expect(404)
  await (await here.caller('comment')).call('get', `${site.base}/health`).expect(403)
  const editor = await here.caller('edit')
  assert.is((await editor.call('get', `${site.base}/health`).expect(200)).body.pages.total, 4)
  await here.admin.call('patch', `/v1/spaces/${site.space}`, { defaultLevel: null }).expect(200)
  assert.is((await editor.call('get', `${site.base}/health`).expect(200)).body.pages.total, 0)
  const silent = await publish(here, { Start: 'Hello.\n' })
  await fetch(silent.address, { headers: BROWSER })
  await storeCounts(here.service.app, { all: true })
  assert.is(await here.service.app.store.count(siteDays, 'site', silent.id), 0)
  await here.admin.call('delete', site.base).expect(204)
  assert.is(await here.service.app.store.count(siteDays, 'site', site.id), 0)
})

test.run()
