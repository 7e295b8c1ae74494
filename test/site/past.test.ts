// Tests pages as they were: addresses, today's gate, caching, and negotiation by date (RFC 7089).
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import type { Files } from '../support/bare-repository.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type PublishedSite, publishSite } from './published.js'

const [test, here] = await suiteWith('sites: past versions', () => startService())

const DAY = 24 * 60 * 60
const MAY = Date.UTC(2026, 4, 1, 10) / 1000

const page = (...blocks: string[]): string => `# Guide\n\n${blocks.join('\n\n')}\n`
const summary = (...pages: string[]): string =>
  `# Table of contents\n\n${['README', ...pages].map((name) => `* [${name}](${name}.md)\n`).join('')}`

interface Opened {
  desk: Desk
  site: PublishedSite
  /** Commits files on a day of May 2026 at 10:00 UTC. */
  commit(day: number, files: Files): Promise<string>
  read(path: string, headers?: Record<string, string>): Promise<Response & { body: never; shown: string }>
}

async function open(settings: object = { pastVersions: true }): Promise<Opened> {
  const desk = await openDesk(here, { 'README.md': '# Start\n\nText.\n' })
  const site = await publishSite(here, [desk.space])
  await here.admin.call('patch', site.api, settings).expect(200)
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${here.service.sites}${site.base}${path}`, { redirect: 'manual', headers })
    return Object.assign(response, { shown: await response.text() }) as Response & { body: never; shown: string }
  }
  const commit = (day: number, files: Files) =>
    desk.human(files, { author: 'Ada Okafor', seconds: MAY + (day - 1) * DAY })
  return { desk, site, commit, read }
}

const status = async ({ read }: Opened, path: string): Promise<number> => (await read(path)).status

test('a page is shown as it was at a commit, at a day and at a time', async () => {
  const one = await open()
  const first = await one.commit(1, { 'guide.md': page('First text.') })
  await one.commit(3, { 'guide.md': page('Second text.') })
  const shown = await one.read(`/~/at/${first}/guide`)
  assert.is(shown.status, 200)
  assert.match(shown.shown, 'First text.')
  assert.not.match(shown.shown, 'Second text.')
  assert.match(shown.shown, /This page is shown as of <time dateTime="2026-05-01">May 1, 2026<\/time>\./i)
  assert.match(shown.shown, `<a href="${one.site.base}/guide">Show the current page</a>`)
  assert.match(shown.shown, '<meta name="robots" content="noindex"/>')
  assert.match(shown.shown, new RegExp(`<link rel="canonical" href="[^"]*${one.site.base}/guide"/>`))
  assert.is(shown.headers.get('x-robots-tag'), 'noindex, nofollow')
  assert.is(shown.headers.get('memento-datetime'), 'Fri, 01 May 2026 10:00:00 GMT')
  for (const at of [first.slice(0, 7), '2026-05-01', '2026-05-02', '2026-05-03T09:59:59Z', '2026-05-03T12:00:00+02:01'])
    assert.match((await one.read(`/~/at/${at}/guide`)).shown, 'First text.', at)
  for (const at of ['2026-05-03', '2026-05-03T10:00:00Z'])
    assert.match((await one.read(`/~/at/${at}/guide`)).shown, 'Second text.', at)
  const markdown = await one.read(`/~/at/${first}/guide.md`)
  assert.is(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8')
  assert.match(markdown.shown, 'First text.')
})

test('commits may be cached by browsers forever, and by others only if they ask again', async () => {
  const one = await open()
  const first = await one.commit(1, { 'guide.md': page('First text.') })
  await one.commit(3, { 'guide.md': page('Second text.') })
  const cacheOf = async (path: string) => (await one.read(path)).headers.get('cache-control')
  const forever = 'public, max-age=31536000, s-maxage=0, proxy-revalidate, immutable'
  assert.is(await cacheOf(`/~/at/${first}/guide`), forever)
  assert.is(await cacheOf(`/~/at/${first.slice(0, 9)}/guide`), 'public, max-age=0, must-revalidate')
  assert.is(await cacheOf('/~/at/2026-05-02/guide'), 'public, max-age=0, must-revalidate')
  await here.admin.call('patch', one.site.api, { adaptiveContent: { enabled: true } }).expect(200)
  assert.is(await cacheOf(`/~/at/${first}/guide`), 'private, no-cache')
})

