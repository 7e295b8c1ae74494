import { Agent, get, type IncomingMessage } from 'node:http'
import supertest from 'supertest'
import * as assert from 'uvu/assert'
import { suite } from '../../support/suite.js'
import { bearer, startFake } from '../fake-api.js'

const test = suite('pipeline: service')
const emma = '/v1/shelves/s1/books/emma'

async function withFake(
  options: Parameters<typeof startFake>,
  work: (fake: Awaited<ReturnType<typeof startFake>>) => Promise<void>,
): Promise<void> {
  const fake = await startFake(...options)
  try {
    await work(fake)
  } finally {
    await fake.close()
  }
}

test('requests are limited per token and per address', () =>
  withFake([{ rateLimit: { perToken: 2, perAddress: 5 } }], async ({ url }) => {
    const ask = (who: string) => supertest(url).get(emma).set(bearer(who))
    const first = await ask('reader')
    assert.is(first.headers['ratelimit-policy'], '"token";q=2;w=60')
    assert.match(first.headers.ratelimit ?? '', /^"token";r=1;t=\d+$/)
    await ask('reader')
    const third = await ask('reader')
    assert.is(third.status, 429)
    assert.match(third.headers['retry-after'] ?? '', /^[1-9]\d*$/)
    assert.match(third.headers.ratelimit ?? '', /r=0/)
    assert.is((await ask('editor')).status, 200)
    assert.is((await ask('editor')).status, 200)
    assert.is((await ask('admin')).headers['ratelimit-policy'], '"address";q=5;w=60')
    assert.is((await supertest(url).get('/healthz')).status, 200)
  }))

test('X-Forwarded-For counts only behind a trusted proxy, and only for its own entry', async () => {
  const ipOf = async (trustProxy: number) => {
    let ip: unknown
    await withFake([{ trustProxy }], async ({ url, lines }) => {
      await supertest(url).get('/v1').set('X-Forwarded-For', '6.6.6.6, 9.9.9.9')
      ip = lines.at(-1)?.ip
    })
    return ip
  }
  assert.is(await ipOf(0), '127.0.0.1')
  assert.is(await ipOf(1), '9.9.9.9')
})

test('the log contains the request and the caller, but no token and no query', () =>
  withFake([], async ({ url, lines }) => {
    const response = await supertest(url)
      .get(`${emma}?token=verysecret`)
      .set(bearer('reader'))
      .set('X-Request-Id', 'outer-id-42')
    assert.is(response.headers['x-request-id'], 'outer-id-42')
    const line = lines.at(-1) ?? {}
    assert.equal(
      [line.requestId, line.operation, line.status, line.caller, line.path],
      ['outer-id-42', 'getBook', 200, 'reader', emma],
    )
    assert.not.match(JSON.stringify(lines), /verysecret|Bearer/)
  }))

test('a server that is stopping is alive but not ready, and returns 503 with Retry-After', () =>
  withFake([], async ({ url, api }) => {
    assert.is((await supertest(url).get('/readyz')).status, 200)
    api.stop()
    const response = await supertest(url).get(emma).set(bearer('reader'))
    assert.is(response.status, 503)
    assert.match(response.headers['retry-after'] ?? '', /^\d+$/)
    assert.is((await supertest(url).get('/readyz')).status, 503)
    assert.is((await supertest(url).get('/healthz')).status, 200)
  }))

test('a draining server serves requests, closes connections and fails /readyz', () =>
  withFake([], async ({ url, api }) => {
    api.drain()
    const agent = new Agent({ keepAlive: true })
    for (let n = 0; n < 2; n++) {
      const response = await new Promise<IncomingMessage>((done, failed) =>
        get(`${url}${emma}`, { agent, headers: { authorization: 'Bearer reader' } }, done).on('error', failed),
      )
      response.resume()
      assert.equal([response.statusCode, response.headers.connection], [200, 'close'])
    }
    assert.is((await supertest(url).get('/readyz')).status, 503)
    assert.is((await supertest(url).get('/healthz')).status, 200)
  }))

test('/readyz lists the missing part', () =>
  withFake([{}, { ready: () => ['documents'] }], async ({ url }) => {
    const response = await supertest(url).get('/readyz')
    assert.is(response.status, 503)
    assert.equal(response.body.missing, ['documents'])
  }))

test('metrics are served to this machine or with the token, never through a proxy', async () => {
  const token = 'metrics-token-0123456789'
  await withFake([], async ({ url }) => {
    await supertest(url).get(emma).set(bearer('reader'))
    const { status, text } = await supertest(url).get('/metrics')
    assert.is(status, 200)
    assert.match(text, /bindery_http_requests_total\{operation="getBook",status="200"\} 1/)
    assert.match(text, /nodejs_eventloop_lag/)
    assert.is((await supertest(url).get('/metrics').set('X-Forwarded-For', '1.2.3.4')).status, 404)
  })
  await withFake([{ publicUrl: 'https://docs.example.org', metricsToken: token }], async ({ url }) => {
    assert.is((await supertest(url).get('/metrics')).status, 404)
    assert.is((await supertest(url).get('/metrics').set('Authorization', 'Bearer wrong')).status, 404)
    assert.is((await supertest(url).get('/metrics').set('Authorization', `Bearer ${token}`)).status, 200)
    assert.is((await supertest(url).get('/v1')).body.urls.docs, 'https://docs.example.org/docs')
  })
})

test('the reference page loads everything from this server, with nothing inline', () =>
  withFake([], async ({ url }) => {
    const { text, headers } = await supertest(url).get('/docs')
    assert.match(headers['content-security-policy'] ?? '', /script-src 'self'; style-src 'self'/)
    assert.not.match(text, /<script>|https?:\/\//)
    const assets = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    assert.ok(assets.length >= 5)
    for (const asset of assets) assert.is((await supertest(url).get(asset)).status, 200, asset)
  }))

test.run()
