import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  OutboundError,
  type OutboundFailure,
} from '../../src/outbound/index.js'
import { suite } from '../support/suite.js'

const test = suite('outbound HTTP')
const MIB = 1024 * 1024
const limits = { timeoutMs: 5_000, maxBytes: MIB }

const open: { close(): unknown }[] = []
test.after(async () => {
  for (const one of open) await one.close()
})

/** A server on every loopback address. Returns its port. */
async function serve(listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done))
  open.push({ close: () => server.closeAllConnections() }, { close: () => server.close() })
  return (server.address() as AddressInfo).port
}

function client(options: Partial<HttpClientOptions> = {}): HttpClient {
  const made = createHttpClient({ allowPrivateNetworks: ['127.0.0.1/32'], agent: 'Test/1', ...options })
  open.push(made)
  return made
}

async function failure(work: Promise<unknown>): Promise<OutboundError> {
  try {
    await work
  } catch (error) {
    assert.instance(error, OutboundError)
    return error as OutboundError
  }
  throw new Error('it was let through')
}

async function fails(work: Promise<unknown>, kind: OutboundFailure, text: RegExp): Promise<void> {
  const error = await failure(work)
  assert.is(error.failure, kind, error.message)
  assert.match(error.message, text)
}

test('a request is sent without cookies and returns status, headers and body', async () => {
  const seen: { method?: string; url?: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = []
  const port = await serve((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text: string) => (body += text))
    req.on('end', () => {
      seen.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body })
      res.writeHead(418, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end('short and stout')
    })
  })
  process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.9:9'
  const http = client()
  const url = `http://127.0.0.1:${port}/a?b=c#d`
  const response = await http.send({ url, method: 'POST', body: 'ping', headers: { 'x-one': '1' }, ...limits })
  await http.send({ url, ...limits })
  delete process.env.HTTP_PROXY
  delete process.env.http_proxy
  assert.equal(
    [response.status, response.headers['content-type'], response.body.toString()],
    [418, 'text/plain', 'short and stout'],
  )
  assert.equal(
    [seen[0]?.method, seen[0]?.url, seen[0]?.body, seen[0]?.headers['x-one']],
    ['POST', '/a?b=c', 'ping', '1'],
  )
  assert.is(seen[1]?.headers.cookie, undefined)
  assert.is(seen[1]?.headers['user-agent'], 'Test/1')
})

test('invalid URLs, other protocols and credentials in URLs are rejected', async () => {
  const http = client({ allowPrivateNetworks: true })
  for (const url of [
    '',
    'x',
    '//a',
    'file:///etc/passwd',
    'ftp://a.example/',
    'gopher://127.0.0.1/',
    'http://u:p@127.0.0.1/',
    'https://u@a.example/',
    `http://a/${'x'.repeat(3000)}`,
  ]) {
    await fails(http.send({ url, ...limits }), 'refused', /URL/)
    await fails(http.check(url), 'refused', /URL/)
  }
})

test('private addresses are rejected in every notation before a connection is made', async () => {
  let asked = 0
  const port = await serve((_req, res) => {
    asked++
    res.end()
  })
  const http = client({ allowPrivateNetworks: false })
  const hosts = [
    '127.0.0.1',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00::1]',
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '１２７.０.０.１',
  ]
  for (const host of hosts) {
    const url = `http://${host}:${port}/`
    await fails(http.send({ url, ...limits }), 'refused', /private network/)
    await fails(http.check(url), 'refused', /private network/)
  }
  assert.is(asked, 0)
})

test('each redirect is checked like the first URL', async () => {
  const asked: string[] = []
  const port = await serve((req, res) => {
    asked.push(`${req.headers.host} ${req.url}`)
    const to = new URL(req.url ?? '/', 'http://x').searchParams.get('to')
    if (to === null) res.end('arrived')
    else res.writeHead(302, { location: to }).end('elsewhere')
  })
  const http = client()
  const base = `http://127.0.0.1:${port}`
  const to = (target: string): string => `${base}/?to=${encodeURIComponent(target)}`
  const response = await http.send({ url: to(to('/end')), ...limits })
  assert.equal([response.body.toString(), response.url], ['arrived', `${base}/end`])
  const before = asked.length
  for (const target of [
    `http://127.0.0.2:${port}/`,
    `http://[::1]:${port}/`,
    'http://169.254.169.254/latest',
    `http://2130706434:${port}/`,
  ])
    await fails(http.send({ url: to(target), ...limits }), 'refused', /private network/)
  await fails(http.send({ url: to('file:///etc/passwd'), ...limits }), 'refused', /http and https/)
  await fails(http.send({ url: to(`http://u:p@127.0.0.1:${port}/`), ...limits }), 'refused', /user name/)
  assert.is(asked.length, before + 6)
  const loop = await serve((_req, res) => void res.writeHead(307, { location: '/' }).end())
  await fails(http.send({ url: `http://127.0.0.1:${loop}/`, ...limits }), 'bad-response', /5 times/)
  assert.is((await http.send({ url: to('/end'), redirects: 0, ...limits })).status, 302)
  assert.is((await http.send({ url: to('/end'), method: 'POST', body: '', ...limits })).status, 302)
})

