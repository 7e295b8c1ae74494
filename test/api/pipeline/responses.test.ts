import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import supertest from 'supertest'
import * as assert from 'uvu/assert'
import { suiteWith } from '../../support/suite.js'
import { LargeBody } from '../../../src/api/pipeline/large-body.js'
import { turnsDuring } from '../../support/turns.js'
import { bearer, HUGE_PIECES, startFake } from '../fake-api.js'

const api = () => supertest(fake.url)
const emma = '/v1/shelves/s1/books/emma'
const [test, fake] = await suiteWith('pipeline: responses', () =>
  startFake({}, { byteCache: new LRUCache<string, Buffer>({ max: 10 }) }),
)

test('every GET has a strong ETag that yields a 304, and HEAD matches GET without a body', async () => {
  const full = await api().get(emma).set(bearer('reader'))
  const etag = full.headers.etag ?? ''
  assert.match(etag, /^"[\w-]+"$/)
  assert.is(full.headers['cache-control'], 'private, no-cache')
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await api().get(emma).set(bearer('reader')).set('If-None-Match', header)
    assert.is(again.status, 304, header)
    assert.is(again.text, '')
    assert.is(again.headers.etag, etag)
  }
  assert.is((await api().get(emma).set(bearer('reader')).set('If-None-Match', '"other"')).status, 200)
  const head = await api().head(emma).set(bearer('reader'))
  assert.is(head.status, 200)
  assert.is(head.headers.etag, etag)
  assert.is(head.headers['content-length'], full.headers['content-length'])
  assert.is(head.text, undefined)
})

test('a validator returns 304 and cached bytes without calling the handler', async () => {
  const ask = (headers: Record<string, string> = {}) =>
    api().get('/v1/large').set(bearer('reader')).set('Accept-Encoding', 'identity').set(headers)
  const first = await ask()
  const second = await ask()
  assert.is(second.text, first.text)
  assert.is((await ask({ 'If-None-Match': first.headers.etag ?? '' })).status, 304)
  assert.is(fake.app.handled.filter((one) => one === 'large').length, 1)
  fake.app.shelves.set('more', { id: 'more', members: {}, books: new Map() })
  assert.is.not((await ask()).headers.etag, first.headers.etag)
})

