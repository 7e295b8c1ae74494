// Tests readers who connect at the same time, send too much, or are connected while the server stops.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish, read } from './support.js'

const PER_MINUTE = 40
const [test, here] = await suiteWith('site: crowds', () =>
  startService({
    env: {
      BINDERY_TRUST_PROXY: '1',
      BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: String(PER_MINUTE),
      BINDERY_MAX_CONNECTIONS: '2000',
    },
  }),
)

/** A connection that collects what it receives. */
async function open(origin: string): Promise<{ socket: Socket; received(): string; closed: Promise<unknown> }> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (piece: Buffer) => void (text += piece.toString('latin1')))
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return { socket, received: () => text, closed }
}

const requestFor = (address: string, from: string, more = ''): string => {
  const { pathname, host } = new URL(address)
  return `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${from}\r\n${more}\r\n`
}

test('a flood from one address does not close a site for others', async () => {
  const { address } = await publish(here, { Start: '# Start\n' })
  const from = (ip: string) => read(address, { headers: { 'X-Forwarded-For': ip } })
  for (let count = 0; count < PER_MINUTE; count++) assert.is((await from('192.0.2.1')).status, 200)
  const refused = await from('192.0.2.1')
  assert.is(refused.status, 429)
  assert.match(refused.headers.get('content-type')!, 'text/html')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.is(refused.headers.get('cache-control'), 'no-store')
  for (const other of ['192.0.2.2', '2001:db8::1']) assert.is((await from(other)).status, 200)
})

test('connections to a busy server are accepted and wait', async () => {
  const { origin } = new URL((await publish(here, { Start: '# Start\n' })).address)
  const readers = `let left = 700
for (let n = left; n > 0; n--) require('node:net').connect(${new URL(origin).port}, '127.0.0.1', () => --left || process.exit())`
  // This call blocks the server. The system accepts as many connections as the server's backlog allows.
  execFileSync(process.execPath, ['-e', readers], { timeout: 60_000 })
  assert.is((await read(`${origin}/healthz`)).status, 200)
})

test('data after a request on the same connection does not affect its response', async () => {
  const { address } = await publish(here, { Start: '# Start\n\nThe text.\n' })
  const two = await open(address)
  two.socket.write(requestFor(address, '192.0.2.3') + requestFor(address, '192.0.2.3', 'Connection: close\r\n'))
  await two.closed
  assert.is(two.received().match(/HTTP\/1\.1 200 /g)?.length, 2)
  const garbage = await open(address)
  garbage.socket.write(requestFor(address, '192.0.2.3'))
  while (!garbage.received().includes('</html>')) await once(garbage.socket, 'data')
  garbage.socket.write('\0\x01 not HTTP\r\n\r\n')
  await garbage.closed
  assert.match(garbage.received(), /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 /)
  const flood = await open(address)
  flood.socket.write(requestFor(address, '192.0.2.4').repeat(200))
  await flood.closed
  assert.is((await read(address, { headers: { 'X-Forwarded-For': '192.0.2.5' } })).status, 200)
})

test('a partly sent request and a slow reader get their responses while the server stops', async () => {
  const long = `# Start\n\n${'Words of a long page. '.repeat(30_000)}\n`
  const { address } = await publish(here, { Start: long })
  const whole = (await read(address, { headers: { 'X-Forwarded-For': '192.0.2.6' } })).text.length
  const slow = await open(address)
  slow.socket.pause()
  slow.socket.write(requestFor(address, '192.0.2.7', 'Connection: close\r\n'))
  const half = await open(address)
  const request = requestFor(address, '192.0.2.8')
  half.socket.write(request.slice(0, 40))
  assert.is((await read(address, { headers: { 'X-Forwarded-For': '192.0.2.9' } })).status, 200)
  const stopped = here.restart()
  half.socket.write(request.slice(40))
  slow.socket.resume()
  await Promise.all([half.closed, slow.closed, stopped])
  for (const { received } of [slow, half]) {
    assert.match(received(), /^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/)
    assert.ok(received().length > whole, `${received().length} of ${whole}`)
  }
})

test.run()
