import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import * as assert from 'uvu/assert'
import { type TestService, startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('requests to a server that is stopping')

const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A connection that is kept alive, and everything that it received. */
class Connection {
  received = ''
  readonly closed: Promise<unknown>

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text))
    this.closed = Promise.race([once(socket, 'close'), once(socket, 'error')])
  }

  static async open(here: TestService): Promise<Connection> {
    const socket = connect(portOf(here), '127.0.0.1')
    const connection = new Connection(socket)
    await once(socket, 'connect')
    socket.write(REQUEST)
    await once(socket, 'data')
    assert.match(connection.received, /^HTTP\/1\.1 200 /)
    assert.match(connection.received, /connection: keep-alive/i)
    connection.received = ''
    return connection
  }
}

const isLastResponse = (text: string): void => {
  assert.match(text, /^HTTP\/1\.1 200 /)
  assert.match(text, /connection: close/i)
}

test('a request that arrived before the server closes its idle connection is processed', async () => {
  const here = await startService()
  const idle = await Connection.open(here)
  // The system delivers it at once, and the server has not read it yet.
  idle.socket.write(REQUEST)
  const stopped = here.close()
  await idle.closed
  isLastResponse(idle.received)
  await stopped
})

test('a server that a process manager stops serves requests on idle connections for a while', async () => {
  const here = await startService()
  const [first, second] = [await Connection.open(here), await Connection.open(here)]
  const stopped = here.close(600_000)
  for (const one of [first, second]) {
    await untilRefused(here)
    one.socket.write(REQUEST)
    await one.closed
    isLastResponse(one.received)
  }
  // It waits for no time once all connections are closed.
  await stopped
})

test('requests on connections that the server has not accepted yet are processed', async () => {
  const here = await startService()
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const clients = new Worker(CLIENTS, { eval: true, workerData: { port: portOf(here), sent, request: REQUEST } })
  // The server's thread is busy while the system opens the connections and receives the requests.
  Atomics.wait(sent, 0, 0)
  const stopped = here.close()
  const [received] = await once(clients, 'message')
  assert.is(received.length, 3)
  for (const text of received) isLastResponse(text)
  await stopped
})

/** A thread that sends requests on three connections, reports that they are sent, and later what was received. */
const CLIENTS = `
  const { connect } = require('node:net')
  const { parentPort, workerData: { port, sent, request } } = require('node:worker_threads')
  let written = 0
  const all = Array.from({ length: 3 }, () => new Promise((done) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request, () => {
      if (++written < 3) return
      Atomics.store(sent, 0, 1)
      Atomics.notify(sent, 0)
    }))
    socket.on('error', (error) => done(error.message)).on('close', () => done(received))
    socket.on('data', (data) => (received += data))
  }))
  Promise.all(all).then((received) => parentPort.postMessage(received))
`

const portOf = ({ url }: TestService): number => Number(new URL(url).port)

/** Waits until the server accepts no connection. */
async function untilRefused(here: TestService): Promise<void> {
  const socket = connect(portOf(here), '127.0.0.1')
  const error = await new Promise<NodeJS.ErrnoException | null>((done) =>
    socket.on('error', done).on('connect', () => done(null)),
  )
  socket.destroy()
  if (error === null) return untilRefused(here)
  assert.match(String(error.code), /^ECONN(REFUSED|RESET)$/)
}

test.run()
