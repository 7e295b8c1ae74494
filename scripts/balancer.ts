import { createServer, connect, type Socket } from 'node:net'

// A load balancer for scripts/cluster: connections go to the servers in turn, and to the next server if one refuses. It
// does not inspect the data. A balancer of a real installation also checks /readyz (docs/administration.md).

/** Maximum wait for a server to accept a connection, in milliseconds. */
const CONNECT_MS = 1_000

interface Balancer {
  url: string
  close(): Promise<void>
}

/** Listens on a port of this machine; 0 selects a free port. */
export async function startBalancer(
  port: number,
  servers: readonly { host: string; port: number }[],
): Promise<Balancer> {
  let turn = 0
  // Size limit: open connections
  const open = new Set<Socket>()
  const track = (socket: Socket): Socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    return socket
  }
  const server = createServer({ pauseOnConnect: true }, (client) => {
    track(client).on('error', () => client.destroy())
    const first = turn++
    const attempt = (n: number): void => {
      const place = servers[(first + n) % servers.length]
      if (!place || n === servers.length) return void client.destroy()
      const upstream = track(connect({ ...place, timeout: CONNECT_MS }))
      // Nothing was sent yet, so the next server can take the connection.
      const next = (): void => {
        upstream.destroy()
        attempt(n + 1)
      }
      upstream.once('error', next).once('timeout', next)
      upstream.once('connect', () => {
        upstream.off('error', next).off('timeout', next).setTimeout(0)
        upstream.on('error', () => client.destroy())
        client.once('close', () => upstream.destroy())
        upstream.once('close', () => client.destroy())
        client.pipe(upstream)
        upstream.pipe(client)
      })
    }
    attempt(0)
  })
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done))
  const address = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = new Promise((done) => server.close(done))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
