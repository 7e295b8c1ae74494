// Tests the offline bundle of a site: its content, its variants by reader, and its behavior when opened from a folder.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { StoredFiles } from '../support/stored-files.js'
import { suiteWith } from '../support/suite.js'
import { openChromium } from './chromium.js'
import { publishSite } from './published.js'
import { publish, read, visitorToken } from './support.js'
import { download, filesAt, unpack, unzip } from './unzip.js'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const [test, here] = await suiteWith('site: bundle', startService)

const HANDBOOK = {
  'SUMMARY.md': `* [Start](README.md)
* [Guides](guides/README.md)
  * [Install it](guides/install.md)
* [Hidden](hidden.md)
  * [Below hidden](below.md)
* [Draft]()
* [日本語の案内](日本語.md)
* [Not found by search](no-index.md)
`,
  'README.md': `# Start

See [the steps](guides/install.md#second-step), [](hidden.md), [files](manual.pdf) and [elsewhere](https://example.org/).

![A dot](dot.png) ![Far](https://pictures.example.org/far.png)

{% embed url="https://www.youtube.com/watch?v=dQw4w9WgXcQ" %}

{% tabs %}
{% tab title="Linux" %}
Use apt & co.
{% endtab %}
{% tab title="macOS" %}
Use brew.
{% endtab %}
{% endtabs %}
`,
  'guides/README.md': '# Guides\n\nAll guides.\n',
  'guides/install.md': `# Install it\n\nFirst words.\n\n## Second step\n\nCarburetor <b>cleaning</b> & more.\n\n[Back](../README.md)\n`,
  'hidden.md': '---\nhidden: true\n---\n\n# Hidden canary\n\n![](secret.png)\n',
  'below.md': '# Below canary\n',
  '日本語.md': '# 日本語の案内\n\n検索は部分文字列を見つけます。\n',
  'no-index.md': '---\nnoIndex: true\n---\n\n# Not found by search\n\nZirconium.\n',
  'dot.png': PNG,
  'secret.png': PNG,
  'manual.pdf': Buffer.from('%PDF-1.4\n'),
}

async function openHandbook() {
  const desk = await openDesk(here, HANDBOOK)
  const second = await openDesk(here, { 'README.md': '# Reference\n\nAll carburetor calls.\n' })
  return publishSite(here, [desk.space, second.space], {
    styling: {
      font: {
        fontFamily: 'Own',
        fontFaces: [{ weight: 400, sources: [{ url: 'https://fonts.example.org/own.woff2' }] }],
      },
    },
    header: { logo: { light: 'https://pictures.example.org/logo.png', dark: 'https://pictures.example.org/logo.png' } },
  })
}

/** The text of all files, with their names. */
const textOf = (files: ReadonlyMap<string, Buffer>): string =>
  [...files]
    .filter(([name]) => !/\.(?:woff2|png|pdf)$/.test(name))
    .map(([name, bytes]) => `${name}\n${bytes}`)
    .join('\n')

test('the bundle has every listed page with its files, and nothing hidden', async () => {
  const site = await openHandbook()
  const response = await download(`${here.service.sites}${site.base}/~bundle`)
  assert.is(response.status, 200)
  assert.match(response.headers.get('content-disposition') ?? '', 'filename="Field guide.zip"')
  const archive = Buffer.from(await response.arrayBuffer())
  const files = await unzip(archive)
  const pages = [...files.keys()].filter((name) => name.endsWith('.html'))
  assert.equal(pages.slice(0, 5), ['index.html', 'guides.html', 'guides/install.html', '日本語.html', 'no-index.html'])
  assert.is(pages.length, 6)
  assert.equal(
    [...files.keys()].filter((name) => name.startsWith('~files/')),
    ['~files/manual.pdf', '~files/dot.png'],
  )
  assert.ok(PNG.equals(files.get('~files/dot.png') as Buffer))
  assert.not.match(textOf(files), /canary|hidden\.|Draft|~bundle|secret\.png/)
  const search = [...files].filter(([name]) => name.startsWith('~assets/search-')).map(([, bytes]) => String(bytes))
  assert.is(search.length, 2)
  assert.match(search[0] as string, 'Carburetor cleaning & more.')
  assert.not.match(search.join(), /Zirconium|[Hh]idden/)
  const again = await download(`${here.service.sites}${site.base}/~bundle`, {
    'If-None-Match': response.headers.get('etag') as string,
  })
  assert.is(again.status, 304)
})