test('a compressed response has its own ETag, which later requests can use', async () => {
  const get = (headers: Record<string, string>) =>
    fetch(`${fake.url}/v1/large`, { headers: { ...bearer('reader'), ...headers } })
  const zipped = await get({ 'accept-encoding': 'gzip' })
  const etag = zipped.headers.get('etag') ?? ''
  assert.is(zipped.headers.get('content-encoding'), 'gzip')
  assert.match(etag, /-gzip"$/)
  assert.match(zipped.headers.get('vary') ?? '', /Accept-Encoding/)
  assert.match(await zipped.text(), /words words/)
  assert.is((await get({ 'accept-encoding': 'gzip', 'if-none-match': etag })).status, 304)
  const small = await fetch(fake.url + emma, { headers: { ...bearer('reader'), 'accept-encoding': 'gzip' } })
  assert.is(small.headers.get('content-encoding'), null)
})

test('a response that is too large to cache has the usual headers, encodings and 304', async () => {
  const get = (headers: Record<string, string>, method = 'GET') =>
    fetch(`${fake.url}/v1/huge`, {
      method,
      headers: { ...bearer('reader'), 'accept-encoding': 'identity', ...headers },
    })
  const full = await get({})
  const text = await full.text()
  const etag = full.headers.get('etag') ?? ''
  assert.is(text, `{"texts":${Buffer.concat(HUGE_PIECES)}]}`)
  assert.is(etag, `"${createHash('sha1').update(text).digest('base64url')}"`)
  assert.is(full.headers.get('content-length'), String(text.length))
  assert.is(full.headers.get('content-type'), 'application/json; charset=utf-8')
  const head = await get({}, 'HEAD')
  assert.equal(
    ['etag', 'content-length', 'content-type'].map((name) => head.headers.get(name)),
    [etag, String(text.length), 'application/json; charset=utf-8'],
  )
  assert.is((await get({ 'if-none-match': etag })).status, 304)
  for (const coding of ['gzip', 'deflate', 'br']) {
    const zipped = await get({ 'accept-encoding': coding })
    assert.is(zipped.headers.get('content-encoding'), coding)
    assert.is(zipped.headers.get('etag'), etag.replace(/"$/, `-${coding}"`))
    assert.ok(Number(zipped.headers.get('content-length')) < 1024 * 1024)
    assert.is(await zipped.text(), text)
  }
})

test('other requests run while the ETag of a large body is computed', async () => {
  const body = new LargeBody(Array.from({ length: 64 }, () => Buffer.alloc(4 * 1024 * 1024)))
  assert.ok((await turnsDuring(() => body.tag())) > 1)
})

test('201 has a Location, and special and empty responses have their statuses', async () => {
  const made = await api().post('/v1/shelves/s1/books').set(bearer('editor')).send({ title: 'Persuasion' })
  assert.is(made.status, 201)
  assert.is(made.headers.location, '/v1/shelves/s1/books/Persuasion')
  const moved = await api().post('/v1/fail/redirect').redirects(0)
  assert.is(moved.status, 302)
  assert.is(moved.headers.location, '/v1')
  const gone = await api().delete('/v1/shelves/s1/books/Persuasion').set(bearer('admin'))
  assert.is(gone.status, 204)
  assert.is(gone.text, '')
  assert.ok(!fake.app.shelves.get('s1')?.books.has('Persuasion'))
})

test("a handler receives the rest of the path and the request's data", async () => {
  const get = (path: string) => api().get(`/v1/shelves/s1/path/${path}`).set(bearer('reader')).set('If-Match', '"abc"')
  assert.equal((await get('a/b%20c')).body, { word: 'a/b c', baseUrl: fake.url, ifMatch: 'abc' })
  assert.is((await get('a%2Fb')).body.word, 'a/b')
})

test('a file response supports ranges, validators and names', async () => {
  const get = (headers: Record<string, string> = {}) => api().get('/v1/file').set(headers)
  const all = await get()
  assert.is(all.headers['content-length'], '100')
  assert.is(all.headers['content-type'], 'image/png')
  assert.match(
    all.headers['content-disposition'] ?? '',
    /^attachment; filename=".*"; filename\*=UTF-8''gr%C3%B6%C3%9Fe/,
  )
  const part = await get({ Range: 'bytes=10-14' })
  assert.is(part.status, 206)
  assert.is(part.headers['content-range'], 'bytes 10-14/100')
  assert.is(String(part.body), '01234')
  assert.is((await get({ Range: 'bytes=10-14', 'If-Range': '"other"' })).status, 200)
  const outside = await get({ Range: 'bytes=200-' })
  assert.is(outside.status, 416)
  assert.is(outside.headers['content-range'], 'bytes */100')
  assert.is((await get({ 'If-None-Match': '"oid"' })).status, 304)
  const head = await api().head('/v1/file')
  assert.is(head.headers['content-length'], '100')
})

test('cross-origin requests get a preflight response and exposed headers', async () => {
  const preflight = await api().options(emma).set({
    Origin: 'https://a.example',
    'Access-Control-Request-Method': 'DELETE',
    'Access-Control-Request-Headers': 'authorization',
  })
  assert.is(preflight.status, 204)
  assert.is(preflight.headers['access-control-allow-origin'], '*')
  assert.match(preflight.headers['access-control-allow-methods'] ?? '', /DELETE/)
  assert.is(preflight.headers['access-control-allow-headers'], 'authorization')
  const refused = await api().get(emma).set('Origin', 'https://a.example')
  assert.is(refused.status, 401)
  assert.match(refused.headers['access-control-expose-headers'] ?? '', /ETag.*Location.*RateLimit.*X-Request-Id/)
  const strict = await startFake({ corsOrigins: ['https://a.example'] })
  const origin = async (from: string) =>
    (await supertest(strict.url).get('/v1').set('Origin', from)).headers['access-control-allow-origin']
  assert.is(await origin('https://a.example'), 'https://a.example')
  assert.is(await origin('https://b.example'), undefined)
  await strict.close()
})

test('every response has the security headers', async () => {
  const { headers } = await api().get('/v1')
  assert.is(headers['x-content-type-options'], 'nosniff')
  assert.match(headers['content-security-policy'] ?? '', /default-src 'none'/)
  assert.is(headers['x-powered-by'], undefined)
})

test.run()
