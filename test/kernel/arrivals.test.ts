// Requests that arrive together share reads. One that may have arrived later never uses an earlier read.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { oneAtATime } from '../../src/api/pipeline/one-at-a-time.js'
import { arrivals } from '../../src/kernel/arrivals.js'
import { suite } from '../support/suite.js'

const test = suite('arrivals')
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Serves the number of the batch of each request, and returns connections to the server. */
async function served(connections: number): Promise<{ sockets: Socket[]; seen: number[]; close(): void }> {
  const seen: number[] = []
  const server = createServer(
    oneAtATime((_req, res) => {
      seen.push(arrivals.version)
      res.end()
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1').resume())
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return {
    sockets,
    seen,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Waits until the server has seen this number of requests. */
async function until(seen: readonly number[], count: number): Promise<void> {
  while (seen.length < count) await setImmediate()
}

test('a batch lasts until the event loop receives further events', async () => {
  const first = arrivals.version
  await Promise.resolve()
  assert.is(arrivals.version, first)
  await setImmediate()
  await setImmediate()
  assert.ok(arrivals.version > first)
})

test('a request that is sent after a response is in a later batch', async () => {
  const { sockets, seen, close } = await served(20)
  try {
    let newest = arrivals.version
    for (let round = 1; round <= 10; round++) {
      const before = seen.length
      for (const socket of sockets) socket.write(REQUEST)
      await until(seen, round * sockets.length)
      const now = seen.slice(before)
      assert.ok(Math.min(...now) > newest)
      newest = Math.max(...now)
    }
    // Otherwise, nothing is shared.
    assert.ok(new Set(seen).size < seen.length)
  } finally {
    close()
  }
})

test('each request that one client sends ahead is in another batch', async () => {
  const { sockets, seen, close } = await served(1)
  try {
    sockets[0]?.write(REQUEST.repeat(8))
    await until(seen, 8)
    assert.is(new Set(seen).size, 8)
    assert.equal(
      seen,
      [...seen].sort((a, b) => a - b),
    )
  } finally {
    close()
  }
})

test.run()
