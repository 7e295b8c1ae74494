// Tests social cards, with a real Chromium and without one.
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { imageDimensions } from '../../src/content/image-dimensions.js'
import { openDesk } from '../commits/fixture.js'
import { startService, type TestService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suite, suiteWith } from '../support/suite.js'
import { publishSite } from './published.js'
import { edit, publish, read, visitorToken } from './support.js'

const [test, here] = await suiteWith('site: pictures of pages', startService)

/** The metadata of a page by property or name. */
function metaIn(html: string): Map<string, string> {
  const tags = [...html.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)"/g)]
  return new Map(tags.map(([, name = '', content = '']) => [name, content]))
}

async function pictureOf(
  address: string,
  init: RequestInit = {},
): Promise<{ meta: Map<string, string>; png: Buffer; href: string }> {
  const meta = metaIn(await (await fetch(address, init)).text())
  const href = meta.get('og:image') ?? ''
  const response = await fetch(href, init)
  assert.is(response.status, 200, href)
  assert.is(response.headers.get('content-type'), 'image/png')
  return { meta, png: Buffer.from(await response.arrayBuffer()), href }
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="60"><circle cx="30" cy="30" r="26" fill="#0a7"/><rect x="70" y="14" width="160" height="32" fill="#333"/></svg>'

/** With `CARDS=<folder>`, the pictures are kept there, so that people can look at them. */
const { CARDS } = process.env

test('a page has a social card of 1200 by 630 pixels, and meta tags for it', async () => {
  const site = await publish(here, { Start: '# Start\n', Page: '# Choose a lock & key\n\nText.\n' })
  const { meta, png } = await pictureOf(`${site.address}/page`)
  assert.equal(imageDimensions(png), { width: 1200, height: 630 })
  assert.is(meta.get('og:image:width'), '1200')
  assert.is(meta.get('og:image:height'), '630')
  assert.is(meta.get('og:image:type'), 'image/png')
  assert.is(meta.get('og:image:alt'), 'Choose a lock &amp; key')
  assert.is(meta.get('twitter:card'), 'summary_large_image')
  if (CARDS) await writeFile(join(CARDS, 'plain.png'), png)
})

test('a social card is drawn once, and gets another address when its content changes', async () => {
  const site = await publish(here, { Start: '# Start\n', Page: '# Page\n\nOne.\n' })
  const first = await pictureOf(`${site.address}/page`)
  await edit(here, site.space, 'Page', '# Page\n\nTwo.\n')
  assert.is((await pictureOf(`${site.address}/page`)).href, first.href, 'the text is not in the picture')
  await here.admin
    .call('put', `${site.base}/customization`, { styling: { primaryColor: { light: '#aa0033', dark: '#aa0033' } } })
    .expect(200)
  const other = await pictureOf(`${site.address}/page`)
  assert.is.not(other.href, first.href)
  assert.not.ok(other.png.equals(first.png))
  const stored = (await readdir(join(here.dir, 'data', 'cards', site.id))).filter((name) => name.endsWith('.png'))
  assert.is(stored.length, 2)
  assert.is((await fetch(first.href)).status, 200, 'an earlier address has the current picture')
  await here.admin.call('delete', site.base).expect(204)
  assert.not.ok((await readdir(join(here.dir, 'data', 'cards'))).includes(site.id))
})

test('a social card contains the logo of the site if it can be fetched', async () => {
  const asked: string[] = []
  const host = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/gone.png') return response.writeHead(404).end()
    return response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(LOGO)
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = host.address() as AddressInfo
    const site = await publish(here, { Start: '# Start\n', Page: '# Page\n' })
    const plain = await pictureOf(`${site.address}/page`)
    const withLogo = async (name: string) => {
      const href = `http://127.0.0.1:${port}/${name}`
      const settings = { header: { logo: { light: href, dark: href } } }
      await here.admin.call('put', `${site.base}/customization`, settings).expect(200)
      return pictureOf(`${site.address}/page`)
    }
    const shown = await withLogo('logo.svg')
    assert.is.not(shown.href, plain.href)
    assert.not.ok(shown.png.equals(plain.png))
    if (CARDS) await writeFile(join(CARDS, 'logo.png'), shown.png)
    assert.ok((await pictureOf(`${site.address}/page`)).png.equals(shown.png))
    assert.ok((await withLogo('gone.png')).png.equals(plain.png), 'the name of the site instead')
    assert.equal(asked, ['/logo.svg', '/gone.png'], 'each once')
  } finally {
    host.close()
  }
})

test('only readers who may read a page get its social card', async () => {
  const site = await publish(here, { Start: '# Start\n', Paid: '---\nif: visitor.claims.isPro\n---\n\n# Paid\n' })
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
  const as = async (claims: object) => ({
    headers: { Authorization: `Bearer ${await visitorToken(here, site, claims)}` },
  })
  const { href } = await pictureOf(`${site.address}/paid`, await as({ isPro: true }))
  const hidden = await read(href, await as({}))
  const id = /~card\/(\w+)/.exec(href)?.[1] as string
  const absent = await read(href.replace(id, [...id].reverse().join('')), await as({}))
  assert.is(hidden.status, 404)
  assert.is(absent.status, 404)
  assert.ok((await fetch(href, { redirect: 'manual' })).status !== 200)
})

test('titles in every script fit on a social card', async () => {
  const titles: [string, string, string][] = [
    ['ar', 'ar', 'دليل تثبيت النظام وإعداد الشبكة'],
    ['he', 'he', 'מדריך התקנה והגדרת הרשת'],
    ['ja', 'ja', '分散ロックの選び方と設定ガイド'],
    ['zh', 'zh', '安装与配置指南：从零开始'],
    ['ko', 'ko', '분산 잠금을 선택하고 설정하는 방법'],
    ['th', 'th', 'คู่มือการติดตั้งและการตั้งค่า'],
    ['hi', 'hi', 'स्थापना और विन्यास मार्गदर्शिका'],
    [
      'long',
      'en',
      'How the scheduler distributes long-running maintenance windows over clusters that span several regions and time zones',
    ],
  ]
  for (const [name, language, title] of titles.filter((_, at) => at % size(3, 1) === 0)) {
    const desk = await openDesk(here, { 'README.md': `---\ndescription: ${title}\n---\n\n# ${title}\n` })
    await here.admin.call('patch', `/v1/spaces/${desk.space}`, { language }).expect(200)
    const site = await publishSite(here, [desk.space], { title: name === 'ar' ? 'وثائق المنصة' : 'Field guide' })
    const { png } = await pictureOf(here.service.sites + site.base)
    assert.equal(imageDimensions(png), { width: 1200, height: 630 }, name)
    assert.ok(png.length > 8_000, `${name} is not empty: ${png.length} bytes`)
    if (CARDS) await writeFile(join(CARDS, `${name}.png`), png)
  }
})

const without = suite('site: pictures without Chromium')

without('without Chromium, a page names no picture', async () => {
  const bare: TestService = await startService({ env: { BINDERY_CHROMIUM: '/bin/false' } })
  try {
    const site = await publish(bare, { Start: '# Start\n' })
    const first = metaIn((await read(site.address)).text)
    // The first attempt detects that the program does not exist.
    if (first.has('og:image')) assert.is((await read(first.get('og:image') as string)).status, 503)
    await edit(bare, site.space, 'Start', '# Start\n\nAgain.\n')
    const meta = metaIn((await read(site.address)).text)
    assert.not.ok(meta.has('og:image'))
    assert.is(meta.get('twitter:card'), 'summary')
  } finally {
    await bare.close()
  }
})

test.run()
without.run()
