import { connect } from 'node:net'
import supertest from 'supertest'
import * as assert from 'uvu/assert'
import { errorTable } from '../../../src/kernel/errors.js'
import { suiteWith } from '../../support/suite.js'
import { bearer, startFake } from '../fake-api.js'

const api = () => supertest(fake.url)
const books = '/v1/shelves/s1/books'
const post = (body: unknown, type = 'application/json') =>
  api()
    .post(books)
    .set(bearer('editor'))
    .set('Content-Type', type)
    .send(typeof body === 'string' ? body : JSON.stringify(body))
const [test, fake] = await suiteWith('pipeline: errors', startFake)

/** The raw bytes that the server returns for bytes that no client library would send. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(fake.port, '127.0.0.1', () => socket.write(text))
    let got = ''
    socket.on('data', (chunk) => (got += chunk))
    socket.on('close', () => resolve(got))
    socket.on('error', reject)
  })

test('every error in the table has its status, body and headers', async () => {
  for (const [code, { status }] of Object.entries(errorTable)) {
    const response = await api().post(`/v1/fail/${code}`)
    assert.is(response.status, status, code)
    assert.is(response.body.error.code, status)
    assert.type(response.body.error.message, 'string')
    if (status === 401) assert.is(response.headers['www-authenticate'], 'Bearer')
    if (status === 503) assert.match(response.headers['retry-after'] ?? '', /^\d+$/)
    assert.ok(response.headers['x-request-id'])
  }
})

test('the token is checked first, then the visibility, then the permission', async () => {
  assert.is((await api().get(books)).headers['www-authenticate'], 'Bearer')
  assert.is((await api().get(books).set('Authorization', 'Bearer nonsense')).status, 401)
  assert.is((await api().get(books).set(bearer('stranger'))).status, 404)
  assert.is((await api().post(books).set(bearer('reader')).send({ wrong: 1 })).status, 403)
  assert.is((await api().get('/v1/shelves/none/books').set(bearer('admin'))).status, 404)
})

test('DELETE returns 204 for a missing leaf, 404 for a missing parent, 403 without permission', async () => {
  const remove = (path: string, who: string) => api().delete(path).set(bearer(who))
  assert.is((await remove(`${books}/none`, 'admin')).status, 204)
  assert.is(
    (await remove(`${books}/none`, 'editor')).status,
    403,
    'who may not remove books learns of none whether it is there',
  )
  assert.is((await remove('/v1/shelves/none/books/emma', 'admin')).status, 404)
  assert.is((await remove(`${books}/emma`, 'stranger')).status, 404)
  assert.is((await remove(`${books}/emma`, 'editor')).status, 403)
})

test('an unexpected failure is logged in full without credentials and hidden from the client', async () => {
  const response = await api().post('/v1/fail/crash').set('X-Request-Id', 'my-request-1')
  assert.is(response.status, 500)
  assert.not.match(response.text, /secret|hunter2/)
  const line = fake.lines.find((one) => one.requestId === 'my-request-1' && one.level === 'error') as
    | { error: { message: string }[] }
    | undefined
  assert.is(line?.error[0]?.message, 'inner secret')
  assert.is(line?.error.length, 2)
  assert.not.match(JSON.stringify(fake.lines), /hunter2|Bearer editor/)
  assert.is((await api().post('/v1/fail/odd')).status, 500)
})

test('an undeclared response is not logged, because it may contain a secret', async () => {
  assert.is((await api().get('/v1/lie').set('X-Request-Id', 'my-request-2')).status, 500)
  const line = JSON.stringify(fake.lines.find((one) => one.requestId === 'my-request-2' && one.level === 'error'))
  assert.match(line, /returned a response that does not match its schema.*extra/)
  assert.not.match(line, /shown-once-secret/)
})

test('unknown paths and methods return an error', async () => {
  assert.is((await api().get('/nothing')).status, 404)
  assert.is((await api().get('/v1/shelves')).body.error.code, 404)
  const wrong = await api().put(books)
  assert.is(wrong.status, 405)
  assert.is(wrong.headers.allow, 'GET, HEAD, OPTIONS, POST')
  const options = await api().options(books)
  assert.is(options.status, 204)
  assert.is(options.headers.allow, 'GET, HEAD, OPTIONS, POST')
  assert.is((await api().get(`${books}/`).set(bearer('reader'))).status, 200)
  assert.is((await api().post('/healthz')).status, 405)
})

test('a literal path takes precedence over a parameter, whose methods still count', async () => {
  assert.equal((await api().patch(`${books}/sort`).set(bearer('editor'))).body, { by: null })
  assert.is((await api().delete(`${books}/sort`).set(bearer('admin'))).status, 204)
})

test('an error lists all violations with their location and reason', async () => {
  const { status, body } = await post({
    title: '',
    pages: 0,
    kind: 'x',
    level: 4,
    born: 'x',
    note: { a: 1, c: 2 },
    changes: [{ operation: 'insert', at: -1, x: 1 }, { operation: 'foo' }, {}],
    'un/known': 1,
  })
  assert.is(status, 400)
  const lines = body.error.details.map((one: { path: string; message: string }) => `${one.path} ${one.message}`).sort()
  assert.equal(lines, [
    '/born must be a date and time such as 2026-01-31T12:00:00Z',
    '/changes/0/at must be at least 0',
    '/changes/0/title is required',
    '/changes/0/x is not a known member',
    '/changes/1/operation must be one of: insert, delete',
    '/changes/2/operation is required',
    '/kind must be one of: novel, poem',
    '/level must be a string or null',
    '/note/a must be a string',
    '/note/b is required',
    '/note/c is not a known member',
    '/pages must be at least 1',
    '/title must have at least 1 character',
    '/un~1known is not a known member',
  ])
})

test('query parameters are coerced and defaulted, and unknown ones are ignored', async () => {
  const echo = async (query: string) => (await api().get(`/v1/echo${query}`)).body.query
  assert.equal(await echo(''), { order: 'desc', limit: 50 })
  assert.equal(await echo('?authors=a&limit=3&old=true&utm=1&__proto__=1'), {
    authors: ['a'],
    limit: 3,
    old: true,
    order: 'desc',
  })
  assert.equal((await echo('?authors=a&authors=b%20c')).authors, ['a', 'b c'])
  const { body } = await api().get('/v1/echo?limit=1001&order=up&old=perhaps')
  assert.equal(body.error.details.map((one: { path: string }) => one.path).sort(), [
    'query/limit',
    'query/old',
    'query/order',
  ])
  for (const limit of ['x', '-1', '1.5', '1&limit=2'])
    assert.is((await api().get(`/v1/echo?limit=${limit}`)).status, 400, limit)
})

test('a declared query parameter in another notation is an error and is not ignored', async () => {
  for (const name of ['old[]', 'old[0]', 'old%5B%5D', 'Old', 'old.x', '%20old', 'old[']) {
    const { status, body } = await api().get(`/v1/echo?${name}=true`)
    assert.is(status, 400, name)
    assert.equal(body.error.details, [
      { path: `query/${decodeURIComponent(name)}`, message: 'must be written as "old"' },
    ])
  }
  const { body } = await api().get('/v1/echo?authors[]=a&limit=x')
  assert.equal(
    body.error.details.map((one: { path: string }) => one.path),
    ['query/authors[]', 'query/limit'],
  )
  assert.is((await api().get('/v1/echo?older=1&page-size=1&limits=x')).status, 200, 'names that only look alike')
  assert.is((await api().get('/v1/echo?old=true&old=true')).status, 400, 'a single value that is sent twice')
})

test('a body is checked for content type, charset, encoding, size, syntax and presence', async () => {
  assert.is((await post('{}', 'text/plain')).status, 415)
  assert.is((await post('{}', 'application/json; charset=latin1')).status, 415)
  assert.is((await post({ title: 'Utf' }, 'application/json; charset=UTF-8')).status, 201)
  assert.is((await post({ title: 'Utf' })).body.error.paths[0], 'Utf')
  assert.is(
    (
      await api()
        .post(books)
        .set(bearer('editor'))
        .set('Content-Encoding', 'gzip')
        .set('Content-Type', 'application/json')
        .send('{}')
    ).status,
    415,
  )
  assert.is((await post({ title: 'x'.repeat(20_000) })).status, 413)
  const syntax = await post('{"title":\n "a",}')
  assert.is(syntax.status, 400)
  assert.match(syntax.body.error.message, /position 15 \(line 2, column 6\)/)
  assert.match((await post('{"title":')).body.error.message, /ends too early at position 9/)
  assert.is((await api().post(books).set(bearer('editor'))).status, 400)
  assert.is((await api().patch(`${books}/sort`).set(bearer('editor')).send({ by: 'title' })).body.by, 'title')
  assert.is((await api().post('/v1/fail/locked').set('Content-Type', 'text/plain').send('ignored')).status, 423)
})

test('hostile bodies are rejected', async () => {
  assert.is((await post('{"__proto__": {"title": "x"}}')).status, 400)
  assert.is((await post('{"title": "a", "\\u005f_proto__": 1}')).status, 400)
  assert.is(({} as Record<string, unknown>).title, undefined)
  assert.is((await post('{"title": "a\\u0000b"}')).body.error.details[0].path, '/title')
  assert.is((await post('{"title": "\\ud800"}')).status, 400)
  assert.is((await post('['.repeat(4000) + ']'.repeat(4000))).status, 400)
  const bytes = Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
  const response = await fetch(fake.url + books, {
    method: 'POST',
    headers: { ...bearer('editor'), 'content-type': 'application/json' },
    body: bytes,
  })
  assert.is(response.status, 400)
})

test('hostile paths and headers are rejected', async () => {
  for (const path of [
    '/v1/shelves/%',
    '/v1/shelves/%zz/books',
    '/v1/shelves/%ff/books',
    '/v1/shelves/%00/books',
    '/v1/echo?a=%',
  ])
    assert.match(
      await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      /^HTTP\/1\.1 400 [\s\S]*"code":400/,
      path,
    )
  assert.is(
    (
      await api()
        .get(`/v1/shelves/${'x'.repeat(300)}/books`)
        .set(bearer('admin'))
    ).status,
    400,
  )
  for (const id of ['constructor', '__proto__', '..%2f..'])
    assert.is((await api().get(`/v1/shelves/${id}/books`).set(bearer('admin'))).status, 404, id)
  assert.match(
    await raw(`GET /v1 HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`),
    /^HTTP\/1\.1 431 [\s\S]*"code":431/,
  )
  assert.match(await raw('NONSENSE\r\n\r\n'), /^HTTP\/1\.1 400 [\s\S]*"code":400/)
  const strange = await raw('GET /v1 HTTP/1.1\r\nHost: a"b\r\nX-Request-Id: a b\r\nConnection: close\r\n\r\n')
  assert.ok(strange.includes(`"${fake.url}/v1/openapi.json"`), 'no response repeats the Host of a request')
  assert.not.match(strange, /X-Request-Id: a b/)
})

test.run()
