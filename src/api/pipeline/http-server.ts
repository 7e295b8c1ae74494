// Creates the HTTP server, with limits on the size, duration and number of connections and requests.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { currentTracing } from '../../kernel/traces.js'
import type { Api } from './create-api.js'
import { networkOf } from '../../kernel/network-of.js'

/** Limits of an HTTP server. */
export interface ServerLimits {
  /** Maximum number of open connections. */
  maxConnections: number
  /**
   * Maximum number of open connections per address. Not applied behind proxies, because all connections come from them.
   */
  maxConnectionsPerAddress: number
  /** Maximum duration from the first byte of a request to its last, in milliseconds. */
  requestMs: number
  trustProxy: number
}

/** Maximum size of a request's first line (with URL and query) and headers together, in bytes. */
const HEADER_BYTES = 16 * 1024
const HEADER_MS = 15_000
/** Maximum idle time of a connection after a response, in milliseconds. */
const KEEP_ALIVE_MS = 10_000
/**
 * Maximum time without traffic on a connection, in milliseconds. It also ends connections of clients that do not read
 * the response.
 */
const SILENT_MS = 300_000
/** The code with which Node reports a target that it cannot read itself. */
const BAD_TARGET = 'HPE_INVALID_URL'
/** Interval at which Node checks for expired requests, in milliseconds. */
const LOOK_MS = 5_000

/** Creates the HTTP server of an API. Every connection and request is limited in number, size and time. */
export function createHttpServer(api: Pick<Api, 'listener' | 'clientError'>, limits: ServerLimits): Server {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: Math.min(HEADER_MS, limits.requestMs),
    requestTimeout: limits.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: LOOK_MS,
  })
  server.maxConnections = limits.maxConnections
  server.timeout = SILENT_MS
  if (limits.trustProxy === 0) server.on('connection', connectionsPerAddress(limits.maxConnectionsPerAddress))
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    if (hasPath(req)) traced(req, res, () => api.listener(req, res))
    else
      api.clientError(
        Object.assign(new Error('The target of the request is not a path.'), { code: BAD_TARGET }),
        req.socket,
      )
  }
  server.on('request', listener)
  // `100 Continue` is sent when a handler reads the body, not earlier.
  server.on('checkContinue', listener)
  server.on('checkExpectation', (_req: IncomingMessage, res) => res.writeHead(417, { 'Content-Length': 0 }).end())
  server.on('clientError', api.clientError)
  return server
}

/** Handles a request in a span that ends with its response. */
function traced({ headers }: IncomingMessage, res: ServerResponse, handle: () => void): void {
  const tracing = currentTracing()
  if (tracing === null) handle()
  else tracing.request(headers, (end) => res.once('close', end), handle)
}

/**
 * Whether the target of a request is a path. The target may be a whole address, whose host name then replaces the `Host`
 * header (RFC 9112, 3.2.2), so that a proxy and the server read the same host name.
 */
function hasPath(req: IncomingMessage): boolean {
  const { url = '', method } = req
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return true
  const [, host, path = ''] = /^https?:\/\/([^/\\?#@]+)((?:[/?].*)?)$/is.exec(url) ?? []
  if (host === undefined || !URL.canParse(url)) return false
  req.headers.host = host
  req.url = path.startsWith('/') ? path : `/${path}`
  return true
}

function connectionsPerAddress(most: number): (socket: Socket) => void {
  const open = new Map<string, number>()
  return (socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    const count = (open.get(network) ?? 0) + 1
    if (count > most) {
      socket.destroy()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
  }
}
