/** Serves the published sites of an app through a separate HTTP server. */
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { accessLog, loggedPath } from '../api/pipeline/access-log.js'
import { readCountedJson } from '../api/pipeline/body.js'
import { BODIES, ByteBudget, FREE_BYTES } from '../api/pipeline/byte-budget.js'
import { errorResponse } from '../api/pipeline/error-response.js'
import { respondFile } from '../api/pipeline/file-response.js'
import { createHttpServer } from '../api/pipeline/http-server.js'
import type { Metrics } from '../api/pipeline/metrics.js'
import { networkOf } from '../kernel/network-of.js'
import { discardRest } from '../api/pipeline/observe.js'
import { oneAtATime } from '../api/pipeline/one-at-a-time.js'
import { rateLimit } from '../api/pipeline/rate-limit.js'
import { requestId } from '../api/pipeline/request-state.js'
import { ResponseMemory, RESPONSES } from '../api/pipeline/response-hold.js'
import type { Config } from '../config.js'
import type { FolderWatch } from '../disk/folder-watch.js'
import type { App } from '../domain/context/app.js'
import { storeCounts } from '../domain/health/record.js'
import type { Log } from '../kernel/log.js'
import type { MemoryBudget } from '../kernel/memory-budget.js'
import type { Reload } from '../site/reload.js'
import { createSites, type Sites } from '../site/serve.js'
import { drainThenStop, listen, urlOf } from './listen.js'
import { membersOf } from './members.js'
import type { Node } from './open-node.js'
import { operatorFailures } from './operator-failures.js'

/** Interval at which counts of readers are stored, in milliseconds. A crash loses those since then. */
const STORE_COUNTS_MS = 60_000

/** The running sites. */
interface RunningSites {
  /** The URL of their server: `http://127.0.0.1:3001`. */
  url: string
  /** Accepts no more connections, and waits for running requests. */
  stop(idleMs?: number): Promise<void>
}

/** The parts of the service that the sites share with the API. */
interface Surroundings {
  log: Log
  folders: FolderWatch
  budget: MemoryBudget
  /** The resources shared with other nodes; null = none. */
  node: Node | null
  metrics: Metrics
  /** Reloads open pages after changes, in a local preview. */
  reload: Reload | undefined
}

/** Starts serving sites on the configured address and port. */
export async function serveSites(app: App, config: Config, around: Surroundings): Promise<RunningSites> {
  const sites = sitesOf(app, config, around)
  const server = createHttpServer(
    { listener: oneAtATime(sites.listener), clientError },
    {
      maxConnections: config.maxConnections,
      maxConnectionsPerAddress: config.maxConnectionsPerAddress,
      requestMs: config.requestSeconds * 1000,
      trustProxy: config.trustProxy,
    },
  )
  await listen(server, { host: config.host, port: config.sitesPort }, 'BINDERY_SITES_PORT')
  const store = (all: boolean) =>
    storeCounts(app, { all }).catch((error: unknown) =>
      app.log.warn({ err: error }, 'The counts of readers of the last minute could not be stored.'),
    )
  const timer = setInterval(() => void store(false), STORE_COUNTS_MS).unref()
  return {
    url: urlOf(server, config),
    stop: async (idleMs) => {
      clearInterval(timer)
      await drainThenStop(server, sites, idleMs)
      await store(true)
    },
  }
}

function sitesOf(app: App, config: Config, around: Surroundings): Sites {
  const { log, folders, budget, node, metrics, reload } = around
  const limit = rateLimit('address', config.ratePerAddress)
  const tokenLimit = rateLimit('token', config.ratePerToken)
  const responses = new ByteBudget(config.responsesLimitBytes, RESPONSES)
  const explain = operatorFailures(folders)
  const bodies = new ByteBudget(config.bodiesLimitBytes, BODIES)
  const record = accessLog(log, metrics)
  return createSites({
    app,
    log,
    budget,
    reload,
    trustProxy: config.trustProxy,
    learn: node ? () => node.news.ask() : undefined,
    requestId,
    count: (ip) => void limit?.take(networkOf(ip)),
    record: (served) => record({ ...served, path: loggedPath(served.path) }),
    failureOf: async (thrown) => {
      const explained = await explain(thrown)
      const { status, headers, unforeseen } = errorResponse(explained)
      // The reader gets a short explanation, so the details are logged for the operator.
      return { status, headers, isUnforeseen: unforeseen || explained !== thrown }
    },
    hold: (res, ip, body) => {
      if (Buffer.isBuffer(body) && body.length <= FREE_BYTES) return
      new ResponseMemory(res, () => responses.share(networkOf(ip))).track(body)
    },
    readJson: (exchange, limit) =>
      readCountedJson(exchange, limit, bodies.share(networkOf(exchange.ip))).catch((error: unknown) => {
        discardRest(exchange.req)
        throw error
      }),
    mcp: {
      version: app.settings.version,
      members: membersOf({ app, explain, count: (token) => void tokenLimit?.count(token) }),
      // Scripts of other sites cannot read sites in a private network unless the operator allows their origin.
      origins: config.corsOrigins.filter((origin) => origin !== '*'),
    },
    sendFile: async (ctx, file) => {
      const memory = new ResponseMemory(ctx.res, () => responses.share(networkOf(ctx.ip)))
      await respondFile(ctx, file, memory)
      if (ctx.method !== 'HEAD') memory.track(ctx.body)
    },
  })
}

/** Responds to requests that Node cannot parse as HTTP. */
function clientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
}
