import { parseSitemap } from 'sitemap'
import { Readable } from 'node:stream'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publishSite } from './published.js'

const [test, here] = await suiteWith('sites: lists for programs', () => startService())

const FILES = {
  'SUMMARY.md': `* [Start](README.md)
* [Guides](guides/README.md)
  * [Install [fast]](guides/install.md)
  * [Private](guides/private.md)
* [Secret](secret.md)
* [No robots](no-robots.md)

## Reference

* [API](api.md)
`,
  'README.md': '---\ndescription: Where to begin.\n---\n\n# Start\n\nWelcome.\n',
  'guides/README.md': '# Guides\n',
  'guides/install.md': '# Install [fast]\n\nSee [the API](../api.md).\n',
  'guides/private.md': '---\nif: visitor.claims.never\n---\n\n# Private\n\nCanary.\n',
  'secret.md': '---\nhidden: true\n---\n\n# Secret\n\nCanary.\n',
  'no-robots.md': '---\nnoRobotsIndex: true\n---\n\n# No robots\n',
  'api.md': '# API\n\nCalls.\n',
}

const HIDDEN = /Private|private|Secret|secret|Canary/

async function open(files: Readonly<Record<string, string>> = FILES) {
  const desk = await openDesk(here, files)
  const site = await publishSite(here, [desk.space])
  return { desk, site, address: here.service.sites + site.base }
}

test('llms.txt lists the visible pages in the order of the table of contents', async () => {
  const { site, address } = await open()
  const { status, text, headers } = await site.get('/llms.txt')
  assert.is(status, 200)
  assert.is(headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(text, /^# Field guide\n/)
  assert.equal(
    text.split('\n').filter((line) => /^\s*- /.test(line)),
    [
      `- [Start](${address}/index.md): Where to begin.`,
      `- [Guides](${address}/guides.md)`,
      `  - [Install \\[fast\\]](${address}/guides/install.md)`,
      `- [No robots](${address}/no-robots.md)`,
      '- Reference',
      `  - [API](${address}/reference/api.md)`,
    ],
  )
  assert.not.match(text, HIDDEN)
  for (const [, link = ''] of text.matchAll(/\]\((http[^)]+\.md)\)/g)) {
    const page = await fetch(link, { redirect: 'manual' })
    assert.is(page.status, 200, link)
    assert.is(page.headers.get('content-type'), 'text/markdown; charset=utf-8', link)
  }
})

test('the complete text has every visible page with its address, ID and commit', async () => {
  const { site, address } = await open()
  const { text } = await site.get('/llms-full.txt')
  assert.equal(
    [...text.matchAll(/^canonical: (.*)$/gm)].map(([, one]) => one),
    ['', '/guides', '/guides/install', '/no-robots', '/reference/api'].map((path) => address + path),
  )
  assert.is([...text.matchAll(/^commit: [0-9a-f]{40}$/gm)].length, 5)
  assert.is([...text.matchAll(/^page: \S+$/gm)].length, 5)
  assert.match(text, new RegExp(`\\[the API\\]\\(${address}/reference/api\\)`))
  assert.not.match(text, HIDDEN)
  assert.is((await site.get('/llms-full-2.txt')).status, 404)
})

test('long lists are nested below the entries of the table of contents and continue in parts', async () => {
  const files: Record<string, string> = { 'README.md': '# Start\n' }
  const summary = ['* [Start](README.md)']
  for (let chapter = 0; chapter < 2; chapter++) {
    files[`chapter-${chapter}/README.md`] = `# Chapter ${chapter}\n`
    summary.push(`* [Chapter ${chapter}](chapter-${chapter}/README.md)`)
    for (let page = 0; page < 550; page++) {
      files[`chapter-${chapter}/page-${page}.md`] = `# Page ${page} of ${chapter}\n`
      summary.push(`  * [Page ${page} of ${chapter}](chapter-${chapter}/page-${page}.md)`)
    }
  }
  const { site, address } = await open({ ...files, 'SUMMARY.md': `${summary.join('\n')}\n` })
  const pages = new Set<string>()
  const lists = [`${address}/llms.txt`]
  for (const list of lists) {
    const response = await fetch(list)
    assert.is(response.status, 200, list)
    const text = await response.text()
    assert.ok(text.length <= 50_000, `${list}: ${text.length}`)
    for (const [, link = ''] of text.matchAll(/\]\((http[^)]+)\)/g))
      if (link.endsWith('.md')) pages.add(link)
      else if (!lists.includes(link) && !link.endsWith('llms-full.txt')) lists.push(link)
  }
  assert.is(pages.size, 1_103)
  assert.ok(lists.length > 2)
  let full = `${address}/llms-full.txt`
  let count = 0
  let parts = 0
  while (full !== '') {
    const text = await (await fetch(full)).text()
    const own = [...text.matchAll(/^page: \S+$/gm)].length
    assert.ok(own <= 100)
    count += own
    parts++
    full = /^Continued in (\S+)$/m.exec(text)?.[1] ?? ''
  }
  assert.equal([count, parts], [1_103, 12])
  assert.is((await site.get('/chapter-9/llms.txt')).status, 404)
})

