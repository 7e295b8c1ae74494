import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import type { SearchResults } from '../../src/site/search-results.js'
import { type PublishedSite, publishSite } from './published.js'

const GUIDE = `# Locks

Intro.

## Choose a lock provider

Redis keeps **every** lock for \`<b>replicas</b>\`.

## Time-outs

Nothing here.
`

const [test, { here, desk, site }] = await suiteWith('site/search', async () => {
  const here = await startService()
  const desk = await openDesk(here, {
    'SUMMARY.md':
      '* [Start](README.md)\n* [Cluster](cluster/README.md)\n  * [Locks](cluster/locks.md)\n* [分散ロック](cjk.md)\n* [الأقفال](rtl.md)\n',
    'README.md': '# Start\n\nHello.\n',
    'cluster/README.md': '# Cluster\n\nMany machines.\n',
    'cluster/locks.md': GUIDE,
    'cjk.md': '# 分散ロック\n\n複数のサーバーで排他制御を行います。\n',
    'rtl.md': '# الأقفال\n\nقبل. `port 13000` رقم المنفذ، ثم عدد النسخ واقتباس قصير عن الأقفال في النظام كله.\n',
    'secret.md': '---\nhidden: true\n---\n\n# Secret lock\n\nNot for lists.\n',
  })
  const site = await publishSite(here, [desk.space])
  return { here, desk, site, close: () => here.close() }
})

/** Returns the results as JSON, as the dialog gets them. */
async function find(
  query: string,
  more: Record<string, string> = {},
  of: PublishedSite = site,
): Promise<SearchResults> {
  const response = await of.get(`/~search?${new URLSearchParams({ q: query, format: 'json', ...more })}`)
  assert.is(response.status, 200)
  assert.match(response.headers.get('content-type') as string, /^application\/json/)
  return JSON.parse(response.text)
}

const hits = ({ groups }: SearchResults) => groups.flatMap((group) => group.hits)

test('a text has the direction of most of its letters', async () => {
  const directions = async (query: string) => hits(await find(query)).map(({ text, dir }) => text.join('') && dir)
  assert.equal(await directions('port'), ['rtl'])
  assert.equal((await directions('replicas')).filter(Boolean), ['ltr'])
  const { text } = await site.get('/~search?q=port')
  assert.match(text, /<p dir="rtl">/)
})

test('results link to the heading, and the stated number matches the shown results', async () => {
  const results = await find('lock provider')
  const found = hits(results)
  assert.equal(
    found.map(({ href, kind }) => [href.slice(site.base.length), kind]),
    [
      ['/cluster/locks', 'page'],
      ['/cluster/locks#choose-a-lock-provider', 'section'],
    ],
  )
  assert.is(results.status, '2 results')
  assert.equal(found[0]?.title, ['', 'Locks', ''])
  assert.equal(found[1]?.title, ['Choose a ', 'lock', ' ', 'provider', ''])
  assert.is(found[0]?.place, 'Cluster')
  assert.match((await site.get('/cluster/locks')).text, /id="choose-a-lock-provider"/)
})

test('the page without script shows the same results, with marks and without HTML of authors', async () => {
  const { text, status, headers } = await site.get('/~search?q=replicas')
  assert.is(status, 200)
  const found = hits(await find('replicas'))
  assert.is(text.match(/class="hit"/g)?.length, found.length)
  assert.match(text, new RegExp(`<output dir="auto">${found.length} results?</output>`))
  assert.match(text, /&lt;b><mark>replicas<\/mark>&lt;\/b>|<mark>replicas<\/mark>/)
  assert.not.match(text, /<b>replicas<\/b>/)
  assert.match(text, /<meta name="robots" content="noindex"/)
  assert.is(headers.get('x-robots-tag'), 'noindex')
})

test('Japanese is found within a text', async () => {
  const found = hits(await find('排他制御'))
  assert.equal(
    found.map(({ href }) => decodeURIComponent(href.slice(site.base.length))),
    ['/cjk'],
  )
  assert.equal(found[0]?.text, ['複数のサーバーで', '排他制御', 'を行います。'])
  assert.equal(hits(await find('ロック'))[0]?.title, ['分散', 'ロック', ''])
})

test('hidden pages are not found, and an empty result suggests pages with similar addresses', async () => {
  assert.is(hits(await find('secret')).length, 0)
  const { text } = await site.get('/~search?q=clustr')
  assert.match(text, /No results|\d+ results?/)
  const none = await site.get('/~search?q=zzzzlocks')
  assert.match(none.text, /<output dir="auto">No results<\/output>/)
  assert.not.match(none.text, /Secret/)
})

test('a query may have any characters and any length', async () => {
  for (const query of [
    '',
    ' ',
    '"',
    '*',
    'a OR b',
    '<script>alert(1)</script>',
    '\u0000\ud800',
    '%',
    'x'.repeat(5_000),
  ]) {
    const results = await find(query)
    assert.ok(results.query.length <= 200)
    const { status, text } = await site.get(`/~search?${new URLSearchParams({ q: query })}`)
    assert.is(status, 200)
    assert.not.match(text, /<script>alert/)
  }
  assert.is((await site.get('/~search')).status, 200)
})

test('results are grouped by section, with one variant of each, and can be limited to a scope', async () => {
  const make = async (title: string, text: string): Promise<Desk> => {
    const made = await openDesk(here, { 'README.md': `# ${title}\n\nThe word lantern. ${text}\n` })
    await here.admin.call('patch', made.url, { title }).expect(200)
    return made
  }
  const [v2, v1, api] = [await make('Version 2', 'New.'), await make('Version 1', 'Old.'), await make('API', 'Calls.')]
  const sectioned = await publishSite(here, [desk.space])
  const add = async (path: string, body: object) =>
    (await here.admin.call('post', `${sectioned.api}/${path}`, body).expect(201)).body
  const guides = await add('sections', { spaceId: v2.space })
  const reference = await add('sections', { spaceId: api.space })
  const old = await add('site-spaces', { spaceId: v1.space, sectionId: guides.id })
  const titles = (results: SearchResults): string[] => hits(results).map(({ title }) => title.join(''))
  const all = await find('lantern', {}, sectioned)
  assert.equal(titles(all).sort(), ['API', 'Version 2'])
  assert.is(all.status, '2 results')
  assert.ok(all.scopes.length >= 3, 'everything and the sections')
  assert.equal(titles(await find('lantern', { at: old.id }, sectioned)).sort(), ['API', 'Version 1'])
  const scoped = await find('lantern', { in: reference.id }, sectioned)
  assert.equal(titles(scoped), ['API'])
  assert.is(scoped.status, '1 result')
  const page = await sectioned.get(`/~search?q=lantern&at=${old.id}&in=${reference.id}`)
  assert.match(page.text, new RegExp(`name="at" value="${old.id}"`))
  assert.is(page.text.match(/class="hit"/g)?.length, 1)
})

test('search results of a site that is not public are not stored in shared caches', async () => {
  assert.match((await site.get('/~search?q=lock')).headers.get('cache-control') as string, /^public, max-age=0/)
  const hidden = await publishSite(here, [desk.space])
  await here.admin.call('patch', hidden.api, { visibility: 'share-link' }).expect(200)
  const response = await hidden.get('/~search?q=lock')
  assert.is(response.status, 404)
  assert.not.match(response.headers.get('cache-control') as string, /public/)
})

test.run()