test('pages load nothing from other hosts, and have no inline script', async () => {
  const site = await openHandbook()
  const files = await filesAt(`${here.service.sites}${site.base}/~bundle`)
  for (const [name, bytes] of files) {
    if (!/\.(?:html|css)$/.test(name)) continue
    const text = String(bytes)
    const loaded = [
      ...text.matchAll(
        /<(?:img|script|source|video|audio|iframe|object|embed)\b[^>]*?(?:src|data)="([^"]*)"|url\(([^)]*)\)/g,
      ),
    ]
    for (const [, source, url] of loaded) assert.not.match(source ?? url ?? '', /^"?(?:https?:)?\/\//, name)
    assert.not.match(text, /<script(?![^>]*\bsrc=)|\sstyle="|\son[a-z]+="|data-frame|@import/)
  }
  const start = String(files.get('index.html'))
  assert.match(start, /<a[^>]*href="https:\/\/www\.youtube\.com\/watch\?v=dQw4w9WgXcQ"[^>]*class="poster"/)
  assert.match(start, '<a href="https://pictures.example.org/far.png"')
  assert.match(start, /http-equiv="Content-Security-Policy" content="default-src &#?\w+;none|default-src 'none'/)
})

interface Opened {
  page: Page
  requests: string[]
  errors: string[]
}

async function openPage(browser: Awaited<ReturnType<typeof openChromium>>, address: string): Promise<Opened> {
  const page = await browser.newPage()
  const opened: Opened = { page, requests: [], errors: [] }
  page.on('request', (request) => opened.requests.push(request.url()))
  page.on('console', (message) => {
    if (message.type() === 'error') opened.errors.push(message.text())
  })
  page.on('pageerror', (error) => opened.errors.push(String(error)))
  await page.goto(address, { waitUntil: 'load' })
  return opened
}

