import { connect } from 'node:net'
import { getPriority as nice } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { Clone, newSpace } from './fixture.js'
import {
  basic,
  FLUSH,
  idOf,
  packOf,
  pkt,
  plain,
  refDelta,
  send,
  serving,
  servingProcesses,
  varint,
  ZERO,
} from './raw.js'

const [test, here] = await suiteWith('packs that expand', startService)

const MIB = 1024 * 1024
const space = await newSpace(here)
const writer = await here.caller('edit')
const clone = await Clone.of(here, space, writer)
const head = await clone.git('rev-parse', 'HEAD')

/** A delta that copies the base several times and adds a few bytes that make it unique. */
function repeated(base: Buffer, times: number, name: string): Buffer {
  const copies: Buffer[] = []
  for (let n = 0; n < times; n++) {
    for (let at = 0; at < base.length; ) {
      const length = Math.min(base.length - at, 0xffffff)
      copies.push(
        Buffer.from([
          0xff,
          at & 255,
          (at >> 8) & 255,
          (at >> 16) & 255,
          (at >> 24) & 255,
          length & 255,
          (length >> 8) & 255,
          (length >> 16) & 255,
        ]),
      )
      at += length
    }
  }
  return Buffer.concat([
    varint(base.length),
    varint(base.length * times + name.length),
    ...copies,
    Buffer.from([name.length]),
    Buffer.from(name),
  ])
}

/** A push of less than 50 KB whose deltas make this many files of 64 MiB each. */
function bombOf(files: number): Buffer {
  const base = Buffer.alloc(16 * MIB)
  const name = idOf('blob', base)
  const deltas = Array.from({ length: files }, (_, n) => refDelta(name, repeated(base, 4, String(n))))
  const command = pkt(`${ZERO} ${head} refs/for/main/bomb\0 report-status-v2 side-band-64k object-format=sha1`)
  return Buffer.concat([command, FLUSH, packOf([plain('blob', base), ...deltas])])
}

const path = `/git/${space}.git/git-receive-pack`
const headers = { 'Content-Type': 'application/x-git-receive-pack-request', Authorization: basic('git', writer.token) }
const indexing = (): boolean => serving().some((line) => line.includes('index-pack'))

test('a small pack that expands to gigabytes is rejected, and the next push is accepted', async () => {
  const body = bombOf(140)
  assert.ok(body.length < 50_000, `${body.length} bytes`)
  const { status, text } = await send(here.url + path, { headers, body })
  assert.is(status, 200)
  assert.match(text, /unpack Git needs more than 11 s of processor time to unpack the data/)
  assert.match(text, 'ng refs/for/main/bomb')
  assert.equal(serving(), [])
  await clone.commit({ 'start.md': '# Start\n\nAfter it.\n' })
  const seen = await clone.see('push', 'origin', 'HEAD:refs/for/main')
  assert.is(seen.code, 0, seen.text)
})

test('a delta that expands to an oversized file uses no memory for it', async () => {
  const base = Buffer.alloc(16 * MIB)
  const command = pkt(`${ZERO} ${head} refs/for/main/large\0 report-status-v2 side-band-64k object-format=sha1`)
  const pack = packOf([plain('blob', base), refDelta(idOf('blob', base), repeated(base, 64, 'x'))])
  const { text } = await send(here.url + path, { headers, body: Buffer.concat([command, FLUSH, pack]) })
  assert.match(text, /unpack An object in your push is too large. A file may have at most 104857600 bytes/)
})

test('the process of a push ends with its connection and has a low priority', async () => {
  const body = bombOf(140)
  const { hostname, port } = new URL(here.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: test',
    `Content-Length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  socket.write(body)
  while (!indexing()) await wait(10)
  const own = nice()
  const process = (): number | undefined => servingProcesses().find(({ line }) => line.startsWith('git'))?.nice
  while (process() === undefined || process() === own) await wait(10)
  assert.is(process(), own + 10)
  socket.destroy()
  while (indexing()) await wait(10)
  const { body: found } = await here.admin.call('get', `/v1/spaces/${space}/change-requests?status=open`).expect(200)
  assert.not.ok(found.items.some(({ subject }: { subject: string }) => subject === 'bomb'))
})

test.run()
