/** Serves the published sites to readers. They never share the origin of the API. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import Koa, { type Context } from 'koa'
import { isSafeInline } from '../content/files.js'
import type { App } from '../domain/context/app.js'
import type { VisitorFile } from '../domain/sites/visitor-file.js'
import type { Log } from '../kernel/log.js'
import type { MemoryBudget } from '../kernel/memory-budget.js'
import { required } from '../kernel/defined.js'
import { errorCode } from '../kernel/thrown.js'
import { loadAssets } from './assets.js'
import { HTML, type SiteRequest, type SiteResponse } from './exchange.js'
import { countSent } from './counting.js'
import { FEEDBACK } from './feedback-output.js'
import { findKept, handle } from './handle.js'
import { corsHeaders, MCP, type SiteMcp } from './mcp/output.js'
import { isPlainRead, KeptResponses } from './kept-responses.js'
import { failurePage } from './plain-page.js'
import { cacheControlFor, Prepared } from './prepared.js'
import { asksForHistory, MARKDOWN, pathOf, Requests } from './request.js'
import type { Reload } from './reload.js'
import { SUGGEST } from './suggest/output.js'

/** A finished request, for the access log. */
interface Served {
  requestId: string
  method: string
  path: string
  operation: string
  status: number
  started: number
  caller: null
  ip: string
}

/** A file as the HTTP server sends it. */
export interface SentFile {
  contentType: string
  size: number
  open: VisitorFile['read']
  streamed?: true
  etag: string
  fileName: string
  disposition: 'inline' | 'attachment'
  cacheControl: string
}

/** The parts of the server that the sites share with the API: limits, logs, and the responses to failures. */
export interface SitesOptions {
  app: App
  log: Log
  budget: MemoryBudget
  /** Number of trusted proxies in front of the server. */
  trustProxy: number
  /** Receives changes by other nodes. Absent = this process makes all changes. */
  learn?: (() => Promise<void>) | undefined
  requestId(req: IncomingMessage): string
  /** Counts a request from an address. Throws if there were too many. */
  count(ip: string): void
  record(served: Served): void
  /** Returns the status and headers for a failure, and whether its cause belongs in the log. */
  failureOf(
    thrown: unknown,
  ): Promise<{ status: number; headers: Readonly<Record<string, string>>; isUnforeseen: boolean }>
  /** Counts the memory of a response until it is read, and disconnects slow readers. Throws if too many wait. */
  hold(res: ServerResponse, ip: string, body: Buffer | Readable): void
  /** Sends a file, or a range of it. */
  sendFile(ctx: Context, file: SentFile): Promise<void>
  /** Reads a JSON body within the memory of all request bodies. Throws 400, 408, 413, 415, 429, 503. */
  readJson(exchange: Pick<Exchange, 'req' | 'res' | 'ip'>, limit: number): Promise<unknown>
  /** The MCP servers of the sites. */
  mcp: Pick<SiteMcp, 'version' | 'members' | 'origins'>
  /** Reloads open pages after changes, in a local preview. */
  reload?: Reload | undefined
}

/** The running sites. Pass `listener` to an HTTP server. */
export interface Sites {
  listener: (req: IncomingMessage, res: ServerResponse) => void
  /** Closes each connection after the response to its next request. */
  drain(): void
  /** Rejects every new request with 503. */
  stop(): void
}

/** The policies of files that are opened directly. Browsers show PDFs with a viewer that a sandbox would block. */
const FILE_POLICY = "default-src 'none'; img-src data:; media-src 'self'; style-src 'unsafe-inline'; sandbox"
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
/** Number of requests that a request for a page as it was, for its versions, or to a time gate counts as. */
const PAST_COST = 20
const METHODS = 'GET, HEAD, OPTIONS'
/** Parts of paths that are secret. */
const SECRETS = /\/~(share|preview|files)\/[^/]*/g

/** Creates the HTTP handler of the sites. */
export function createSites(options: SitesOptions): Sites {
  const server = new SiteServer(options)
  return {
    listener: server.listen,
    drain: () => void (server.draining = true),
    stop: () => void (server.stopping = true),
  }
}

/** A request in progress. */
class Exchange {
  readonly started = performance.now()

  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly ip: string,
    readonly requestId: string,
  ) {}
}

