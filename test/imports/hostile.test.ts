import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { createHttpClient } from '../../src/outbound/index.js'
import { mainThreadMs } from '../support/main-thread.js'
import { suiteWith } from '../support/suite.js'
import { zipOf } from './archives.js'
import { startImporting } from './service.js'
import { PNG, page, startWebsite } from './website.js'

const [test, here] = await suiteWith('hostile sources of imports', async () => {
  const service = await startImporting({ BINDERY_ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' })
  const site = await startWebsite()
  return { service, site, close: () => Promise.all([service.close(), site.close()]) }
})
const { service, site } = here
const { port } = new URL(site.url)

const ask = (space: string, url: string, source: string, status: number) =>
  service.admin.call('post', `/v1/spaces/${space}/content/import`, { url, source }).expect(status)

test('private addresses are rejected in every notation', async () => {
  const space = await service.space()
  const hosts = [
    ...[
      '127.0.0.2',
      '127.2',
      '127.0.2',
      '2130706434',
      '0x7f000002',
      '0x7f.2',
      '0177.0.0.2',
      '017700000002',
      '0',
      '0.0.0.0',
      '0x0',
      '127.000.000.002',
    ],
    ...[
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.2]',
      '[::ffff:7f00:2]',
      '[::127.0.0.2]',
      '[::7f00:2]',
      '[64:ff9b::7f00:2]',
      '[64:ff9b::127.0.0.2]',
    ],
    ...[
      '[2002:7f00:2::]',
      '[fe80::1]',
      '[fc00::1]',
      '[fd00::1]',
      '[fec0::1]',
      '[ff02::1]',
      '10.0.0.1',
      '10.1',
      '0xa000001',
      '167772161',
      '192.168.1.1',
      '192.168.257',
    ],
    ...[
      '172.16.0.1',
      '172.31.255.255',
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '[::ffff:169.254.169.254]',
      '100.64.0.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '192.0.0.1',
    ],
  ]
  assert.ok(hosts.length >= 40)
  for (const host of hosts) {
    const { body } = await ask(space, `http://${host}:${port}/`, 'html', 400)
    assert.match(body.error.message, /private network|not a URL|cannot be reached|cannot be resolved/, host)
  }
  assert.equal(site.requests, [])
})

test('redirects, links, sitemaps and images cannot point to private addresses', async () => {
  const inner = `http://127.0.0.2:${port}`
  site.pages.set('/redirect', { status: 302, headers: { location: `${inner}/secret` } })
  const space = await service.space()
  for (const source of ['html', 'website', 'markdown', 'zip', 'docx'])
    assert.match((await ask(space, `${site.url}/redirect`, source, 400)).body.error.message, /private network/)
  site.pages.set('/sitemap.xml', `<urlset><url><loc>${inner}/secret</loc></url></urlset>`)
  site.pages.set('/robots.txt', `Sitemap: ${inner}/sitemap.xml\n`)
  site.pages.set(
    '/page',
    page('Page', `<p>Text <a href="${inner}/secret">x</a><img src="${inner}/secret.png"><img src="/hop.png"></p>`),
  )
  site.pages.set('/hop.png', { status: 302, headers: { location: `${inner}/secret.png` } })
  const made = await ask(space, `${site.url}/page`, 'website', 201)
  const { failures } = (await service.admin.call('get', made.headers.location as string).expect(200)).body
  assert.equal(failures.length, 2)
  for (const { reason } of failures) assert.match(reason, /private network/)
  assert.equal(
    site.requests.filter((path) => path.includes('secret')),
    [],
  )
})

test('a name that resolves to another address at connection time is rejected', async () => {
  const { app } = service.service
  const own = app.http
  let looked = 0
  app.http = createHttpClient({
    allowPrivateNetworks: ['127.0.0.1/32'],
    agent: 'Bindery/test',
    resolve: async () => [{ address: looked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }],
  })
  try {
    const before = site.requests.length
    assert.match(
      (await ask(await service.space(), `http://rebind.example:${port}/page`, 'html', 400)).body.error.message,
      /private network/,
    )
    assert.ok(looked > 1)
    assert.is(site.requests.length, before)
  } finally {
    await app.http.close()
    app.http = own
  }
})

test('a 100 MB source, plain or compressed, ends early and does not delay others', async () => {
  const block = Buffer.alloc(1024 * 1024, '<p>word</p>')
  site.pages.set('/huge', (_request, response) => {
    let sent = 0
    response.writeHead(200, { 'content-type': 'text/html' })
    const more = (): void => {
      if (sent >= 100 || response.destroyed) return void response.end()
      sent++
      if (response.write(block)) setImmediate(more)
      else response.once('drain', more)
    }
    more()
    return null
  })
  site.pages.set('/packed', {
    headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(100 * 1024 * 1024, 'a')),
  })
  const space = await service.space()
  const waits: number[] = []
  let over = false
  const watch = (async () => {
    while (!over) {
      // Measures the main thread: on a busy machine, the clock depends more on other processes.
      const from = mainThreadMs()
      await fetch(`${service.url}/healthz`)
      waits.push(mainThreadMs() - from)
      await new Promise((done) => setTimeout(done, 20))
    }
  })()
  for (const source of ['html', 'website', 'markdown', 'zip', 'docx', 'notion'])
    assert.match(
      (await ask(space, `${site.url}/huge`, source, 400)).body.error.message,
      /more than \d+ bytes|is no|is a web page/,
      source,
    )
  assert.match((await ask(space, `${site.url}/packed`, 'html', 400)).body.error.message, /more than \d+ bytes/)
  const nested = '<div>'.repeat(200_000)
  const anchors = '<a><b><i>'.repeat(20_000)
  for (const body of [nested, anchors]) {
    site.pages.set('/deep', body)
    const { status } = await service.admin.call('post', `/v1/spaces/${space}/content/import`, {
      url: `${site.url}/deep`,
      source: 'html',
    })
    assert.is(status, 400)
  }
  over = true
  await watch
  waits.sort((a, b) => a - b)
  console.log(
    `imports/hostile: work of the main thread before /healthz: median ${waits[waits.length >> 1]?.toFixed(1)} ms, worst ${waits.at(-1)?.toFixed(1)} ms of ${waits.length}`,
  )
  assert.ok((waits[waits.length >> 1] ?? 0) < 100)
  assert.equal(await service.files(space), ['README.md', 'SUMMARY.md'])
})