test('the switch of the site is off by default', async () => {
  const one = await open({})
  const first = await one.commit(1, { 'guide.md': page('First text.') })
  await one.commit(3, { 'guide.md': page('Second text.') })
  assert.is((await here.admin.call('get', one.site.api).expect(200)).body.pastVersions, false)
  const absent = (path: string, text: string) => text.replaceAll(path, '')
  const [past, other] = [await one.read(`/~/at/${first}/guide`), await one.read('/~/xx/yy/guide')]
  assert.is(past.status, 404)
  assert.is(absent(`at/${first}`, past.shown), absent('xx/yy', other.shown))
  const current = await one.read('/guide', { 'Accept-Datetime': 'Fri, 01 May 2026 10:00:00 GMT' })
  assert.is(current.status, 200)
  assert.is(current.headers.get('link'), null)
})

test('a page that is hidden, gated, drafted or deleted today is not shown in the past', async () => {
  const one = await open()
  const text = { 'guide.md': page('Canary.'), 'SUMMARY.md': summary('guide') }
  const first = await one.commit(1, text)
  const changes: [string, Record<string, string>][] = [
    ['a condition', { 'guide.md': `---\nif: visitor.claims.never\n---\n\n${page('Canary.')}` }],
    ['unreadable front matter', { 'guide.md': `---\nhidden: perhaps\n---\n\n${page('Canary.')}` }],
    [
      'a draft',
      { 'guide.md': page('Canary.'), 'SUMMARY.md': '# Table of contents\n\n* [README](README.md)\n* [guide]()\n' },
    ],
    ['no history', { ...text, 'guide.md': `---\nlayout:\n  metadata:\n    visible: false\n---\n\n${page('Canary.')}` }],
    ['a block with a condition', { 'guide.md': page('{% if visitor.claims.never %}\nCanary.\n{% endif %}') }],
    ['not in the table of contents', { ...text, 'SUMMARY.md': summary() }],
  ]
  for (const [at, [name, files]] of changes.entries()) {
    await one.commit(2 + at, files)
    for (const path of [`/~/at/${first}/guide`, `/~/at/${first}/guide.md`, '/~/at/2026-05-01/guide']) {
      const { status, shown } = await one.read(path)
      assert.is(status, 404, `${name}: ${path}`)
      assert.not.match(shown, 'Canary', name)
    }
    await one.commit(2 + at, text)
    assert.is(await status(one, `/~/at/${first}/guide`), 200, `after ${name}`)
  }
  await one.commit(20, { 'SUMMARY.md': summary(), 'guide.md': null })
  const [deleted, missing] = [await one.read(`/~/at/${first}/guide`), await one.read(`/~/at/${first}/quite`)]
  assert.is(deleted.status, 404)
  assert.is(deleted.shown.replaceAll('quite', 'guide'), missing.shown.replaceAll('quite', 'guide'))
})

