// Tests the list of the versions of a page, and the TimeMap with them (RFC 7089).
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import type { Files } from '../support/bare-repository.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publishSite } from './published.js'

const [test, here] = await suiteWith('sites: versions of a page', () => startService())

const DAY = 24 * 60 * 60
const MAY = Date.UTC(2026, 4, 1, 10) / 1000
const gated = (text: string): string => `---\nif: visitor.claims.never\n---\n\n${text}`

async function open(settings: object = { pastVersions: true }) {
  const desk = await openDesk(here, { 'README.md': '# Start\n\nText.\n' })
  const site = await publishSite(here, [desk.space])
  await here.admin.call('patch', site.api, settings).expect(200)
  const commit = (day: number, files: Files) =>
    desk.human(files, { author: 'Ada Okafor', seconds: MAY + (day - 1) * DAY })
  const list = async (path: string) => {
    const { status, text, headers } = await site.get(`/~/versions${path}`)
    const items = [...text.matchAll(/<li><a href="([^"]*)"[^>]*><time[^>]*>([^<]*)<\/time><\/a>(.*?)<\/li>/g)]
    return {
      status,
      text,
      headers,
      items: items.map(([, href, day, rest = '']) => [href, day, rest.includes('current')]),
    }
  }
  return { desk, site, commit, list }
}

test('a page lists the changes of its file, and each leads to the page as it was', async () => {
  const { site, commit, list } = await open()
  const first = await commit(1, { 'guide.md': '# Guide\n\nFirst text.\n' })
  await commit(2, { 'other.md': '# Other\n' })
  await commit(3, { 'guide.md': '# Guide\n\nSecond text.\n' })
  const { status, text, items, headers } = await list('/guide')
  assert.is(status, 200)
  assert.equal(items, [
    [`${site.base}/guide`, 'May 3, 2026', true],
    [`${site.base}/~/at/${first}/guide`, 'May 1, 2026', false],
  ])
  assert.match(text, 'Ada Okafor')
  assert.is(headers.get('x-robots-tag'), 'noindex, nofollow')
  assert.match((await site.get(`/~/at/${first}/guide`)).text, 'First text.')
  assert.match((await site.get('/guide')).text, `<a href="${site.base}/~/versions/guide" rel="nofollow">`)
  assert.not.match((await site.get('/other')).text, '/~/versions/', 'it has one version')
  assert.is((await list('/missing')).status, 404)
  assert.is((await list('')).status, 200, 'the first page')
})

test('a TimeMap lists the same versions, and pages and their versions name it', async () => {
  const { site, commit } = await open()
  const first = await commit(1, { 'guide.md': '# Guide\n\nFirst text.\n' })
  const second = await commit(3, { 'guide.md': '# Guide\n\nSecond text.\n' })
  const map = await site.get('/~/timemap/guide')
  const page = /<([^>]*)>; rel="original timegate"/.exec(map.text)?.[1] ?? ''
  const address = page.slice(0, -'/guide'.length)
  assert.is(map.headers.get('content-type'), 'application/link-format')
  assert.equal(map.text.trimEnd().split(',\n'), [
    `<${page}>; rel="original timegate"`,
    `<${address}/~/timemap/guide>; rel="self"; type="application/link-format"; from="Fri, 01 May 2026 10:00:00 GMT"; until="Sun, 03 May 2026 10:00:00 GMT"`,
    `<${address}/~/at/${second}/guide>; rel="memento"; datetime="Sun, 03 May 2026 10:00:00 GMT"`,
    `<${address}/~/at/${first}/guide>; rel="memento"; datetime="Fri, 01 May 2026 10:00:00 GMT"`,
  ])
  for (const path of ['/guide', `/~/at/${first}/guide`])
    assert.match(
      (await site.get(path)).headers.get('link') ?? '',
      `<${address}/~/timemap/guide>; rel="timemap"; type="application/link-format"`,
    )
})

test('a reader gets no version in which the page was hidden', async () => {
  const { site, commit, list } = await open()
  await commit(1, { 'guide.md': '# Guide\n\nOne.\n' })
  const hidden = await commit(3, { 'guide.md': gated('# Guide\n\nTwo.\n') })
  await commit(5, { 'guide.md': '# Guide\n\nThree.\n' })
  assert.equal(
    (await list('/guide')).items.map(([, day]) => day),
    ['May 5, 2026', 'May 1, 2026'],
  )
  assert.not.match((await site.get('/~/timemap/guide')).text, hidden)
  await commit(7, { 'guide.md': gated('# Guide\n\nFour.\n') })
  for (const path of ['/~/versions/guide', '/~/timemap/guide']) assert.is((await site.get(path)).status, 404, path)
})

test('at most 20 changes are listed, and the switch of the site is off by default', async () => {
  const { site, commit, list } = await open()
  for (let day = 1; day <= 22; day++) await commit(day, { 'guide.md': `# Guide\n\nText ${day}.\n` })
  const { items, text } = await list('/guide')
  assert.is(items.length, 20)
  assert.match(text, 'The newest 20 changes are listed.')
  await here.admin.call('patch', site.api, { pastVersions: false }).expect(200)
  for (const path of ['/~/versions/guide', '/~/timemap/guide']) assert.is((await site.get(path)).status, 404, path)
  assert.not.match((await site.get('/guide')).text, '/~/versions/')
})

test.run()