test('a host name is checked by the address of each connection', async () => {
  const port = await serve((req, res) => void res.end(req.socket.localAddress))
  const resolved = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '10.0.0.1'], [] as string[], ['::ffff:127.0.0.2']]
  const http = client({
    resolve: async () =>
      (resolved.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  })
  const ask = () => http.send({ url: `http://rebind.example:${port}/`, headers: { connection: 'close' }, ...limits })
  assert.match((await ask()).body.toString(), /127\.0\.0\.1$/)
  await fails(ask(), 'refused', /rebind\.example is in a private network/)
  await fails(ask(), 'refused', /private network/)
  await fails(ask(), 'unreachable', /no address/)
  await fails(ask(), 'refused', /private network/)
})

test('a body that is too long, even only after decompression, is cut or ends the request', async () => {
  const bodies: Record<string, [string, Buffer]> = {
    '/plain': ['identity', Buffer.alloc(4 * MIB)],
    '/gzip': ['gzip', gzipSync(Buffer.alloc(200 * MIB))],
    '/br': ['br', brotliCompressSync(Buffer.alloc(20 * MIB))],
    '/small': ['GZIP', gzipSync('small')],
    '/odd': ['gzip, gzip', gzipSync('odd')],
    '/broken': ['gzip', gzipSync('broken').subarray(0, 12)],
    '/none': ['gzip', Buffer.from('not packed at all')],
  }
  const port = await serve((req, res) => {
    const [encoding, body] = bodies[req.url ?? ''] as [string, Buffer]
    res.writeHead(200, { 'content-encoding': encoding }).end(body)
  })
  const http = client()
  const ask = (path: string, more = {}) => http.send({ url: `http://127.0.0.1:${port}${path}`, ...limits, ...more })
  for (const path of ['/plain', '/gzip', '/br']) await fails(ask(path), 'too-large', /more than 1048576 bytes/)
  assert.is((await ask('/small')).body.toString(), 'small')
  assert.is((await ask('/plain', { longer: 'cut' })).body.length, MIB)
  assert.is((await ask('/gzip', { longer: 'cut', maxBytes: 10 })).body.length, 10)
  await fails(ask('/odd'), 'bad-response', /encoding/)
  await fails(ask('/broken'), 'bad-response', /not valid HTTP/)
  await fails(ask('/none'), 'bad-response', /not valid HTTP/)
})

test('the time limit covers slow responses, slow bodies and endless redirects', async () => {
  const port = await serve((req, res) => {
    if (req.url === '/silent') return
    if (req.url === '/slow') return void setTimeout(() => res.writeHead(302, { location: '/slow' }).end(), 100)
    const timer = setInterval(() => res.write('.'), 20)
    res.on('close', () => clearInterval(timer))
  })
  const http = client()
  for (const path of ['/silent', '/drip', '/slow'])
    await fails(
      http.send({ url: `http://127.0.0.1:${port}${path}`, maxBytes: MIB, timeoutMs: 250 }),
      'timeout',
      /within 0.25 seconds/,
    )
  const stop = new AbortController()
  const running = failure(http.send({ url: `http://127.0.0.1:${port}/drip`, ...limits, signal: stop.signal }))
  stop.abort()
  assert.is((await running).failure, 'unreachable')
})

test('names from the hosts file are resolved, and unknown names fail', async () => {
  const port = await serve((_req, res) => void res.end('here'))
  const http = client({ allowPrivateNetworks: true })
  assert.is((await http.send({ url: `http://localhost:${port}/`, ...limits })).body.toString(), 'here')
  await fails(
    http.send({ url: 'http://nowhere.invalid/', timeoutMs: 60_000, maxBytes: 1 }),
    'unreachable',
    /nowhere\.invalid cannot be resolved/,
  )
  await Promise.all(Array.from({ length: 8 }, () => http.check('http://localhost/')))
})

test('invalid HTTP, closed ports and unknown hosts each have an error message', async () => {
  const tcp = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  await new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done))
  open.push({ close: () => tcp.close() })
  const { port } = tcp.address() as AddressInfo
  const http = client({ resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })) })
  await fails(http.send({ url: `http://127.0.0.1:${port}/`, ...limits }), 'bad-response', /not valid HTTP/)
  await fails(http.send({ url: `https://127.0.0.1:${port}/`, ...limits }), 'unreachable', /127\.0\.0\.1/)
  await fails(http.send({ url: 'http://127.0.0.1:1/', ...limits }), 'unreachable', /cannot be reached \(ECONNREFUSED\)/)
  await fails(
    http.send({ url: 'http://nowhere.example/', ...limits }),
    'unreachable',
    /nowhere\.example cannot be resolved/,
  )
  await fails(http.check('http://nowhere.example/'), 'unreachable', /cannot be resolved/)
})

test('a closed client sends nothing, whether it was used before or not', async () => {
  let asked = 0
  const port = await serve((_, res) => {
    asked++
    res.end()
  })
  const request = { url: `http://127.0.0.1:${port}/`, ...limits }
  const used = client()
  await used.send(request)
  for (const http of [used, client()]) {
    await http.close()
    await failure(http.send(request))
  }
  assert.is(asked, 1)
})

test.run()
