/** Starts and stops the HTTP servers of the service. */
import type { Server } from 'node:http'
import { type AddressInfo, Server as TcpServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Config } from '../config.js'

/**
 * Time during which a stopping service serves requests on open connections, in milliseconds. A proxy may send some
 * before it notices the stop.
 */
const DRAIN_MS = 5_000
/** Maximum wait for running requests when the service stops, in milliseconds. */
const GRACE_MS = 30_000

/** The server cannot use its address. The message contains the setting. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is used by another process. Stop it, or choose another port with',
  EACCES: 'needs more permissions. Choose a port from 1024 with',
}

/**
 * Maximum number of connections that wait until the server accepts them. The system may allow fewer. With the
 * default of 511, further clients resend their first packet after a second or more, and then give up.
 */
const BACKLOG = 4_096

/**
 * Resolves when the server listens. Throws `CannotListen`.
 * @param setting that sets the port
 */
export async function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>, setting: string) {
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen({ port, host, backlog: BACKLOG }, done)
  }).catch((error: NodeJS.ErrnoException) => {
    const reason = REASONS[error.code ?? ''] ?? `cannot be used (${error.code}). Check BINDERY_HOST and`
    throw new CannotListen(`${host}:${port} ${reason} ${setting}.`, { cause: error })
  })
}

/** Returns the URL of a listening server for programs on this machine. */
export function urlOf(server: Server, { host }: Pick<Config, 'host'>): string {
  const { port } = server.address() as AddressInfo
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}`
}

/**
 * Stops a server. For a while it still serves requests on open connections.
 * @param idleMs how long connections without a request stay open
 */
export async function drainThenStop(
  server: Server,
  service: { drain(): void; stop(): void },
  idleMs = 0,
): Promise<void> {
  service.drain()
  const refusing = setTimeout(() => service.stop(), DRAIN_MS)
  await stopServer(server, idleMs)
  clearTimeout(refusing)
}

/**
 * Accepts no more connections, and waits at most half a minute for running requests. A client may send a request just
 * before it learns that its connection is closed, and then does not know whether it was processed. So everything that
 * has arrived is processed first.
 */
export async function stopServer(server: Server, idleMs = 0): Promise<void> {
  await acceptWaiting(server)
  await new Promise<void>((done) => {
    const forcing = setTimeout(() => server.closeAllConnections(), GRACE_MS)
    // `server.close` also closes idle connections. An immediate of a timer runs after all connections were read.
    const closing = setTimeout(() => setImmediate(() => server.close()), idleMs)
    TcpServer.prototype.close.call(server, () => {
      clearTimeout(forcing)
      clearTimeout(closing)
      server.close()
      done()
    })
  })
}

/** Accepts the connections that the system has already opened. It resets them when the server is closed. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0
  const count = (): void => void accepted++
  server.on('connection', count)
  // A turn may accept one connection, and the first one may end before that.
  for (let quiet = 0, before = 0; quiet < 2 && accepted < BACKLOG; before = accepted) {
    await nextTurn()
    quiet = accepted === before ? quiet + 1 : 0
  }
  server.off('connection', count)
}