test('a page that a reader could not see then is not shown as it was', async () => {
  const one = await open()
  const gated = await one.commit(1, {
    'guide.md': `---\nif: visitor.claims.never\n---\n\n${page('Canary.')}`,
    'SUMMARY.md': summary('guide'),
  })
  const below = await one.commit(2, {
    'guide.md': page('Canary.'),
    'above.md': '---\nif: visitor.claims.never\n---\n\n# Above\n',
    'SUMMARY.md': '# Table of contents\n\n* [README](README.md)\n* [above](above.md)\n  * [guide](guide.md)\n',
  })
  await one.commit(3, { 'guide.md': page('Open text.'), 'SUMMARY.md': summary('guide') })
  assert.is(await status(one, '/guide'), 200)
  for (const commit of [gated, below]) assert.is(await status(one, `/~/at/${commit}/guide`), 404)
  // A time gate does not redirect to what cannot be shown.
  const ask = (day: string) => one.read('/guide', { 'Accept-Datetime': day })
  for (const day of [
    'Fri, 01 May 2026 12:00:00 GMT',
    'Sat, 02 May 2026 12:00:00 GMT',
    'Sat, 02 May 2020 00:00:00 GMT',
  ]) {
    const response = await ask(day)
    assert.equal([response.status, response.headers.get('location')], [404, null], day)
    assert.match(response.shown, 'No page has this address')
    assert.not.match(response.shown, 'Canary')
  }
  assert.is((await ask('Sun, 03 May 2026 12:00:00 GMT')).status, 302)
})

test('a former page keeps its identity when it moves, and its former path leads to it', async () => {
  const one = await open()
  const first = await one.commit(1, { 'old.md': page('First text, long enough to be recognized.') })
  await one.commit(3, { 'new.md': page('First text, long enough to be recognized.'), 'old.md': null })
  await one.commit(4, { 'new.md': page('Newest text.') })
  for (const path of ['old', 'new']) {
    const { status, shown } = await one.read(`/~/at/${first}/${path}`)
    assert.is(status, 200, path)
    assert.match(shown, 'First text')
    assert.match(shown, `<a href="${one.site.base}/new">Show the current page</a>`)
  }
})

test('included text is shown as it was only if it is for everyone today', async () => {
  const one = await open()
  const include = (name: string) => `{% include ".gitbook/includes/${name}.md" %}`
  const shared = (name: string, text: string) => ({ [`.gitbook/includes/${name}.md`]: `${text}\n` })
  const first = await one.commit(1, {
    'guide.md': page('Text.', include('kept'), include('gone'), include('gated')),
    ...shared('kept', 'Kept then.'),
    ...shared('gone', 'Canary one.'),
    ...shared('gated', 'Canary two.'),
  })
  await one.commit(3, {
    'guide.md': page('Text.'),
    '.gitbook/includes/gone.md': null,
    ...shared('kept', 'Kept now.'),
    ...shared('gated', '{% if visitor.claims.never %}\nCanary two.\n{% endif %}'),
  })
  const { shown } = await one.read(`/~/at/${first}/guide`)
  assert.match(shown, 'Kept then.')
  assert.not.match(shown, 'Canary')
})

test('a past page links only to pages and files that its reader may see today', async () => {
  const one = await open()
  const pages = { 'open.md': '# Open\n', 'closed.md': '# Closed\n', 'SUMMARY.md': summary('guide', 'open', 'closed') }
  const files = { 'a.txt': 'A then.\n', 'b.txt': 'B then.\n' }
  const first = await one.commit(1, {
    ...pages,
    ...files,
    'guide.md': page('[Open](open.md) [Closed](closed.md)', '[A](a.txt)', '[B](b.txt)'),
  })
  await one.commit(3, {
    'closed.md': '---\nif: visitor.claims.never\n---\n\n# Closed\n\n[B](b.txt)\n',
    'a.txt': 'A now.\n',
    'guide.md': page('[A](a.txt)'),
  })
  const { shown } = await one.read(`/~/at/${first}/guide`)
  const above = `${one.site.base}/~/at/${first}`
  assert.match(shown, `href="${above}/open"`)
  assert.not.match(shown, '/closed"')
  const [, path = ''] = /href="([^"]*~files\/[^"]*a\.txt)"/.exec(shown) ?? []
  assert.ok(path.startsWith(above), path)
  assert.not.match(shown, 'b.txt')
  const file = await one.read(path.slice(one.site.base.length))
  assert.is(file.shown, 'A then.\n')
  await one.commit(5, { 'guide.md': page('Text.'), 'a.txt': null })
  assert.is(await status(one, path.slice(one.site.base.length)), 404)
})

