/**
 * Tests the limits of the public specification for documentation that programs read, on the sample site and on a large
 * one: sizes, the position of the content, the lists, and the common content of the two forms of a page.
 */
import * as assert from 'uvu/assert'
import { parseSitemap } from 'sitemap'
import { Readable } from 'node:stream'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publishSite } from './published.js'

/** Maximum number of characters of a page or list. */
const MAX_LENGTH = 50_000
/** The share of a page before which its content must begin, and its reference to the list of pages. */
const TOP = 0.1
const DEEP = 0.5
/** The share of the pages of the sitemap that the lists must have. */
const COVERAGE = 0.95

const CHAPTERS = 12
const PAGES = 60

const [test, { addresses }] = await suiteWith('site: limits for agents', async () => {
  const here = await startService({ env: { BINDERY_SAMPLE_SITE: 'true' } })
  const { items } = (await here.admin.call('get', `/v1/orgs/${here.organization}/sites`).expect(200)).body
  const sample = (items as { urls: { published: string } }[])[0]?.urls.published
  assert.ok(sample, 'the sample site')
  const desk = await openDesk(here, largeSite())
  const large = await publishSite(here, [desk.space])
  return { addresses: [sample, here.service.sites + large.base], close: () => here.close() }
})

/** A site whose list of pages is too long for one file, with long pages. */
function largeSite(): Record<string, string> {
  const files: Record<string, string> = { 'README.md': '# Handbook\n\nAll chapters of the handbook, in order.\n' }
  const summary = ['* [Handbook](README.md)']
  for (let chapter = 1; chapter <= CHAPTERS; chapter++) {
    const folder = `chapter-${chapter}`
    files[`${folder}/README.md`] = `# Chapter ${chapter}\n\nThe pages of chapter ${chapter} explain one topic each.\n`
    summary.push(`* [Chapter ${chapter}](${folder}/README.md)`)
    for (let page = 1; page <= PAGES; page++) {
      const name = `topic-${page}-of-chapter-${chapter}`
      files[`${folder}/${name}.md`] = pageText(chapter, page)
      summary.push(`  * [Topic ${page} of chapter ${chapter}](${folder}/${name}.md)`)
    }
  }
  return { ...files, 'SUMMARY.md': `${summary.join('\n')}\n` }
}

function pageText(chapter: number, page: number): string {
  return `# Topic ${page} of chapter ${chapter}

The introduction of topic ${page} names its prerequisites and its result.

{% tabs %}
{% tab title="Linux" %}
Run the installer of topic ${page} with the package manager.
{% endtab %}
{% tab title="macOS" %}
Run the installer of topic ${page} with Homebrew.
{% endtab %}
{% endtabs %}

\`\`\`bash
echo "topic ${page}"
\`\`\`

${Array.from({ length: 40 }, (_, n) => `Paragraph ${n} of topic ${page} in chapter ${chapter} describes one of its details with enough words to fill two lines.\n`).join('\n')}`
}

const ask = (address: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(address, { headers, redirect: 'manual' })

/** Follows the lists from `llms.txt`, and returns their texts and the addresses of the pages in them. */
async function listsOf(address: string): Promise<{ lists: Map<string, string>; pages: string[] }> {
  const lists = new Map<string, string>()
  const pages: string[] = []
  const pending = [`${address}/llms.txt`]
  for (let list = pending.pop(); list !== undefined; list = pending.pop()) {
    if (lists.has(list)) continue
    const response = await ask(list)
    assert.is(response.status, 200, list)
    const text = await response.text()
    lists.set(list, text)
    for (const [, link = ''] of text.matchAll(/\]\((https?:[^)]+)\)/g))
      if (link.endsWith('.md')) pages.push(link)
      else if (/\/llms(?:-\d+)?\.txt$/.test(link)) pending.push(link)
  }
  return { lists, pages }
}

/** Returns at most 40 of the pages, evenly spread. */
const sampleOf = <T>(all: readonly T[]): T[] => all.filter((_, at) => at % Math.ceil(all.length / 40) === 0)

/** Returns the text of HTML for converters to markdown. */
const textOf = (html: string): string =>
  html
    .replace(/<(script|style|svg|template|head)\b.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#x([0-9A-F]+);/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/&amp;/g, '&')
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/\s+/g, ' ')
    .trim()

