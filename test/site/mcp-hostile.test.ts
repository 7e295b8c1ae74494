// Tests the limits of a site's MCP server with requests that no honest client sends.
import * as assert from 'uvu/assert'
import { callOf, connect, post } from '../support/mcp.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish, read } from './support.js'

const [test, { here, at, address }] = await suiteWith('site: hostile requests to MCP', async () => {
  const here = await startService({ env: { BINDERY_CORS_ORIGINS: 'https://tools.example.org' } })
  const pages = { Start: '# Start\n\nWelcome.\n' }
  const { address } = await publish(here, pages, { visibility: 'public', agentsContext: 'included' })
  return { here, address, at: `${address}/~mcp`, close: () => here.close() }
})

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

test('requests need no session, and only POST is accepted', async () => {
  const response = await post(at, initialize)
  assert.is(response.status, 200)
  assert.is(response.headers.get('mcp-session-id'), null)
  assert.is(response.headers.get('cache-control'), 'no-store')
  assert.is(response.json.result.protocolVersion, '2025-11-25')
  assert.equal(response.json.result.capabilities, { tools: {} })
  assert.is((await post(at, { jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
  const get = await read(at, { headers: { Accept: 'text/event-stream' } })
  assert.is(get.status, 405)
  assert.is(get.headers.get('allow'), 'POST')
  assert.is((await read(at, { method: 'DELETE' })).status, 405)
})

test('bodies are limited in size, depth and number of messages', async () => {
  const call = callOf('list', {})
  const batch = await post(
    at,
    Array.from({ length: 10 }, (_, n) => callOf('list', {}, n)),
  )
  assert.is(batch.json.length, 10)
  for (const [body, status] of [
    [Array.from({ length: 11 }, (_, n) => callOf('list', {}, n)), 400],
    [[], 400],
    ['[', 400],
    ['', 400],
    ['null', 400],
    ['7', 400],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, 400],
    [`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, 400],
    [JSON.stringify(call).replace('"list"', '"list\\u0000"'), 400],
    [JSON.stringify(call).replace('"arguments"', '"__proto__"'), 400],
    [callOf('search', { query: 'x'.repeat(1024 * 1024) }), 413],
  ] as const) {
    const response = await post(at, body)
    assert.is(response.status, status, JSON.stringify(body).slice(0, 80))
    assert.type(response.json.error.message, 'string')
    assert.is(response.json.jsonrpc, '2.0')
  }
  assert.is((await post(at, call, { 'Content-Type': 'text/plain' })).status, 415)
  assert.is((await post(at, call, { Accept: 'text/html' })).status, 406)
  assert.is((await post(at, call, { 'Mcp-Protocol-Version': '1999-01-01' })).status, 400)
})

test('invalid JSON is a parse error, and JSON that is not a message is another error', async () => {
  const bytes = (text: string) => post(at, text).then(({ status, json }) => [status, json.error.code, json.id] as const)
  assert.equal(await bytes('{"jsonrpc":"2.0",'), [400, -32_700, null])
  assert.equal(await bytes('not JSON'), [400, -32_700, null])
  assert.equal(await bytes('[]'), [400, -32_600, null])
  const broken = await fetch(at, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: Buffer.from([0x22, 0xff, 0x22]),
  })
  assert.is(((await broken.json()) as { error: { code: number } }).error.code, -32_700)
})

test('invalid arguments are explained, and any query is plain text', async () => {
  const { call } = await connect(at)
  for (const [name, args, message] of [
    ['search', {}, "arguments must have required property 'query'"],
    ['search', { query: 7 }, 'arguments/query must be string'],
    ['search', { query: 'x'.repeat(500) }, 'arguments/query must NOT have more than 200 characters'],
    ['search', { query: 'x', limit: 1e9 }, 'arguments/limit must be <= 20'],
    ['search', { query: ['x'] }, 'arguments/query must be string'],
    ['read', { page: '/start', extra: 1 }, 'not valid: arguments/extra is unknown. See'],
    ['read', { pag: '/start' }, "arguments/pag is unknown, arguments must have required property 'page'"],
    ['list', { cursor: '-1' }, '`cursor` must be the `next`'],
  ] as const) {
    const { isError, text } = await call(name, args)
    assert.ok(isError)
    assert.match(text, message)
  }
  for (const query of [
    '(a+)+$',
    '.*'.repeat(90),
    '"',
    '* OR 1=1',
    'a NEAR b',
    '{}',
    '%00',
    '..',
    '-',
    'ａ'.repeat(200),
    '😀'.repeat(50),
  ])
    assert.not((await call('search', { query })).isError, query)
  assert.match((await call('search', { query: ' \t ' })).text, 'Nothing was found')
  for (const page of [
    '#',
    '##',
    '/',
    '//',
    '/%',
    '/%ff',
    `/${'a/'.repeat(900)}`,
    'http://',
    'https://[',
    '~mcp',
    '/~mcp',
    '/~search',
  ])
    assert.ok((await call('read', { page })).text.length > 0, page)
  const unknown = await post(at, callOf('propose', {}))
  assert.match(unknown.json.error.message, 'There is no tool with this name. Call one of: search, read, list, changes.')
  assert.is((await post(at, { jsonrpc: '2.0', id: 1, method: 'resources/list' })).json.error.code, -32601)
})

test('scripts of other origins are rejected unless the operator allows their origin', async () => {
  const own = new URL(address).origin
  const evil = { Origin: 'https://evil.example.org' }
  const denied = await post(at, initialize, evil)
  assert.is(denied.status, 403)
  assert.is(denied.headers.get('access-control-allow-origin'), null)
  assert.is((await post(at, initialize, { Origin: 'null' })).status, 403)
  assert.is((await post(at, initialize, { Origin: own })).status, 200)
  const named = { Origin: 'https://tools.example.org' }
  const allowed = await post(at, initialize, named)
  assert.is(allowed.status, 200)
  assert.is(allowed.headers.get('access-control-allow-origin'), named.Origin)
  const preflight = (headers: object) =>
    read(at, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST', ...headers } })
  const asked = await preflight(named)
  assert.is(asked.status, 204)
  assert.is(asked.headers.get('access-control-allow-origin'), named.Origin)
  assert.match(asked.headers.get('access-control-allow-headers') as string, 'Authorization')
  assert.is((await preflight(evil)).headers.get('access-control-allow-origin'), null)
})

test('each message of a request counts toward the limit of its address', async () => {
  const limited = await startService({ env: { BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '60' } })
  try {
    const site = await publish(limited, { Start: '# Start\n' }, { visibility: 'public', agentsContext: 'included' })
    const batch = Array.from({ length: 10 }, (_, n) => callOf('list', {}, n))
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) statuses.push((await post(`${site.address}/~mcp`, batch)).status)
    assert.equal(statuses, [200, 200, 200, 200, 200, 200, 429])
  } finally {
    await limited.close()
  }
  assert.is(here.service.sites, new URL(address).origin)
})

test.run()
