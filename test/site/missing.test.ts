import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type PublishedSite, publishSite } from './published.js'

const [test, here] = await suiteWith('sites: missing pages and redirects', () => startService())
let desk: Desk
let site: PublishedSite

const page = (title: string, front = ''): string => `${front}# ${title}\n\nText about ${title}.\n`

test.before(async () => {
  desk = await openDesk(here, {
    '.gitbook.yaml': 'redirects:\n  old/address: guides/install.md\n',
    'SUMMARY.md':
      '* [Start](README.md)\n* [Guides](guides/README.md)\n  * [Install](guides/install.md)\n  * [Für alle](guides/für-alle.md)\n  * [Moved](guides/moved.md)\n  * [Private](guides/private.md)\n  * [Hidden](guides/hidden.md)\n* [Reference](reference/README.md)\n',
    'README.md': page('Start'),
    'guides/README.md': page('Guides'),
    'guides/install.md': page('Install'),
    'guides/für-alle.md': page('Für alle'),
    'guides/moved.md': page('Moved'),
    'guides/private.md': page('Private', '---\nif: visitor.claims.never\n---\n\n'),
    'guides/hidden.md': page('Hidden', '---\nhidden: true\n---\n\n'),
    'reference/README.md': page('Reference'),
  })
  site = await publishSite(here, [desk.space])
})

test('a missing page suggests similar pages that the reader may see', async () => {
  const { status, text } = await site.get('/guides/instalation')
  assert.is(status, 404)
  assert.match(text, /404 \/guides\/instalation/)
  assert.match(text, /<ul class="linklist"><li><a href="[^"]+\/guides\/install">Install<\/a>/)
  assert.match(text, /<meta name="robots" content="noindex"/)
  const near = (await site.get('/guides/privat')).text
  assert.not.match(near, /guides\/private|>Private|guides\/hidden/)
  assert.not.match((await site.get('/guides/hiden')).text, /guides\/hidden|>Hidden/)
})

test('a hidden page has the same response as a missing one', async () => {
  const hidden = await site.get('/guides/private')
  assert.is(hidden.status, 404)
  const headersOf = ({ headers }: { headers: Headers }): string[] => {
    const all: string[] = []
    headers.forEach((value, name) => void all.push(`${name}: ${value}`))
    return all.filter((line) => !/^(?:date|etag|content-length|x-request-id):/.test(line))
  }
  await desk.human({
    'guides/private.md': null,
    'SUMMARY.md': `${await desk.file('SUMMARY.md')}`.replace(/.*Private.*\n/, ''),
  })
  const absent = await site.get('/guides/private')
  assert.is(absent.text, hidden.text)
  assert.equal(headersOf(absent), headersOf(hidden))
})

test("other notations of a path redirect to the page's canonical path", async () => {
  const ways = [
    '/Guides/Install',
    '/guides/install/',
    '/guides/install.html',
    '/guides/INSTALL.htm',
    '//guides//install',
  ]
  for (const way of ways) {
    const { status, location } = await site.get(way)
    assert.equal([status, location], [301, '/guides/install'], way)
  }
  assert.is((await site.get('/guides/fu%CC%88r-alle')).location, `/guides/${encodeURIComponent('für-alle')}`)
  assert.is((await site.get('/guides/index.html')).location, '/guides')
  assert.is((await site.get('/old/address')).location, '/guides/install')
  assert.is((await site.get('/readme')).location, '')
})

test('the former paths of a moved page redirect to its current path', async () => {
  const id = await desk.id('guides/moved')
  await desk.write([{ operation: 'update_page', page: id, slug: 'renamed' }])
  assert.is((await site.get('/guides/moved')).location, '/guides/renamed')
  await desk.write([{ operation: 'update_page', page: id, into: await desk.id('reference') }])
  const path = [...(await desk.byPath()).values()].find((one) => one.id === id)?.path
  assert.is(path, 'reference/renamed')
  for (const former of ['/guides/moved', '/guides/renamed', '/Guides/Moved.html'])
    assert.equal(
      [(await site.get(former)).status, (await site.get(former)).location],
      [301, '/reference/renamed'],
      former,
    )
  const source = (await desk.byPath()).get('reference/renamed')
  await desk.human({
    [source?.git?.path ?? 'guides/renamed.md']: page('Moved', '---\nif: visitor.claims.never\n---\n\n'),
  })
  const [hidden, absent] = [await site.get('/guides/moved'), await site.get('/guides/movex')]
  assert.equal([hidden.status, absent.status], [404, 404])
  assert.not.match(hidden.text, /reference\/renamed/)
})

test("a group's address redirects to its first page", async () => {
  const other = await openDesk(here, {
    'SUMMARY.md': '* [Start](README.md)\n\n## Part one\n\n* [First](first.md)\n',
    'README.md': page('Start'),
    'first.md': page('First'),
  })
  const grouped = await publishSite(here, [other.space])
  assert.is((await grouped.get('/part-one')).location, '/part-one/first')
})

test.run()