test('each list is short, starts with a title and a summary, and links to nested lists', async () => {
  for (const address of addresses) {
    const { lists, pages } = await listsOf(address)
    for (const [list, text] of lists) {
      assert.ok(text.length < MAX_LENGTH, `${list}: ${text.length}`)
      assert.match(text, /^# \S.*\n\n> \S/, list)
      assert.match(text, /\n## \S/, list)
    }
    assert.is(new Set(pages).size, pages.length, 'each page once')
    assert.ok(pages.length > 1)
  }
  assert.ok((await listsOf(addresses[1] as string)).lists.size > 1, 'the large site needs several')
})

test('the lists contain the pages of the sitemap and link to markdown without redirects', async () => {
  for (const address of addresses) {
    const { pages } = await listsOf(address)
    const sitemap = await ask(`${address}/sitemap.xml`)
    const urls = await parseSitemap(Readable.from([await sitemap.text()]))
    const known = new Set(pages.map((page) => new URL(page).href.replace(/(?:\/index)?\.md$/, '')))
    const covered = urls.filter(({ url }) => known.has(url.replace(/\/$/, ''))).length
    assert.ok(covered >= COVERAGE * urls.length, `${covered} of ${urls.length}`)
    for (const page of sampleOf(pages)) {
      const response = await ask(page)
      assert.is(response.status, 200, page)
      assert.match(response.headers.get('content-type') ?? '', /^text\/markdown/, page)
      await response.arrayBuffer()
    }
  }
})

test('the markdown of a page is short, links to the list near its top, and closes code blocks', async () => {
  for (const address of addresses)
    for (const page of sampleOf((await listsOf(address)).pages)) {
      const text = await (await ask(page)).text()
      assert.ok(text.length < MAX_LENGTH, `${page}: ${text.length}`)
      const at = text.indexOf('/llms.txt')
      assert.ok(at >= 0 && (at <= 500 || at <= TOP * text.length), `${page}: at ${at} of ${text.length}`)
      assert.is([...text.matchAll(/^ {0,3}(?:```|~~~)/gm)].length % 2, 0, page)
    }
})

test('a page starts with its content, links to the list, and has the text of all its tabs', async () => {
  for (const address of addresses)
    for (const page of sampleOf((await listsOf(address)).pages)) {
      const response = await ask(page.replace(/(?:\/index)?\.md$/, ''))
      assert.is(response.status, 200, page)
      const html = await response.text()
      const body = html.slice(html.indexOf('<body'))
      const [before = '', ...rest] = body.split('<main')
      const whole = textOf(body).length
      assert.is(rest.length, 1, page)
      assert.ok(whole < MAX_LENGTH, `${page}: ${whole}`)
      assert.ok(textOf(before).length <= Math.max(300, TOP * whole), `${page}: ${textOf(before).length} of ${whole}`)
      assert.ok(body.indexOf('/llms.txt"') / body.length <= DEEP, page)
      assert.match(html, /<link rel="alternate" type="text\/markdown"/)
      const tabs = [...html.matchAll(/class="tab flow"/g)].length
      const titles = [...html.matchAll(/class="tab-title"/g)].length
      assert.is(tabs, titles, page)
    }
})

test('the markdown of a page has the sentences of its HTML', async () => {
  for (const address of addresses)
    for (const page of sampleOf((await listsOf(address)).pages).slice(0, 12)) {
      const markdown = (await (await ask(page)).text()).replace(/[\\*_`[\]]|\([^)]*\)/g, '').replace(/\s+/g, ' ')
      const html = await (await ask(page.replace(/(?:\/index)?\.md$/, ''))).text()
      const prose = html.slice(html.indexOf('<div class="prose">'))
      const sentences = [...prose.matchAll(/<p>([^<]{30,})<\/p>/g)].map(([, text = '']) => textOf(text))
      const missing = sentences.filter((text) => !markdown.includes(text.replace(/[\\*_`[\]]|\([^)]*\)/g, '')))
      assert.ok(missing.length <= (1 - COVERAGE) * sentences.length, `${page}: ${missing[0]}`)
    }
})

test('missing pages are a 404 in both formats, and responses have a cache lifetime', async () => {
  for (const address of addresses) {
    for (const path of ['/no-such-page', '/no-such-page.md', '/no/such/llms.txt', '/llms-full-999.txt'])
      assert.is((await ask(address + path)).status, 404, path)
    assert.is((await ask(`${address}/no-such-page`, { Accept: 'text/markdown' })).status, 404)
    for (const path of ['', '/llms.txt', '/sitemap.xml']) {
      const { headers } = await ask(address + path)
      assert.match(headers.get('cache-control') ?? '', /must-revalidate/, path)
      assert.ok(headers.get('etag'), path)
    }
    const negotiated = await ask(address, { Accept: 'text/markdown' })
    assert.match(negotiated.headers.get('content-type') ?? '', /^text\/markdown/)
    assert.match(negotiated.headers.get('vary') ?? '', /\bAccept\b/)
  }
})

test.run()
