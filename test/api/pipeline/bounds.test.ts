import * as assert from 'uvu/assert'
import { endpoints } from '../../../src/api/index.js'
import type { JsonSchema } from '../../../src/api/schema.js'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { head, openRaw } from './raw-http.js'

const MIB = 1024 * 1024
const [test, here] = await suiteWith('limits on requests', () =>
  startService({
    env: {
      BINDERY_BODIES_LIMIT_BYTES: String(4 * MIB),
      BINDERY_MAX_CONNECTIONS: '60',
      BINDERY_MAX_CONNECTIONS_PER_ADDRESS: '40',
      BINDERY_REQUEST_SECONDS: '8',
    },
  }),
)

const status = (text: string): number =>
  Number(/^HTTP\/1\.1 (\d+)/.exec(text.replace(/^HTTP\/1\.1 100 [\s\S]*?\r\n\r\n/, ''))?.[1])
const RESPONSE = /^HTTP\/1\.1 [2-5][\s\S]*\r\n\r\n\{[\s\S]*\}/

test('a caller without a token gets a response before sending a body', async () => {
  for (const headers of [
    {},
    { Authorization: 'Bearer nobody' },
    { Authorization: 'Bearer nobody', Expect: '100-continue' },
  ]) {
    const raw = await openRaw(here.url)
    raw.send(head('PATCH', `/v1/orgs/${here.organization}`, 10 * MIB, headers))
    const text = await raw.received(RESPONSE)
    assert.is(status(text), 401)
    assert.not.match(text, /100 Continue/)
    raw.close()
  }
})

test('a caller who may send a body is asked to continue', async () => {
  const raw = await openRaw(here.url)
  const body = JSON.stringify({ title: 'Ada' })
  raw.send(
    head('PATCH', `/v1/orgs/${here.organization}`, body.length, {
      Authorization: `Bearer ${here.admin.token}`,
      Expect: '100-continue',
    }),
  )
  await raw.received(/100 Continue\r\n\r\n/)
  raw.send(body)
  assert.is(status((await raw.received(/"title"/)).split('\r\n\r\n').slice(1).join('\r\n\r\n')), 200)
  raw.close()
})

test('a connection can be reused after its body was rejected', async () => {
  const raw = await openRaw(here.url)
  const body = `{"token":"${'x'.repeat(20_000)}"}`
  raw.send(head('POST', '/v1/sign-in/token', body.length) + body)
  assert.is(status(await raw.received(RESPONSE)), 413)
  raw.send('GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n')
  assert.match(await raw.received(), /413[\s\S]*HTTP\/1\.1 200/)
})

test('the service stops reading a body that it does not need', async () => {
  const raw = await openRaw(here.url)
  raw.send(head('POST', '/v1/sign-in/token', 100 * MIB))
  const piece = Buffer.alloc(MIB, 'x')
  for (let i = 0; i < 40 && !raw.socket.destroyed; i++) {
    raw.send(piece)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await raw.received()
  assert.ok(raw.socket.bytesWritten < 60 * MIB)
})

test('a body beyond the shared limit gets 503 with Retry-After until others finish', async () => {
  const authors = await Promise.all([1, 2, 3].map(() => here.caller('edit')))
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, {}).expect(201)).body.id
  const path = `/v1/spaces/${space}/content`
  const half = Buffer.alloc(1.8 * MIB, 'x')
  const begin = async (token: string) => {
    const raw = await openRaw(here.url)
    raw.send(head('POST', path, 9 * MIB, { Authorization: `Bearer ${token}` }))
    raw.send(`{"message":"`)
    raw.send(half)
    return raw
  }
  const [one, two, three] = authors.map(({ token }) => token) as [string, string, string]
  const begun = await Promise.all([one, two, three].map(begin))
  const text = await Promise.race(begun.map((raw) => raw.received(RESPONSE)))
  assert.is(status(text), 503)
  assert.match(text, /retry-after: 5/i)
  const greedy = await begin(one)
  assert.ok([429, 503].includes(status(await greedy.received(RESPONSE))))
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { title: 'Small ones pass' }).expect(200)
  for (const raw of [...begun, greedy]) raw.close()
  const markdown = 'x'.repeat(3 * MIB)
  for (let tries = 0; ; tries++) {
    const response = await authors[2]!.call('post', path, {
      changes: [{ operation: 'insert_page', title: 'Big', document: { markdown } }],
      message: 'x',
    })
    if (response.status !== 503 || tries > 50) {
      assert.is.not(response.status, 503)
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})