test('the sitemap contains indexed pages with dates, and robots.txt points to it', async () => {
  const { site, address } = await open()
  const robots = (await site.get('/robots.txt')).text
  assert.is(robots, `User-agent: *\nAllow: /\nSitemap: ${address}/sitemap.xml\n`)
  assert.is(await (await fetch(`${here.service.sites}/robots.txt`)).text(), 'User-agent: *\nAllow: /\n')
  const { text, headers } = await site.get('/sitemap.xml')
  assert.is(headers.get('content-type'), 'application/xml; charset=utf-8')
  const urls = await parseSitemap(Readable.from([text]))
  assert.equal(
    urls.map(({ url }) => url),
    ['', '/guides', '/guides/install', '/reference/api'].map((path) => new URL(address + path).href),
  )
  assert.ok(urls.every(({ lastmod }) => Math.abs(Date.parse(lastmod ?? '') - Date.now()) < 3_600_000))
  await here.admin.call('patch', site.api, { visibility: 'unlisted' }).expect(200)
  assert.is((await site.get('/sitemap.xml')).status, 404)
  assert.is((await site.get('/robots.txt')).text, 'User-agent: *\nAllow: /\n')
})

test('the sitemap links the languages of a page and leaves out copies in older versions', async () => {
  const english = await openDesk(here, { 'README.md': '# Start\n', 'more.md': '# More\n' })
  const french = await openDesk(here, { 'README.md': '# Départ\n', 'more.md': '# Plus\n', 'seul.md': '# Seul\n' })
  const older = await openDesk(here, { 'README.md': '# Start\n', 'more.md': '# More\n', 'gone.md': '# Gone\n' })
  const { call } = here.admin
  await call('patch', `/v1/spaces/${english.space}`, { language: 'en' }).expect(200)
  await call('patch', `/v1/spaces/${french.space}`, { language: 'fr' }).expect(200)
  await call('patch', `/v1/spaces/${older.space}`, { language: 'en' }).expect(200)
  const site = await publishSite(here, [english.space, french.space, older.space])
  const urls = await parseSitemap(Readable.from([(await site.get('/sitemap.xml')).text]))
  const paths = urls.map(({ url, links }) => [
    new URL(url).pathname.slice(site.base.length),
    links.map(({ lang }) => lang).join(),
  ])
  assert.is(paths.length, 6, JSON.stringify(paths))
  assert.equal(paths.filter(([path]) => path?.endsWith('/gone')).length, 1)
})

test('a client that prefers markdown gets it, and caches store both formats separately', async () => {
  const { site, address } = await open()
  const ask = (path: string, accept: string) =>
    fetch(address + path, { redirect: 'manual', headers: { Accept: accept } })
  for (const accept of ['text/markdown', 'text/markdown, text/html;q=0.9', 'text/html;q=0.5, text/markdown']) {
    const page = await ask('/guides/install', accept)
    assert.is(page.headers.get('content-type'), 'text/markdown; charset=utf-8', accept)
    assert.is(page.headers.get('content-location'), `${site.base}/guides/install.md`)
    assert.match(page.headers.get('vary') ?? '', /\bAccept,/)
    assert.is(await page.text(), (await site.get('/guides/install.md')).text)
  }
  for (const accept of ['*/*', 'text/html, text/markdown', 'text/html,application/xhtml+xml,*/*;q=0.8'])
    assert.match((await ask('/guides/install', accept)).headers.get('content-type') ?? '', /^text\/html/, accept)
  assert.is((await ask('/guides/absent', 'text/markdown')).status, 404)
  assert.is((await ask('/guides/private', 'text/markdown')).status, 404)
  assert.match((await ask('', 'text/markdown')).headers.get('content-type') ?? '', /^text\/markdown/)
})

test('a site that excludes agents has a sitemap, but no outputs for agents', async () => {
  const { site } = await open()
  assert.match((await site.get('')).text, /href="[^"]*\/llms\.txt"/)
  await here.admin.call('patch', site.api, { agentsContext: 'excluded' }).expect(200)
  for (const path of ['/llms.txt', '/llms-full.txt', '/guides/install.md', '/guides/llms.txt', '/index.md'])
    assert.is((await site.get(path)).status, 404, path)
  const page = await fetch(`${here.service.sites}${site.base}/guides/install`, { headers: { Accept: 'text/markdown' } })
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.not.match((await site.get('/guides/install')).text, /llms\.txt|\.md"/)
  assert.is((await site.get('/sitemap.xml')).status, 200)
  assert.is((await site.get('/robots.txt')).status, 200)
})

test('browsers can discover the search (OpenSearch)', async () => {
  const { site, address } = await open()
  assert.match((await site.get('')).text, new RegExp(`rel="search"[^>]*href="${site.base}/~opensearch\\.xml"`))
  const { text, headers } = await site.get('/~opensearch.xml')
  assert.is(headers.get('content-type'), 'application/opensearchdescription+xml; charset=utf-8')
  assert.match(text, new RegExp(`template="${address}/~search\\?q=\\{searchTerms\\}"`))
  assert.match(text, /<ShortName>Field guide<\/ShortName>/)
})

test.run()