class SiteServer {
  draining = false
  stopping = false
  readonly #koa: Koa
  readonly #kept: KeptResponses
  readonly #assets = loadAssets()
  readonly #plainSheet = {
    path: `/~assets/${this.#assets.plain.name}`,
    prepared: new Prepared({ status: 200, ...this.#assets.plain, audience: 'immutable' }),
  }
  /** The requests that Koa answers. */
  readonly #arrived = new WeakMap<IncomingMessage, Exchange>()
  readonly #requests: Requests
  readonly #koaAnswer: (req: IncomingMessage, res: ServerResponse) => Promise<void>

  constructor(private readonly options: SitesOptions) {
    const { trustProxy, budget } = options
    this.#koa = new Koa({ proxy: trustProxy > 0, maxIpsCount: trustProxy })
    this.#koa.silent = true
    this.#koa.on('error', (error: unknown) => {
      // The response had already started, so the client receives a truncated one.
      if (!isDisconnect(error)) options.log.error({ error }, 'response failed')
    })
    this.#koa.use((ctx) => this.#answer(ctx))
    this.#koaAnswer = this.#koa.callback()
    this.#requests = new Requests(this.#koa, trustProxy)
    this.#kept = new KeptResponses(budget)
  }

  readonly listen = (req: IncomingMessage, res: ServerResponse): void => {
    if (this.draining) res.shouldKeepAlive = false
    const exchange = new Exchange(req, res, this.#requests.ipOf(req), this.options.requestId(req))
    if (this.options.reload?.answer(req, res, this.#assets.reload())) return
    // A page about a limit or a shutdown needs its style sheet.
    if (isPlainRead(req) && req.url?.endsWith(this.#plainSheet.path) && !req.url.includes('/~preview/')) {
      void this.#plainSheet.prepared.send(req, res, [])
      return
    }
    if (req.url === '/healthz') {
      res.writeHead(200, ['Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'no-store'])
      res.end('{"status":"ok"}')
      return
    }
    try {
      this.#serve(exchange)?.catch((error: unknown) => this.#broken(exchange, error))
    } catch (error) {
      this.#broken(exchange, error)
    }
  }

  #broken({ res, requestId }: Exchange, error: unknown): void {
    this.options.log.error({ error, requestId }, 'response failed')
    res.destroy()
  }

  /** Answers a request: with a cached response at once, if all that it depends on is in this process. */
  #serve(exchange: Exchange): Promise<void> | undefined {
    const { options } = this
    try {
      // A page as it was costs more than others, and this limit keeps crawlers from rendering the whole history.
      for (let cost = isInPast(exchange.req) ? PAST_COST : 1; cost > 0; cost--) options.count(exchange.ip)
    } catch (thrown) {
      return this.#failure(exchange, thrown)
    }
    if (this.stopping) return this.#fail(exchange, 503, { Connection: 'close', 'Retry-After': '5' })
    if (!options.learn) return this.#sendKept(exchange)
    return options.learn().then(
      () => (exchange.res.destroyed ? undefined : this.#sendKept(exchange)),
      (thrown: unknown) => this.#failure(exchange, thrown),
    )
  }

  /** Sends a cached response that is the same for everyone, or makes a response. */
  #sendKept(exchange: Exchange): Promise<void> | undefined {
    const { req } = exchange
    const asksForNewest = !req.headers.accept?.includes(MARKDOWN) && !asksForHistory(req)
    const mayBeKept = isPlainRead(req) && !this.options.reload && asksForNewest
    if (!mayBeKept) return this.#make(exchange)
    const path = pathOf(req)
    const kept = this.#kept.find(this.#requests.hostnameOf(req), path, '')
    return kept ? this.#send(exchange, kept, path) : this.#sendGated(exchange)
  }

  /** Sends a cached response for the reader's outcome of the gate, or makes a response. */
  async #sendGated(exchange: Exchange): Promise<void> {
    const request = this.#requestOf(exchange)
    const { hostname, path } = request
    try {
      const kept = await findKept(this.options.app, request, {
        ...this.#around(),
        kept: (outcome) => this.#kept.find(hostname, path, outcome),
      })
      if (kept && !exchange.res.destroyed) return this.#send(exchange, kept, path)
    } catch (thrown) {
      return this.#failure(exchange, thrown)
    }
    return this.#make(exchange)
  }

  #make(exchange: Exchange): Promise<void> {
    this.#arrived.set(exchange.req, exchange)
    return this.#koaAnswer(exchange.req, exchange.res)
  }

  async #answer(ctx: Context): Promise<void> {
    const exchange = required(this.#arrived.get(ctx.req))
    try {
      const isCall = ctx.method === 'POST' && ctx.path.endsWith(MCP)
      const isForm = ctx.method === 'POST' && (ctx.path.endsWith(FEEDBACK) || ctx.path.endsWith(SUGGEST))
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD' && !isForm && !isCall) {
        ctx.respond = false
        return this.#otherMethod(exchange)
      }
      const request = this.#requestOf(exchange)
      const { reload } = this.options
      const { hostname } = request
      const path = keptPath(request)
      const make = async (app: App) => {
        const made = await handle(app, request, {
          ...this.#around(),
          mcp: this.#mcpOf(exchange),
          kept: (outcome) => (reload ? null : this.#kept.find(hostname, path, outcome)),
        })
        return reload && !(made instanceof Prepared) ? reload.added(made) : made
      }
      const { app } = this.options
      // MCP calls are never cached, and do not wait for each other.
      const response = isCall ? await make(app) : await this.#kept.make(app, { hostname, path }, make)
      if (!(response instanceof Prepared) && response.file) return await this.#sendFile(ctx, exchange, response)
      if (!(response instanceof Prepared) && response.stream) return await this.#sendStream(ctx, exchange, response)
      ctx.respond = false
      await this.#send(exchange, response instanceof Prepared ? response : new Prepared(response), ctx.path)
    } catch (thrown) {
      ctx.respond = false
      await this.#failure(exchange, thrown)
    }
  }

  #around() {
    return { assets: this.#assets, now: this.options.app.clock.now() }
  }

  #requestOf(exchange: Exchange): SiteRequest {
    const { req, ip } = exchange
    return this.#requests.read(req, { ip, json: (limit) => this.options.readJson(exchange, limit) })
  }

  #send(exchange: Exchange, response: Prepared, path: string): Promise<void> | undefined {
    const { req, res, ip, requestId } = exchange
    try {
      this.options.hold(res, ip, response.body)
    } catch (thrown) {
      return this.#failure(exchange, thrown)
    }
    if (response.counted) countSent(this.options.app, response.counted, req, ip)
    const operation = path.includes('/~assets/') ? 'siteAsset' : path.endsWith(MCP) ? 'siteMcp' : 'sitePage'
    const sent = response.send(req, res, ['X-Request-Id', requestId])
    if (sent instanceof Promise) return sent.then((status) => this.#record(exchange, operation, status, path))
    this.#record(exchange, operation, sent, path)
    return undefined
  }

  /** Sends a text while it is generated, as fast as the client reads it. */
  async #sendStream(ctx: Context, exchange: Exchange, response: SiteResponse): Promise<void> {
    ctx.respond = false
    const { req, res, ip, requestId } = exchange
    const more = ['X-Request-Id', requestId]
    try {
      await new Prepared(response).stream(req, res, more, (text) => this.options.hold(res, ip, text))
    } catch (error) {
      if (!isDisconnect(error)) this.options.log.error({ error, requestId }, 'response failed')
      res.destroy()
    }
    this.#record(exchange, 'sitePage', response.status, ctx.path)
  }

  async #sendFile(ctx: Context, exchange: Exchange, { file, audience, headers }: SiteResponse): Promise<void> {
    const { name, size, oid, read, streamed, contentType } = file as VisitorFile
    const isVector = contentType === 'image/svg+xml'
    const inline = isVector || isSafeInline(contentType)
    ctx.set({
      ...headers,
      'X-Request-Id': exchange.requestId,
      'Content-Security-Policy': contentType === 'application/pdf' ? PDF_POLICY : FILE_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'strict-origin-when-cross-origin',
    })
    await this.options.sendFile(ctx, {
      contentType: inline ? contentType : 'application/octet-stream',
      size,
      open: read,
      ...(streamed ? { streamed } : {}),
      etag: oid,
      fileName: name,
      disposition: inline ? 'inline' : 'attachment',
      cacheControl: cacheControlFor(audience),
    })
    this.#record(exchange, 'siteFile', ctx.status, ctx.path)
  }

  async #otherMethod(exchange: Exchange): Promise<void> {
    if (exchange.req.method !== 'OPTIONS') return this.#fail(exchange, 405, { Allow: METHODS })
    const headers = ['Allow', METHODS, 'X-Request-Id', exchange.requestId]
    exchange.res.writeHead(204, [...headers, ...this.#preflightOf(exchange.req)]).end()
    this.#record(exchange, 'sitePage', 204, pathOf(exchange.req))
  }

  /** Returns the headers that let scripts of other origins call MCP servers, for the origins that the operator allows. */
  #preflightOf(req: IncomingMessage): string[] {
    const { origin = '' } = req.headers
    if (!pathOf(req).endsWith(MCP) || !this.options.mcp.origins.includes(origin)) return []
    const allowed = { ...corsHeaders(origin), 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Max-Age': '600' }
    return Object.entries({ ...allowed, 'Access-Control-Allow-Headers': CALL_HEADERS, Vary: 'Origin' }).flat()
  }

  #mcpOf({ req, requestId, ip }: Exchange): SiteMcp {
    const userAgent = req.headers['user-agent'] ?? ''
    return {
      ...this.options.mcp,
      count: () => this.options.count(ip),
      origin: { address: ip, requestId, ...(userAgent === '' ? {} : { userAgent }) },
      failed: async (error, tool) => {
        const { isUnforeseen } = await this.options.failureOf(error)
        if (isUnforeseen) this.options.log.error({ error, requestId, tool }, 'A tool of an MCP server has failed.')
        return unexpected(requestId)
      },
    }
  }

  async #failure(exchange: Exchange, thrown: unknown): Promise<void> {
    const { status, headers, isUnforeseen } = await this.options.failureOf(thrown)
    if (isUnforeseen)
      this.options.log.error({ error: thrown, requestId: exchange.requestId }, 'A page of a site could not be made.')
    return this.#fail(exchange, status, headers)
  }

  /** Sends the page of a failure. */
  async #fail(exchange: Exchange, status: number, headers: Readonly<Record<string, string>>): Promise<void> {
    const { req, res, requestId } = exchange
    if (res.headersSent || res.destroyed) return
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    // A reader cannot free the server's disk, so a read is 503. Only a write is 507.
    const shown = status === 507 && req.method !== 'POST' ? 503 : status
    const body = failurePage(shown, { locale: this.#requests.languageOf(req), assets: this.#assets })
    const page = new Prepared({ status: shown, type: HTML, body, audience: 'no one', headers })
    await page.send(req, res, ['X-Request-Id', requestId])
    this.#record(exchange, 'sitePage', shown, pathOf(req))
  }

  #record({ req, ip, requestId, started }: Exchange, operation: string, status: number, path: string): void {
    this.options.record({
      requestId,
      method: req.method ?? '',
      path: path.includes('/~') ? path.replace(SECRETS, '/~$1/…') : path,
      operation,
      status,
      started,
      caller: null,
      ip,
    })
  }
}

const isInPast = ({ url = '', headers }: IncomingMessage): boolean =>
  headers['accept-datetime'] !== undefined || /\/~\/(?:at|versions|timemap)\b/.test(url)

/** Whether a response ended early because its client disconnected, which is not a failure. */
const isDisconnect = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(String(errorCode(error)))

/** Returns the path under which a response is cached. */
const keptPath = ({ path, prefersMarkdown, since, datetime }: SiteRequest): string =>
  [path, ...(prefersMarkdown ? [MARKDOWN] : []), ...(since === null && datetime === '' ? [] : [since, datetime])].join(
    '\n',
  )

const CALL_HEADERS = 'Authorization, Content-Type, Accept, Mcp-Protocol-Version, X-Share-Key'

/** The result of a tool that has failed unexpectedly. */
const unexpected = (requestId: string): string =>
  `The server could not do this. Try again in a minute. Its operator finds the cause in the log under ${requestId}.`
