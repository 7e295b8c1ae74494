// Tests responses to invalid requests and server failures: limits, methods, hostile requests, damage.
import { rename } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { wordsFor } from '../../src/site/words/index.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish, read } from './support.js'

const lines: string[] = []
const [test, here] = await suiteWith('site: failures', () =>
  startService({
    env: { BINDERY_METRICS_TOKEN: 'metrics_token_of_the_test_0123456789' },
    overrides: { log: createLog({ level: 'info', destination: { write: (line: string) => void lines.push(line) } }) },
  }),
)

/** Sends bytes as they are, and returns the whole response. */
function sendBytes(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((done, failed) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let text = ''
    socket.on('data', (piece: Buffer) => void (text += piece.toString()))
    socket.on('close', () => done(text)).on('error', failed)
  })
}

test('unsupported methods are rejected, and OPTIONS lists the supported ones', async () => {
  const { address } = await publish(here, { Start: '# Start\n' })
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const { status, headers } = await read(address, { method, body: 'x' })
    assert.is(status, 405)
    assert.is(headers.get('allow'), 'GET, HEAD, OPTIONS')
  }
  const options = await read(address, { method: 'OPTIONS' })
  assert.is(options.status, 204)
  assert.is(options.headers.get('allow'), 'GET, HEAD, OPTIONS')
})

test('hostile hosts, paths, queries and cookies get an ordinary error response', async () => {
  const { address } = await publish(here, { Start: '# Start\n' })
  const { origin, pathname } = new URL(address)
  const request = (target: string, host = new URL(origin).host, more = ''): Promise<string> =>
    sendBytes(origin, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`)
  const missing = [
    `${pathname}/%00`,
    `${pathname}/start%00`,
    `${pathname}/..%2f..%2fetc`,
    `${pathname}/../../etc/passwd`,
    `${pathname}/%ff%fe`,
    `${pathname}/%`,
    `${pathname}/a%5cb`,
    `${pathname}/a\\b`,
    `${pathname}/%ed%a0%80`,
    `${pathname}/${'a/'.repeat(2_500)}`,
    `${pathname}/~files/x/y`,
    `${pathname}/~preview/a.1.b/`,
    `${pathname}/~preview/../`,
    `${pathname}/~auth/login`,
    `${pathname}/~share/`,
    `//evil.example.org${pathname}`,
    '/%00',
    '/%E0%A4%A',
    '/',
  ]
  for (const target of missing) {
    const text = await request(target)
    assert.match(text, /^HTTP\/1.1 404 /, `${target} ${text.slice(0, 100)}`)
  }
  for (const host of ['evil.example.org', '[::1]', 'a_b', 'x'.repeat(300)])
    assert.match(await request(pathname, host), /^HTTP\/1.1 (200|404) /, host)
  for (const query of ['?', '?%00', '?a=%ff', `?${'x=1&'.repeat(2_000)}`])
    assert.match(await request(pathname + query), /^HTTP\/1.1 200 /, query)
  for (const cookie of ['=', ';;;', 'bindery-share', 'bindery-claims=%', '__proto__=1'])
    assert.match(await request(pathname, undefined, `Cookie: ${cookie}\r\n`), /^HTTP\/1.1 200 /, cookie)
  assert.match(await sendBytes(origin, 'nonsense\r\n\r\n'), /^HTTP\/1.1 400 /)
  assert.match(await request('/', undefined, `X: ${'y'.repeat(20_000)}\r\n`), /^HTTP\/1.1 431 /)
  assert.is((await read(`${origin}/healthz`)).text, '{"status":"ok"}')
})

