/** Tests that hostile content runs nowhere on a site. `scripts/soak site/xss` puts each vector in each field and block. */
// @costly: Chromium opens pages with more than 400 vectors in 60 fields, blocks, settings and addresses
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { put } from '../openapi/fixture.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { openChromium } from './chromium.js'
import { hostileSpace, hostileSpecification, marker, PER_PAGE, readVectors } from './hostile-pages.js'
import { publishSite } from './published.js'
import { faultsIn, watchPage } from './watch-page.js'

const vectors = readVectors({ script: 'evil.js', style: 'evil.css' })

const [test, context] = await suiteWith('site/xss', async () => {
  const here = await startService()
  await put(here, 'hostile', hostileSpecification(vectors))
  const desk = await openDesk(here, hostileSpace(vectors))
  const site = await publishSite(here, [desk.space], { feedback: { enabled: true } })
  const browser = await openChromium(here)
  const watched = await watchPage(await browser.newPage(), here.service.sites)
  const close = async (): Promise<void> => {
    await browser.close()
    await here.close()
  }
  return { here, desk, site, watched, close }
})
const { here, desk, site, watched } = context
const { page, events } = watched
const url = (path: string): string => `${here.service.sites}${site.base}${path}`
const paths = async (): Promise<string[]> => [...(await desk.byPath()).keys()]
/** The vectors of the test run; a soak takes all. */
const some = (step: number): string[] => vectors.filter((_, at) => at % size(step, 1) === 0)

