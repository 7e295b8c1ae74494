/** Serves the published sites of an app through an HTTP server of their own. */
import type { AddressInfo } from 'node:net'
import { createHttpServer } from '../api/pipeline/http-server.js'
import type { Config } from '../config.js'
import type { App } from '../domain/context/app.js'
import type { Log } from '../kernel/log.js'
import type { Reload } from '../site/reload.js'
import { createSites } from '../site/serve.js'
import { listen, stopServer } from './serve-api.js'

/** The running sites. */
interface RunningSites {
  /** The URL of their server: `http://127.0.0.1:3001`. */
  url: string
  /** Accepts no more connections, and waits for running requests. */
  stop(): Promise<void>
}

/** Starts serving sites on the configured address and port. */
export async function serveSites(app: App, config: Config, log: Log, reload?: Reload): Promise<RunningSites> {
  const sites = createSites({ app, log, trustProxy: config.trustProxy, reload })
  const server = createHttpServer(
    { listener: sites.listener, clientError: (_error, socket) => void socket.destroy() },
    {
      maxConnections: config.maxConnections,
      maxConnectionsPerAddress: config.maxConnectionsPerAddress,
      requestMs: config.requestSeconds * 1000,
      trustProxy: config.trustProxy,
    },
  )
  await listen(server, { host: config.host, port: config.sitesPort })
  const { port } = server.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return { url: `http://${host}:${port}`, stop: () => stopServer(server) }
}
