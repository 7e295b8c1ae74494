// Opens the HTTP server, with limits on what a connection may send and how long it may take.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Api } from './create-api.js'
import { networkOf } from './network-of.js'

/** What an HTTP server lets in. */
export interface ServerLimits {
  /** Open connections in all. */
  maxConnections: number
  /** Open connections of one address; not counted if proxies are in front, since all come from them. */
  maxConnectionsPerAddress: number
  /** Longest time from the first byte of a request to its last, in milliseconds. */
  requestMs: number
  trustProxy: number
}

/** Bytes of a request's first line and headers together: the URL and its query are in them. */
const HEADER_BYTES = 16 * 1024
const HEADER_MS = 15_000
/** How long a connection may say nothing after a response. */
const KEEP_ALIVE_MS = 10_000
/** A connection on which nothing moves, whatever it waits for: a reader who does not take the response. */
const SILENT_MS = 300_000
/** How often Node looks for requests that are over time. */
const LOOK_MS = 5_000

/** The HTTP server of an API, with every connection and request bounded in number, size and time. */
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
  server.on('request', api.listener)
  // The body is asked for when somebody reads it, not before.
  server.on('checkContinue', api.listener)
  server.on('checkExpectation', (_req: IncomingMessage, res) => res.writeHead(417, { 'Content-Length': 0 }).end())
  server.on('clientError', api.clientError)
  return server
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