test('in a bundle that is opened from a folder, all links and the search work', async () => {
  const site = await openHandbook()
  const folder = join(here.dir, 'unpacked')
  await unpack(await filesAt(`${here.service.sites}${site.base}/~bundle`), folder)
  const browser = await openChromium(here)
  try {
    const root = pathToFileURL(join(folder, 'index.html')).href
    const pending = [root]
    const seen = new Set<string>()
    for (let address = pending.pop(); address !== undefined; address = pending.pop()) {
      if (seen.has(address)) continue
      seen.add(address)
      const { page, requests, errors } = await openPage(browser, address)
      assert.equal(errors, [], address)
      assert.equal(
        requests.filter((one) => !/^(?:file|data):/.test(one)),
        [],
        address,
      )
      const found = await page.evaluate(() => ({
        links: [...document.querySelectorAll('a')].map(({ href }) => href),
        font: document.fonts.check('16px Inter'),
        styled: getComputedStyle(document.querySelector('main') as Element).display !== '',
        anchor: location.hash === '' || document.getElementById(decodeURIComponent(location.hash.slice(1))) !== null,
      }))
      assert.ok(found.anchor, address)
      for (const link of found.links)
        if (/^file:.*\.html(?:#|$)/.test(link) && !link.includes('#ui~')) pending.push(link)
        else if (link.startsWith('file:') && !link.includes('#ui~'))
          assert.ok((await readdir(join(folder, '~files'))).includes(link.split('/').at(-1) as string), link)
      await page.close()
    }
    const files = new Set([...seen].map((one) => one.replace(/#.*/, '')))
    assert.is(files.size, 6, 'all pages can be reached')

    const { page, requests, errors } = await openPage(browser, pathToFileURL(join(folder, 'guides/install.html')).href)
    const search = async (text: string): Promise<string[]> => {
      await page.click('[data-open-search]')
      await page.$eval('.finder input[name=q]', (field) => void (field.value = ''))
      await page.type('.finder input[name=q]', text)
      await page.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll('.finder mark')].some((mark) =>
            mark.textContent?.toLowerCase().startsWith(wanted),
          ),
        {},
        text,
      )
      return page.$$eval('.finder .hit', (hits) => hits.map((hit) => (hit as HTMLAnchorElement).href))
    }
    const found = await search('carburet')
    assert.equal(
      found.map((one) => one.slice(pathToFileURL(folder).href.length + 1)),
      ['guides/install.html', 'guides/install.html#second-step'],
    )
    assert.is(await page.$eval('.finder output', (output) => output.textContent), '2 results')
    assert.equal(await page.$$eval('.finder mark', (marks) => marks.map((mark) => mark.textContent)), ['Carburetor'])
    await page.keyboard.press('ArrowDown')
    await Promise.all([page.waitForFunction(() => location.hash === '#second-step'), page.keyboard.press('Enter')])
    await page.keyboard.press('Escape')
    assert.is((await search('分文字')).length, 1, 'a part of a Japanese text')
    assert.equal(errors, [])
    assert.equal(
      requests.filter((one) => !/^(?:file|data):/.test(one)),
      [],
    )
  } finally {
    await browser.close()
  }
})

test('visitors with other claims get other bundles, and readers without access get none', async () => {
  const site = await publish(here, {
    Start: '# Start\n\n{% if visitor.claims.isPro %}\nFor customers: quicksilver.\n{% endif %}\n',
    Paid: '---\nif: visitor.claims.isPro\n---\n\n# Paid\n\nOnly for customers.\n',
  })
  const boolean = { type: 'boolean' }
  const unsigned = { type: 'object', properties: {}, additionalProperties: false }
  await here.admin
    .call('patch', site.base, { adaptiveContent: { enabled: true }, visibility: 'visitor-auth' })
    .expect(200)
  await here.admin
    .call('put', `${site.base}/adaptive-schema`, {
      jsonSchema: { type: 'object', properties: { isPro: boolean, unsigned }, additionalProperties: false },
    })
    .expect(200)
  const bundle = async (claims?: object) => {
    const headers: Record<string, string> = claims
      ? { Authorization: `Bearer ${await visitorToken(here, site, claims)}` }
      : {}
    return download(`${site.address}/~bundle`, headers)
  }
  const pro = textOf(await unzip(Buffer.from(await (await bundle({ isPro: true })).arrayBuffer())))
  const free = textOf(await unzip(Buffer.from(await (await bundle({})).arrayBuffer())))
  assert.match(pro, 'quicksilver')
  assert.match(pro, 'Only for customers')
  assert.not.match(free, /quicksilver|Paid|paid\.html|customers/)
  assert.ok(![200, 202].includes((await bundle()).status), 'without a token')
  await here.admin.call('patch', site.base, { agentsContext: 'excluded' }).expect(200)
  assert.is((await bundle({ isPro: true })).status, 404)
})

test('a changed site has a new bundle without outdated pages', async () => {
  const site = await publish(here, { Start: '# Start\n\nOne.\n' }, { visibility: 'public' })
  assert.match(textOf(await filesAt(`${site.address}/~bundle`)), 'One.')
  const { pages } = (await here.admin.call('get', `/v1/spaces/${site.space}/content/pages`).expect(200)).body
  const changes = [{ operation: 'update_page', page: pages.at(-1).id, document: { markdown: '# Start\n\nTwo.\n' } }]
  await here.admin.call('post', `/v1/spaces/${site.space}/content`, { changes }).expect(200)
  const waiting = await fetch(`${site.address}/~bundle`)
  assert.ok(waiting.status === 202 || waiting.status === 200)
  if (waiting.status === 202) {
    assert.is(waiting.headers.get('cache-control'), 'no-store')
    assert.match(await waiting.text(), 'The download is being prepared')
  }
  const text = textOf(await filesAt(`${site.address}/~bundle`))
  assert.match(text, 'Two.')
  assert.not.match(text, 'One.')
})

test('the API returns a bundle for a visitor, with only the spaces that the caller may see', async () => {
  const site = await openHandbook()
  const path = `${site.api}/published/bundle`
  for (;;) {
    const response = await here.admin
      .call('get', path)
      .buffer(true)
      .parse((stream, done) => {
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => parts.push(part))
        stream.on('end', () => done(null, Buffer.concat(parts)))
      })
    if (response.status === 202) {
      assert.ok(response.headers['retry-after'])
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    assert.is(response.status, 200)
    assert.is(response.headers['content-type'], 'application/zip')
    assert.ok((await unzip(response.body)).has('guides/install.html'))
    break
  }
})

test('deleting a site deletes its bundles', async () => {
  const site = await publish(here, { Start: '# Start\n' }, { visibility: 'public' })
  await filesAt(`${site.address}/~bundle`)
  const shelf = new StoredFiles(here.dir, 'bundles')
  const folder = join(here.dir, 'data', 'bundles')
  const count = async (): Promise<number> => (await shelf.count()) ?? (await readdir(folder)).length
  const before = await count()
  await here.admin.call('delete', site.base).expect(204)
  assert.is(await count(), before - 1)
})

test('without script, the menu of a page leads to the bundle and a page with the progress', async () => {
  const site = await openHandbook()
  const browser = await openChromium(here)
  try {
    const page = await browser.newPage()
    await page.setJavaScriptEnabled(false)
    const archives: string[] = []
    page.on('response', (response) => {
      const { 'content-disposition': file = '' } = response.headers()
      if (file.includes('.zip')) archives.push(`${response.status()} ${file}`)
    })
    await page.goto(`${here.service.sites}${site.base}/guides`, { waitUntil: 'load' })
    await page.click('[popovertarget="ui~actions"]')
    await page.click('#ui\\~actions a[href$="/~bundle"]')
    await page.waitForSelector('progress')
    assert.match(await page.title(), 'The download is being prepared')
    while (archives.length === 0) await page.waitForNetworkIdle({ idleTime: 100 }).catch(() => {})
    assert.match(archives[0] as string, /^200 attachment; filename="Field guide\.zip"/)
  } finally {
    await browser.close()
  }
})

test('the page that waits for a bundle shows the finished percentage without script', async () => {
  const site = await publish(here, { Start: '# Start\n', More: '# More\n', Last: '# Last\n' }, { visibility: 'public' })
  const { bundler } = here.service.app
  const { write } = bundler
  const parts: number[] = []
  let isShown = false
  bundler.write = async (app, order, folder, run) => {
    while (!isShown) {
      await run.progress(0.42)
      await sleep(20)
    }
    const progress = async (part: number): Promise<void> => void parts.push(part)
    return write.call(bundler, app, order, folder, { ...run, progress })
  }
  try {
    const waiting = async (language: string) => {
      const { status, text, headers } = await read(`${site.address}/~bundle`, {
        headers: { 'Accept-Language': language },
      })
      assert.is(status, 202)
      assert.is(headers.get('refresh'), '3')
      assert.not.match(text, '<script')
      return text
    }
    assert.match(await waiting('en'), '<progress aria-label="The download is being prepared"></progress>')
    while (!(await waiting('en')).includes('>42%<')) await sleep(50)
    assert.match(await waiting('en'), 'value="0.42"')
    assert.match(await waiting('de'), '42\u00a0%')
    isShown = true
    assert.ok((await filesAt(`${site.address}/~bundle`)).has('index.html'))
    // A new space has one page more.
    assert.equal(parts, [0.25, 0.5, 0.75, 1])
  } finally {
    isShown = true
    bundler.write = write
  }
})

test('the menu does not offer the site where it cannot be downloaded', async () => {
  const site = await publish(here, { Start: '# Start\n' }, { visibility: 'public', agentsContext: 'included' })
  const offers = async (address = site.address): Promise<boolean> =>
    (await (await fetch(address)).text()).includes('/~bundle"')
  assert.is(await offers(), true)
  const { urls } = (await here.admin.call('get', site.base).expect(200)).body
  assert.is(await offers(urls.preview), false)
  await here.admin.call('put', `${site.base}/customization`, { pdf: { enabled: false } }).expect(200)
  assert.is(await offers(), false)
  await here.admin.call('put', `${site.base}/customization`, { pdf: { enabled: true } }).expect(200)
  await here.admin.call('patch', site.base, { agentsContext: 'excluded' }).expect(200)
  assert.is(await offers(), false)
})

test.run()
