import { connect, type Socket } from 'node:net'
import { openRaw } from './raw-http.js'
import * as assert from 'uvu/assert'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'

const MIB = 1024 * 1024
let large: string
const [test, here] = await suiteWith('bounds on unread responses', () =>
  startService({ env: { BINDERY_RESPONSES_LIMIT_BYTES: String(32 * MIB), BINDERY_CHECK_RESPONSES: 'false' } }),
)
test.before(async () => {
  const { admin, organization } = here
  const path = `/v1/spaces/${(await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Large' }).expect(201)).body.id}`
  const changes = [
    {
      operation: 'insert_files',
      files: [{ name: 'large.bin', base64: Buffer.alloc(6 * MIB, 'x').toString('base64') }],
    },
    { operation: 'insert_page', title: 'Large', document: { markdown: '![A file](.gitbook/assets/large.bin)\n' } },
  ]
  await admin.call('post', `${path}/content`, { changes }).expect(200)
  const files = (await admin.call('get', `${path}/content/files`).expect(200)).body.items
  const url = new URL(files[0].downloadURL)
  large = url.pathname + url.search
})

const ask = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: test\r\n${headers}\r\n`

/** A connection that sends requests and reads nothing. */
function taker(text: string): Socket {
  const { hostname, port } = new URL(here.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.pause()
  socket.write(text)
  return socket
}

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 300) throw new Error('it never came')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

test('large responses beyond the limit for slow readers are rejected, and others are served', async () => {
  const path = large
  const headers = `Authorization: Bearer ${here.admin.token}\r\n`
  const open = Array.from({ length: 16 }, () => taker(ask(path, headers)))
  const refused = () => fetch(here.url + path, { headers: { Authorization: `Bearer ${here.admin.token}` } })
  await until(async () => {
    const response = await refused()
    await response.arrayBuffer()
    if (response.status === 200) return false
    assert.ok([429, 503].includes(response.status), String(response.status))
    assert.is(response.headers.get('retry-after'), '5')
    assert.is(response.headers.get('cache-control'), 'private, no-cache')
    return true
  })
  await here.admin.call('get', `/v1/orgs/${here.organization}`).expect(200)
  for (const socket of open) socket.destroy()
  await until(async () => (await refused()).status === 200)
})

test('a client that pipelines too many requests is disconnected', async () => {
  const ahead = await openRaw(here.url)
  ahead.send(ask('/v1').repeat(12) + ask('/v1', 'Connection: close\r\n'))
  assert.is((await ahead.received()).match(/HTTP\/1\.1 200/g)?.length, 13)
  const far = await openRaw(here.url)
  far.send(ask('/v1/openapi.json', 'Accept-Encoding: gzip\r\n').repeat(500))
  const responses = (await far.received()).match(/HTTP\/1\.1 200/g)?.length ?? 0
  assert.ok(responses <= 17, `${responses} responses`)
  await here.admin.call('get', '/v1/user').expect(200)
})

test('a file is not read for HEAD, nor for a client that already has it', async () => {
  const head = await fetch(here.url + large, { method: 'HEAD' })
  assert.equal([head.status, head.headers.get('content-length')], [200, String(6 * MIB)])
  const part = await fetch(here.url + large, { headers: { Range: 'bytes=1-4' } })
  assert.equal([part.status, await part.text()], [206, 'xxxx'])
  const again = await fetch(here.url + large, { headers: { 'If-None-Match': part.headers.get('etag') ?? '' } })
  assert.is(again.status, 304)
})

test.run()
