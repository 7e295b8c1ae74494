import * as assert from 'uvu/assert'
import { siteFeedback } from '../../src/model/index.js'
import { openDesk } from '../commits/fixture.js'
import { startService, type TestService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type PublishedSite, publishSite } from './published.js'

const [test, context] = await suiteWith('site/feedback', async () => {
  const here = await startService()
  const desk = await openDesk(here, {
    'README.md': '# Start\n\nHello.\n',
    'guide.md': '# Guide\n\nText.\n',
    'SUMMARY.md': '* [Start](README.md)\n* [Guide](guide.md)\n',
  })
  const site = await publishSite(here, [desk.space], { feedback: { enabled: true } })
  return { here, desk, site, close: () => here.close() }
})
const { here, desk, site } = context

type Fields = Record<string, string>

/** Sends a form, as a page of the site by default. */
const send = (
  { here, site }: { here: TestService; site: PublishedSite },
  fields: Fields,
  headers: Fields = { 'Sec-Fetch-Site': 'same-origin' },
) =>
  fetch(`${here.service.sites}${site.base}/~feedback`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
    redirect: 'manual',
  })

const listed = async ({ here, site }: { here: TestService; site: PublishedSite }) =>
  (await here.admin.call('get', `${site.api}/feedback`).expect(200)).body

test('the API lists ratings and comments without data about the reader', async () => {
  const first = await send(context, { page: '/guide', helpful: 'no' })
  assert.is(first.status, 303)
  assert.is(first.headers.get('set-cookie'), null)
  const location = first.headers.get('location') as string
  assert.ok(location.startsWith(`${site.base}/~feedback?`), location)
  const next = await fetch(new URL(location, here.service.sites))
  const html = await next.text()
  assert.is(next.status, 200)
  assert.match(html, /Thank you for your feedback/)
  const entry = /name="entry" value="(\w+)"/.exec(html)?.[1] as string
  const comment = '<b>Where</b> is\r\nthe\u0007 example?'
  assert.is((await send(context, { page: '/guide', entry, comment })).status, 303)
  const { items, count } = await listed(context)
  assert.is(count, 1)
  const { id, createdAt: _, siteSpace: __, page, ...rest } = items[0]
  assert.equal(rest, { object: 'site-feedback', helpful: false, comment: '<b>Where</b> is\nthe example?' })
  assert.equal({ path: page.path, title: page.title }, { path: '/guide', title: 'Guide' })
  const stored = await here.service.app.store.get(siteFeedback, id)
  assert.not.match(JSON.stringify(stored), /127\.0\.0\.1|::1/)
  // A comment is final.
  await send(context, { page: '/guide', entry, comment: 'Another' })
  assert.match((await listed(context)).items[0].comment, /example/)
})

test('the script gets a JSON response, and the first page of a site has the path "/"', async () => {
  const headers = { 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' }
  const response = await send(context, { page: '/', helpful: 'yes' }, headers)
  assert.is(response.status, 200)
  assert.match((await response.json()).entry, /^\w{20}$/)
  const [latest] = (await listed(context)).items
  assert.equal([latest.page.path, latest.page.title, latest.helpful], ['/', 'Start', true])
})

test('a form from another site, an invalid field and a form that is too long are rejected', async () => {
  const { count } = await listed(context)
  const fields = { page: '/guide', helpful: 'yes' }
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.is((await send(context, fields, { 'Sec-Fetch-Site': site })).status, 403, site)
  assert.is((await send(context, fields, { Origin: 'https://evil.example.org' })).status, 403)
  assert.is((await send(context, fields, { Origin: 'null' })).status, 403)
  assert.is((await send(context, { page: '/guide', helpful: 'maybe' })).status, 400)
  assert.is((await send(context, { ...fields, comment: 'x'.repeat(40_000) })).status, 413)
  assert.is((await listed(context)).count, count)
})

test('feedback to a missing page or a site without feedback gets a 404', async () => {
  const missing = await send(context, { page: '/nothing', helpful: 'yes' })
  assert.is(missing.status, 404)
  const silent = await publishSite(here, [desk.space])
  const off = await send({ here, site: silent }, { page: '/guide', helpful: 'yes' })
  assert.is(off.status, 404)
  assert.is(await off.text(), await (await send({ here, site: silent }, { page: '/no', helpful: 'yes' })).text())
  assert.equal((await listed({ here, site: silent })).items, [])
})

test('one address sends at most 20 entries in an hour', async () => {
  const site = await publishSite(here, [desk.space], { feedback: { enabled: true } })
  const statuses: number[] = []
  for (let i = 0; i < 22; i++) statuses.push((await send({ here, site }, { page: '/', helpful: 'yes' })).status)
  assert.equal(statuses, [...Array(20).fill(303), 429, 429])
  assert.is((await listed({ here, site })).count, 20)
})

test('the oldest entries of a site are dropped', async () => {
  const site = await publishSite(here, [desk.space], { feedback: { enabled: true } })
  const id = site.api.split('/').at(-1) as string
  const siteSpaces = (await here.admin.call('get', `${site.api}/site-spaces`).expect(200)).body.items
  const old = new Date(0).toISOString()
  await here.service.app.store.transact(async (tx) => {
    for (let i = 0; i < 2_000; i++)
      await tx.insert(siteFeedback, {
        id: `old${i}`,
        site: id,
        siteSpace: siteSpaces[0].id,
        page: 'p',
        title: 'Old',
        path: '/old',
        helpful: true,
        createdAt: old,
      })
  })
  assert.is((await send({ here, site }, { page: '/guide', helpful: 'no' })).status, 303)
  const { items, count } = await listed({ here, site })
  assert.is(count, 2_000)
  assert.is(items[0].page.title, 'Guide')
  await here.admin.call('delete', site.api).expect(204)
  assert.is(await here.service.app.store.count(siteFeedback, 'site', id), 0)
})

test('feedback about a space is listed only for callers who may see it', async () => {
  await (await here.caller()).call('get', `${site.api}/feedback`).expect(404)
  const reader = await here.caller('read')
  const count = async (): Promise<number> => (await reader.call('get', `${site.api}/feedback`).expect(200)).body.count
  assert.ok((await count()) > 0)
  await here.admin.call('patch', desk.url, { defaultLevel: null }).expect(200)
  assert.is(await count(), 0)
  assert.ok((await listed(context)).count > 0)
})

test.run()