test('a request that never completes is closed', async () => {
  const slow = await openRaw(here.url)
  slow.send('GET /v1 HTTP/1.1\r\nHost: test\r\nX-Slow: ')
  const body = await openRaw(here.url)
  body.send(head('PATCH', `/v1/orgs/${here.organization}`, 1000, { Authorization: `Bearer ${here.admin.token}` }))
  const drip = setInterval(() => {
    slow.send('x')
    body.send(' ')
  }, 200)
  try {
    assert.is(status(await slow.received()), 408)
    assert.ok([400, 408].includes(status(await body.received())))
  } finally {
    clearInterval(drip)
  }
})

test('a form has a limited number of parts, and its fields are scanned like JSON', async () => {
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, {}).expect(201)).body.id
  const send = (form: FormData) =>
    fetch(`${here.url}/v1/spaces/${space}/content`, {
      method: 'POST',
      headers: { authorization: `Bearer ${here.admin.token}` },
      body: form,
    })
  const nested = new FormData()
  nested.append('changes', '['.repeat(100_000))
  assert.match(await (await send(nested)).text(), /nested more than 100 levels/)
  const many = new FormData()
  for (let i = 0; i < 60; i++) many.append(`part${i}`, '1')
  const response = await send(many)
  assert.is(response.status, 400)
  assert.match(await response.text(), /more than \d+ (fields|parts)/)
  const name = new FormData()
  name.append('x'.repeat(5_000), '1')
  assert.is((await send(name)).status, 400)
})

test('a nine-megabyte URL is invalid, like any other text that is matched against a pattern', async () => {
  const url = `https://example.org/${'a'.repeat(9 * MIB)}`
  const { body } = await here.admin.call('post', `/v1/orgs/${here.organization}/webhooks`, { url }).expect(400)
  assert.is(body.error.details[0].path, '/url')
  await here.admin.call('post', '/v1/orgs', { title: 'Dots', emailDomains: [`${'.'.repeat(MIB)}@`] }).expect(400)
})

test('an error lists a limited number of violations', async () => {
  const changes = Array.from({ length: 4_000 }, () => ({ operation: 'no-such' }))
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, {}).expect(201)).body.id
  const { body } = await here.admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(400)
  assert.ok(body.error.details.length <= 101)
})

test('the declarations limit the size of every text and list in a request', () => {
  const unbounded: string[] = []
  /** Limited by the maximum file size, which is a setting. */
  const byOtherMeans = new Set(['base64'])
  const walk = (schema: JsonSchema, path: string): void => {
    const types = [schema.type].flat()
    const leaf = path.split('/').at(-1) as string
    if (
      types.includes('string') &&
      schema.maxLength === undefined &&
      !schema.enum &&
      schema.const === undefined &&
      schema.format !== 'date-time' &&
      !byOtherMeans.has(leaf)
    )
      unbounded.push(path)
    if (types.includes('array') && schema.maxItems === undefined) unbounded.push(path)
    // Duplicate objects are found by comparing all pairs.
    if (schema.uniqueItems === true && (schema.items as JsonSchema).type !== 'string')
      unbounded.push(`${path} uniqueItems`)
    if (schema.patternProperties && schema.maxProperties === undefined) unbounded.push(path)
    for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>))
      walk(member, `${path}/${name}`)
    for (const list of [schema.items, schema.anyOf, schema.oneOf, Object.values(schema.patternProperties ?? {})])
      for (const one of [list ?? []].flat() as JsonSchema[]) walk(one, path)
  }
  for (const [id, { body, query }] of Object.entries(endpoints)) {
    if (body) walk(body as unknown as JsonSchema, `${id} body`)
    if (query) walk(query as unknown as JsonSchema, `${id} query`)
  }
  assert.equal(unbounded, [])
})

test('connections are limited per address and in total', async () => {
  const open = await Promise.all(Array.from({ length: 50 }, () => openRaw(here.url)))
  for (const raw of open) raw.send('GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n')
  const responses = await Promise.all(open.map((raw) => raw.received(/HTTP\/1\.1 200[\s\S]*\r\n\r\n./)))
  const served = responses.filter((text) => /HTTP\/1\.1 200/.test(text)).length
  assert.ok(served >= 30 && served <= 40, `${served} of 50 were served`)
  for (const raw of open) raw.close()
})

test.run()