test('imported text cannot contain active tags, and scripts are removed', async () => {
  site.pages.set(
    '/tags',
    page(
      '{% hint %} {{x}} [a](b) <b>',
      '<p>{% include "../../secret" %} {{ config }} $$x$$</p><p><a href="javascript:alert(1)">j</a><a href="vbscript:x">v</a></p><script>alert(1)</script><p>&lt;script&gt;alert(2)&lt;/script&gt;</p><iframe src="javascript:alert(3)"></iframe>',
    ),
  )
  site.pages.set('/pic', { headers: { 'content-type': 'image/png' }, body: PNG })
  const space = await service.space()
  await ask(space, `${site.url}/tags`, 'html', 201)
  const [path] = (await service.files(space)).filter((one) => one !== 'README.md' && one !== 'SUMMARY.md')
  const text = await service.file(space, path as string)
  assert.not.match(text, /javascript:|vbscript:|(?<!\\)\{[%{]|(?<!\\)<script/)
  const content = (await service.admin.call('get', `/v1/spaces/${space}/content`).expect(200)).body
  assert.is(content.pages.at(-1).title, '{% hint %} {{x}} [a](b)')
  const read = (
    await service.admin
      .call('get', `/v1/spaces/${space}/content/page/${content.pages.at(-1).id}?format=document`)
      .expect(200)
  ).body
  assert.not.match(JSON.stringify(read.document), /"type":"(include|hint|expression|html-inline|html)"/)
})

test('a 30 MB Word document, and one with many files, end in bounded time', async () => {
  site.pages.set('/big.docx', {
    headers: { 'content-type': 'application/octet-stream' },
    body: await zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': Buffer.alloc(30 * 1024 * 1024, 'a') }),
  })
  assert.match(
    (await ask(await service.space(), `${site.url}/big.docx`, 'docx', 400)).body.error.message,
    /cannot be converted/,
  )
})

test.run()