test('a request is logged and counted without the keys in its path and query', async () => {
  const site = await publish(here, { Start: '# Start\n' }, { visibility: 'share-link' })
  const link = (await here.admin.call('post', `${site.base}/share-links`, { name: 'Team' }).expect(201)).body
  const key = new URL(link.urls.published).pathname.split('/').at(-1) as string
  const { preview } = (await here.admin.call('get', site.base).expect(200)).body.urls
  const token = new URL(preview).pathname.split('/').at(-1) as string
  lines.length = 0
  assert.is((await read(link.urls.published)).status, 303)
  assert.is((await read(`${preview}/start?jwt_token=secret`)).status, 200)
  const page = await read(`${site.address}/start`)
  assert.ok(page.headers.get('x-request-id'))
  const id = page.headers.get('x-request-id') as string
  for (let tries = 0; tries < 100 && !lines.join('').includes(id); tries++) await read(`${site.address}/x`)
  const log = lines.join('')
  assert.match(log, id)
  for (const secret of [key, token, 'jwt_token', 'secret']) assert.not.match(log, secret)
  assert.match(log, '/~share/…')
  assert.match(log, '/~preview/…/start')
  const metrics = await read(`${here.url}/metrics`, {
    headers: { Authorization: 'Bearer metrics_token_of_the_test_0123456789' },
  })
  assert.match(metrics.text, /bindery_http_requests_total\{operation="sitePage",status="404"\} \d/)
})

const language = (accepted: string): RequestInit => ({ headers: { 'Accept-Language': accepted } })

test('an error page without a site has a style sheet, and the language of the browser', async () => {
  const hidden = await publish(here, { Start: '# Start\n' }, { visibility: 'share-link' })
  const shown = {
    'fr-CA,en;q=0.5': 'fr',
    'nb-NO': 'nb',
    'pt-PT, de;q=0.9': 'pt',
    'it, ru;q=0.2': 'ru',
    '*': 'en',
    '': 'en',
  }
  for (const [accepted, lang] of Object.entries(shown)) {
    const absent = await read(`${here.service.sites}/nothing/at/all`, language(accepted))
    assert.match(absent.text, `<html lang="${lang}">`, accepted)
    assert.match(absent.text, `<h1>${wordsFor(lang).missing.title}</h1>`)
    assert.is((await read(`${hidden.address}/start`, language(accepted))).text, absent.text, 'hidden and absent')
    assert.not.match(absent.text, /style=|<style|<script/)
    const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(absent.text) ?? []
    for (const below of ['/nothing/at/all', '/x/%5c/y', '/']) {
      const css = await read(new URL(sheet, new URL(below, here.service.sites)).href)
      assert.equal([css.status, css.headers.get('content-type')], [200, 'text/css; charset=utf-8'], below)
    }
  }
})

test('a page about too many requests is in the language of the browser, with its style sheet', async () => {
  const limited = await startService({ env: { BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '2' } })
  try {
    const at = `${limited.service.sites}/x`
    while ((await read(at)).status !== 429);
    const { text, headers } = await read(at, language('ja'))
    assert.match(text, `<h1>${wordsFor('ja').plain.tooMany.title}</h1>`)
    assert.ok(headers.get('retry-after'))
    const [, sheet = ''] = /href="(~assets\/[^"]+)"/.exec(text) ?? []
    assert.is((await read(new URL(sheet, at).href)).status, 200)
  } finally {
    await limited.close()
  }
})

test(
  'the site of a damaged repository returns a page with 503, and other sites work',
  async () => {
    const [broken, whole] = [await publish(here, { Start: '# Start\n' }), await publish(here, { Start: '# Start\n' })]
    const repository = join(here.dir, 'repos', `${broken.space}.git`)
    await rename(repository, `${repository}.away`)
    await here.restart()
    const at = (address: string): string => new URL(new URL(address).pathname, here.service.sites).href
    const { status, headers, text } = await read(at(broken.address))
    assert.is(status, 503)
    assert.ok(headers.get('retry-after'))
    assert.match(headers.get('content-type')!, 'text/html')
    assert.match(text, '<h1>Not available at the moment</h1>')
    assert.not.match(text, broken.space)
    assert.is((await read(at(whole.address))).status, 200)
    await rename(`${repository}.away`, repository)
  },
  { embeddedOnly: 'plain-git' },
)

test.run()
