/** Serves the published sites of an app through an HTTP server of their own. */
import { createHttpServer } from '../api/pipeline/http-server.js'
import type { Config } from '../config.js'
import type { App } from '../domain/context/app.js'
import type { Log } from '../kernel/log.js'
import { createSites } from '../site/serve.js'
import { listen, stopServer, urlOf } from './serve-api.js'

/** The running sites. */
interface RunningSites {
  /** The URL of their server: `http://127.0.0.1:3001`. */
  url: string
  /** Accepts no more connections, and waits for running requests. */
  stop(): Promise<void>
}

/** Starts serving sites on the configured address and port. */
export async function serveSites(app: App, config: Config, log: Log): Promise<RunningSites> {
  const sites = createSites({ app, log, trustProxy: config.trustProxy })
  const server = createHttpServer(
    { listener: sites.listener, clientError: (_error, socket) => void socket.destroy() },
    {
      maxConnections: config.maxConnections,
      maxConnectionsPerAddress: config.maxConnectionsPerAddress,
      requestMs: config.requestSeconds * 1000,
      trustProxy: config.trustProxy,
    },
  )
  await listen(server, { host: config.host, port: config.sitesPort }, 'BINDERY_SITES_PORT')
  return { url: urlOf(server, config), stop: () => stopServer(server) }
}