const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(${faultsIn})(document, location.href)`) as Promise<string[]>

/** Opens a page, uses all features of the script on it, and fails if anything hostile happens. */
async function open(path: string): Promise<string> {
  const answer = await page.goto(path.startsWith('http') ? path : url(path), { waitUntil: 'load' })
  await page.evaluate(() => {
    const used = '[data-copy],a.zoom,a.poster[data-frame],[role=tab],[popovertarget],summary,.tree a[data-nav] .i'
    for (const one of Array.from(document.querySelectorAll(used)))
      one.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
  })
  assert.equal([await faultsOf(page), events], [[], []], path)
  assert.is(page.url(), answer?.url(), 'nothing navigates')
  return page.evaluate(() => document.body.textContent ?? '')
}

/** Fails if the document of an address contains hostile markup. The parser is that of Chromium. A form is sent for each comment. */
async function auditAll(urls: readonly string[], comments: readonly string[] = ['']): Promise<void> {
  await page.goto(url('/page'), { waitUntil: 'load' })
  const faults = await page.evaluate(`(async () => {
    const check = ${faultsIn}
    const found = []
    for (const url of ${JSON.stringify(urls)}) for (const text of ${JSON.stringify(comments)}) {
      const body = new URLSearchParams({ page: '/page', helpful: 'no', comment: text, entry: text })
      const post = { method: 'POST', body }
      const response = await fetch(url, text === '' ? { redirect: 'manual' } : post)
      const isPage = response.headers.get('Content-Type')?.startsWith('text/html')
      const html = isPage ? await response.text() : ''
      found.push(...check(new DOMParser().parseFromString(html, 'text/html'), url).map((fault) => url + ' ' + fault))
    }
    return found
  })()`)
  assert.equal([faults, events], [[], []])
}

test('no vector runs in a block of a page, or leaves markup that could run', async () => {
  assert.ok(vectors.length >= 300)
  const chapters = (await paths()).filter((path) => /(?:^|\/)p\d+$/.test(path))
  assert.is(chapters.length, Math.ceil(vectors.length / PER_PAGE))
  for (const [n, path] of chapters.entries()) {
    const text = await open(`/${path}`)
    const lost = vectors
      .slice(n * PER_PAGE, (n + 1) * PER_PAGE)
      .filter((_, i) => !text.includes(marker(n * PER_PAGE + i)))
    assert.equal(lost, [], `vectors that hide the text after them in ${path}`)
  }
})

test('no vector runs in the title or front matter of a page, in a variable or in an API', async () => {
  const others = (await paths()).filter((path) => !/(?:^|\/)p\d+$/.test(path))
  for (const path of others.filter((_, at) => at % size(24, 1) === 0)) await open(`/${path}`)
  await auditAll(others.flatMap((path) => [url(`/${path}`), url(`/${path}.md`)]))
})

test('no vector runs in an address: search, missing pages, share keys, sign-in', async () => {
  const texts = some(24).map((vector) => encodeURIComponent(vector))
  await auditAll(
    texts.flatMap((text) => [
      url(`/~search?q=${text}`),
      url(`/~search?q=alert&in=${text}&at=${text}`),
      url(`/${text}`),
      url(`/page/${text}?${text}=${text}`),
      url(`/~share/${text}/page`),
      url(`/~auth/login?location=${text}`),
      url(`/~preview/${text}/page`),
      url(`/~nav/${text}`),
      url(`/~assets/${text}`),
    ]),
  )
  for (const vector of some(200)) await open(`/~search?q=${encodeURIComponent(vector)}`)
  await auditAll([url('/~feedback')], some(48))
})

test('no vector runs in the results that appear while a reader types', async () => {
  await open('/page')
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.waitForSelector('dialog.finder[open]')
  for (const query of ['alert', 'script', 'img src=x onerror']) {
    await page.$eval('dialog.finder input[name=q]', (input) => void ((input as HTMLInputElement).value = ''))
    await page.type('dialog.finder input[name=q]', query)
    await page.waitForSelector('dialog.finder .hit mark')
    assert.equal([await faultsOf(page), events], [[], []], query)
  }
})

test('no vector runs in a setting of a site, and none of them is stored as an address', async () => {
  const { call } = here.admin
  let stored = 0
  const put = async (settings: object): Promise<void> => {
    const { status } = await call('put', `${site.api}/customization`, settings)
    assert.ok(status === 200 || status === 400 || status === 422, `${status}`)
    if (status === 200) stored++
  }
  const short = (length: number): string[] =>
    vectors.filter((vector) => vector.length <= length && !vector.includes('\0'))
  const to = { kind: 'url', url: 'https://example.org/' }
  const menu = short(64).map((title) => ({ title, to }))
  const links = Array.from({ length: 8 }, (_, n) => ({
    title: menu[n]?.title,
    to,
    links: menu.slice(n * 50, n * 50 + 50),
  }))
  const groups = links.map(({ title, links }) => ({ title, links }))
  const filled = { header: { preset: 'default', links }, footer: { groups, copyright: vectors[0] } }
  await put(filled)
  assert.is(stored, 1)
  await open('/page')
  for (const vector of some(200)) {
    const href = { light: vector, dark: vector }
    const both = { kind: 'url', url: vector }
    const message = vector.slice(0, 128)
    for (const settings of [
      {
        ...filled,
        title: message,
        announcement: { enabled: true, message, style: 'info', link: { title: message, to } },
      },
      { favicon: { emoji: vector.slice(0, 50) }, footer: { copyright: vector } },
      { header: { logo: href } },
      { footer: { logo: href } },
      { favicon: { icon: href } },
      { header: { primaryLink: { title: 'x', to: both } } },
      { header: { links: [{ title: 'x', to: both, condition: vector }] } },
      { privacyPolicy: { url: vector }, socialPreview: { url: vector } },
      { socialAccounts: [{ platform: 'github', handle: vector }] },
      {
        styling: {
          primaryColor: href,
          font: { fontFamily: vector, fontFaces: [{ weight: 400, sources: [{ url: vector }] }] },
        },
      },
    ])
      await put(settings)
    await call('patch', site.api, { title: message })
    await open('/page')
    await call('post', `${site.api}/redirects`, { source: `/${encodeURIComponent(vector)}`, destination: both })
    const { headers } = await fetch(url(`/${encodeURIComponent(vector)}`), { redirect: 'manual' })
    assert.not.match(headers.get('Location') ?? '', /^(?:javascript|data|vbscript):|evil\.test/i)
  }
  await put(filled)
})

test('no vector runs in the names of sections, groups and variants', async () => {
  const { call } = here.admin
  const spaceOf = async (title: string): Promise<string> =>
    (await call('post', `/v1/orgs/${here.organization}/spaces`, { title: title.slice(0, 50) }).expect(201)).body.id
  const titles = vectors.filter((vector) => vector.length <= 50 && !/[\0\n\r]/.test(vector))
  for (const title of titles.filter((_, at) => at % 100 === 0)) {
    const section = await call('post', `${site.api}/sections`, { spaceId: await spaceOf(title), title }).expect(201)
    await call('post', `${site.api}/site-spaces`, { spaceId: await spaceOf(title), sectionId: section.body.id })
    const group = await call('post', `${site.api}/section-groups`, { title, sections: [section.body.id] }).expect(201)
    for (const link of titles.filter((_, at) => at % 20 === 0))
      await call('post', `${site.api}/external-links`, {
        title: link,
        target: 'https://example.org/',
        sectionGroup: group.body.id,
      })
  }
  const text = await open('/')
  assert.ok(text.includes(titles[0] as string))
})

test('no vector runs in the name of an author or in the preview of a change request', async () => {
  const signature = `"'onload=alert(1) {{x}} &lt;img src=x onerror=alert(1)&gt; <"onload=alert(1)@x> 1795824000 +0000`
  const text = '# Page\n\nNew.\n'
  await git(
    desk.repo,
    ['fast-import', '--quiet', '--force'],
    `commit refs/heads/main\nauthor ${signature}\ncommitter ${signature}\ndata 4\n<b>x\nfrom refs/heads/main^0\nM 100644 inline page.md\ndata ${text.length}\n${text}\n`,
  )
  const subject = '"><script>alert(1)</script>'
  const change = await desk.changeRequest(subject)
  await change.write([{ operation: 'update_page', page: await desk.id('page'), document: { markdown: subject } }])
  const preview = (await here.admin.call('get', site.api).expect(200)).body.urls.preview
  await open('/page')
  for (const path of ['/page', `/~changes/${change.id}/page`]) await open(`${preview}${path}`)
})

test.run()