test('only commits that main pointed to have pages', async () => {
  const one = await open()
  await one.commit(1, { 'guide.md': page('First text.') })
  await one.desk.git('branch', 'topic', 'main')
  const branch = await one.desk.human(
    { 'guide.md': page('Canary of a draft.') },
    { ref: 'refs/heads/topic', seconds: MAY + DAY },
  )
  await one.desk.human({ 'guide.md': page('Merged.') }, { parents: [branch], seconds: MAY + 2 * DAY })
  for (const at of [branch, branch.slice(0, 8), 'f'.repeat(40), '2020-01-01'])
    assert.is(await status(one, `/~/at/${at}/guide`), 404, at)
})

test('other texts than commits and times are rejected in the language of the site', async () => {
  const one = await open()
  for (const at of ['yesterday', '2026-13-45', '2026-05-01T10:00', 'main', 'abc', '%00', '2026-05-01%0aX'])
    assert.ok([400, 404].includes(await status(one, `/~/at/${at}/guide`)), at)
  const { status: rejected, shown } = await one.read('/~/at/yesterday/guide')
  assert.is(rejected, 400)
  assert.match(shown, 'This point in time does not exist')
  await here.admin.call('put', `${one.site.api}/customization`, { internationalization: { locale: 'de' } }).expect(200)
  assert.match((await one.read('/~/at/yesterday/guide')).shown, 'Diesen Zeitpunkt gibt es nicht')
  const future = await one.read('/~/at/2999-01-01/guide')
  assert.equal([future.status, future.headers.get('location')], [302, `${one.site.base}/guide`])
})

test('a page is a time gate for its versions', async () => {
  const one = await open()
  await one.commit(1, { 'guide.md': page('First text.') })
  await one.commit(3, { 'guide.md': page('Second text.') })
  const current = await one.read('/guide')
  const address = `${here.service.sites}${one.site.base}/guide`
  assert.match(current.headers.get('link') ?? '', `<${address}>; rel="original timegate"`)
  assert.match(current.headers.get('vary') ?? '', 'Accept-Datetime')
  const ask = (datetime: string) => one.read('/guide', { 'Accept-Datetime': datetime })
  const then = await ask('Sat, 02 May 2026 00:00:00 GMT')
  assert.is(then.status, 302)
  assert.match(then.headers.get('vary') ?? '', 'Accept-Datetime')
  const to = then.headers.get('location') ?? ''
  assert.is(to, `${one.site.base}/~/at/2026-05-02T00:00:00Z/guide`)
  const shown = await one.read(to.slice(one.site.base.length))
  assert.match(shown.shown, 'First text.')
  assert.is(shown.headers.get('memento-datetime'), 'Sat, 02 May 2026 00:00:00 GMT')
  assert.match(shown.headers.get('link') ?? '', `<${address}>; rel="original timegate"`)
  const early = (await ask('Sat, 02 May 2020 00:00:00 GMT')).headers.get('location')
  assert.is(early, `${one.site.base}/~/at/2026-05-01T10:00:00Z/guide`)
  for (const late of ['Sat, 02 May 2099 00:00:00 GMT']) assert.match((await ask(late)).shown, 'Second text.')
  assert.is((await ask('tomorrow')).status, 400)
  // The cached page is not sent to those who ask for another time, and vice versa.
  assert.match((await one.read('/guide')).shown, 'Second text.')
})

test('a request for the past counts as twenty', async () => {
  const other = await startService({ env: { BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '100' } })
  try {
    const read = async () => (await fetch(`${other.service.sites}/x/~/at/2026-05-01/guide`)).status
    const told = []
    for (let count = 0; count < 6; count++) told.push(await read())
    assert.equal(told, [404, 404, 404, 404, 404, 429])
  } finally {
    await other.close()
  }
})

test.run()
