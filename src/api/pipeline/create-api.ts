/** Creates the HTTP handler of the API: one Koa application, and cached responses that are served without it. */
import { errorCode } from '../../kernel/thrown.js'
import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import Koa, { type Context, type Middleware } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import { Recording } from '../../kernel/recording.js'
import type { Endpoints } from '../declaration.js'
import { openApiDocument } from '../openapi.js'
import { docsPages } from '../pages/docs.js'
import { framePages } from '../pages/frame.js'
import { healthPages } from '../pages/health.js'
import { deskPages } from '../pages/desk.js'
import { metricsPage } from '../pages/metrics.js'
import { serviceEndpoints } from '../service/endpoints.js'
import { BODIES, ByteBudget } from './byte-budget.js'
import { type CompiledEndpoint, compileEndpoint } from './compiled-endpoint.js'
import { serveMount } from './mount.js'
import { networkOf } from '../../kernel/network-of.js'
import { observe } from './observe.js'
import { oneAtATime } from './one-at-a-time.js'
import type { ApiOptions } from './options.js'
import { accessLog } from './access-log.js'
import { ResponseCache } from './response-cache.js'
import { type Page, servePage } from './page.js'
import { acceptSession, REFUSED } from './session-cookie.js'
import { type RateLimit, rateLimit } from './rate-limit.js'
import type { RequestState } from './request-state.js'
import { EXPOSED, securityHeaders } from './response-headers.js'
import { RESPONSES } from './response-hold.js'
import { methodNotAllowed, Routes } from './routes.js'
import { endpointRunner } from './run-endpoint.js'
import { SchemaCompiler } from './schemas.js'
import cors from '@koa/cors'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const PREFLIGHT_SECONDS = 600

/**
 * Lets scripts from the given origins call the API (`*` = all). A browser's session is valid only for pages of the
 * same origin, so other pages have only the rights of their token.
 * Requests without `Origin` pass unchanged.
 */
function crossOrigin(origins: readonly string[]): Middleware {
  const all = origins.includes('*')
  const allowed = new Set(origins)
  const apply = cors({
    // The library reads '' as "not allowed".
    origin: (ctx) => (all ? '*' : allowed.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: METHODS,
    exposeHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
    keepHeadersOnError: false,
  })
  return (ctx, next) => (ctx.req.headers.origin === undefined ? next() : apply(ctx, next))
}

/** A running API. Pass `listener` to an HTTP server, and `clientError` to its `clientError` event. */
export interface Api {
  listener: (req: IncomingMessage, res: ServerResponse) => void
  clientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** All operations, including the API's own. */
  endpoints: Endpoints
  /** The active rate limits. */
  limits: readonly RateLimit[]
  /** Marks the service as not ready. Each connection closes after the response to its next request. */
  drain: () => void
  /** Rejects every new request with 503. Running requests continue. */
  stop: () => void
}

const FIXED_HEADERS = [
  ['Cache-Control', 'private, no-cache'],
  ['Vary', 'Authorization, Cookie, Origin, Accept-Encoding'],
] as const

/** Services in one process with the same declarations share the compiled schemas. */
const compilers = new WeakMap<Endpoints, SchemaCompiler>()

function compilerFor(endpoints: Endpoints, isVerified = false): SchemaCompiler {
  const compiler = compilers.get(endpoints) ?? new SchemaCompiler(isVerified)
  compilers.set(endpoints, compiler)
  return compiler
}

/** Compiles the declarations into an HTTP listener. Throws if a declaration is invalid. */
export async function createApi<App, Actor extends object>(given: ApiOptions<App, Actor>): Promise<Api> {
  const options = given as unknown as ApiOptions<unknown, object>
  const { config } = options
  let made: object | undefined
  const document = (): object =>
    (made ??= openApiDocument({ endpoints, resolvers: options.resolvers, config, about: options.about }))
  const endpoints: Endpoints = { ...options.endpoints, ...serviceEndpoints(config, document) }
  // The first start builds the document, so that contradictory declarations stop it. Later services in the process
  // build it on demand.
  if (!options.isVerified && !compilers.has(options.endpoints)) document()
  const compiler = compilerFor(options.endpoints, options.isVerified)
  const compiled = Object.entries(endpoints).map(([name, one]) =>
    compileEndpoint(name, one, options.resolvers, compiler),
  )

  let draining = false
  let stopping = false
  const pages: Page[] = [
    ...healthPages(options, () => draining || stopping),
    metricsPage(options.metrics, config),
    ...docsPages(),
    ...framePages(),
  ]
  const desk = deskPages(options.sample ?? (async () => null), options.sites ?? (() => "'none'"))
  const koa = new Koa({ proxy: config.trustProxy > 0, maxIpsCount: config.trustProxy })
  koa.silent = true
  koa.on('error', (error: unknown, ctx?: Context) => {
    // The response had already started, so the client receives a truncated one. A client that disconnected is not a failure.
    const code = errorCode(error)
    if (code !== 'ECONNRESET' && code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE')
      options.log.error({ requestId: ctx?.state?.id, error }, 'response failed')
  })
  const limits = {
    byToken: rateLimit('token', config.rateLimit.perToken),
    byAddress: rateLimit('address', config.rateLimit.perAddress),
  }
  const responses = new ByteBudget(config.responsesLimitBytes, RESPONSES)
  const cache = createResponseCache(options, koa, limits, responses)
  const headers = [...(await securityHeaders(config.publicUrl)), ...FIXED_HEADERS]
  koa.use(observe({ options, headers, responses, keep: (ctx, state) => cache?.storeWhenSent(ctx, state) }))
  koa.use(crossOrigin(config.corsOrigins))
  koa.use(dispatcher(options, new Routes(compiled), { pages, desk, limits, stopping: () => stopping }))
  const make = koa.callback()
  const listener = oneAtATime((req, res) => {
    if (draining) res.shouldKeepAlive = false
    acceptSession(req, config.baseUrl())
    if (stopping || !cache) void make(req, res)
    else cache.serve(req, res, () => void make(req, res))
  })
  const counted = [limits.byToken, limits.byAddress].filter((limit) => limit !== null)
  return {
    listener,
    clientError,
    endpoints,
    limits: counted,
    drain: () => void (draining = true),
    stop: () => void (stopping = true),
  }
}

interface Limits {
  byToken: RateLimit | null
  byAddress: RateLimit | null
}

/** Creates the cache of responses that are sent without Koa. Returns null if response caching is off. */
function createResponseCache(
  { app, byteCache, config, responseCache, log, metrics }: ApiOptions<unknown, object>,
  koa: Koa,
  limits: Limits,
  responses: ByteBudget,
): ResponseCache | null {
  if (!responseCache) return null
  // Koa finds the client's address behind proxies. This needs no context.
  const behindProxies = (req: IncomingMessage): string =>
    Object.assign(Object.create(koa.request), { app: koa, req }).ip
  const ipOf = config.trustProxy > 0 ? behindProxies : (req: IncomingMessage) => req.socket.remoteAddress ?? ''
  const cache = new ResponseCache({
    ...responseCache,
    app,
    bytes: byteCache,
    baseUrl: config.baseUrl,
    limits,
    responses,
    ipOf,
    record: accessLog(log, metrics),
    failed: (error) => log.error({ error }, 'response failed'),
  })
  metrics.counter(
    'bindery_http_kept_responses_total',
    'Responses sent from the response cache, because none of the data they depend on had changed, except possibly the head of main',
    () => cache.sent,
  )
  metrics.counter(
    'bindery_http_renewed_responses_total',
    'Cached responses that named an earlier head of main, were otherwise unchanged, and were sent with the current head',
    () => cache.renewed,
  )
  return cache
}

interface Dispatching {
  pages: readonly Page[]
  /** Finds the app's page at a path. */
  desk: (path: string) => Page | null
  limits: Limits
  stopping: () => boolean
}

function dispatcher(
  options: ApiOptions<unknown, object>,
  routes: Routes<CompiledEndpoint>,
  { pages, desk, limits, stopping }: Dispatching,
) {
  const pageByPath = new Map(pages.map((page) => [page.path, page]))
  const bodies = new ByteBudget(options.config.bodiesLimitBytes, BODIES)
  const run = endpointRunner(options, bodies)
  const { byToken, byAddress } = limits

  const authenticate = async (
    { req }: Context,
    state: RequestState,
    { endpoint }: CompiledEndpoint,
    app: unknown,
  ): Promise<object | null> => {
    const header = req.headers.authorization
    const actor = header === undefined ? null : await options.authenticate(header, app)
    if (!actor) {
      if (endpoint.needs === 'public') return null
      throw new ServiceError('unauthenticated', whyUnauthenticated(header))
    }
    state.caller = options.actorKey(actor)
    if (byToken) state.limit = byToken.count(state.caller)
    return actor
  }

  return async (ctx: Context): Promise<void> => {
    const state: RequestState = ctx.state
    const page = pageByPath.get(ctx.path) ?? desk(ctx.path)
    if (page) {
      state.operation = page.operation
      return servePage(page, ctx)
    }
    if (stopping())
      throw new ServiceError('unavailable', 'The service is shutting down. Try again in a moment.', {
        headers: { Connection: 'close', 'Retry-After': '5' },
      })
    if (byAddress) state.limit = byAddress.count(networkOf(ctx.ip))
    const mount = options.mounts?.find(({ prefix }) => ctx.path.startsWith(prefix))
    if (mount) return serveMount(mount, ctx, state, { count: (caller) => byToken?.count(caller) ?? null, bodies })
    const match = routes.match(ctx.method, ctx.path)
    if ('allow' in match) {
      if (ctx.method !== 'OPTIONS') throw methodNotAllowed(ctx.method, match.allow)
      ctx.set('Allow', match.allow.join(', '))
      ctx.status = 204
      return
    }
    const { found, parameters } = match
    state.operation = found.operationId
    const recording = options.responseCache && mayBeCached(found) ? new Recording() : null
    // Learn about other nodes' changes first, so that nothing has to be read twice.
    if (recording) await options.responseCache?.learn?.()
    const app = recording ? options.responseCache?.record(recording) : options.app
    const actor = await authenticate(ctx, state, found, app)
    const own = actor && options.appFor ? options.appFor(app, actor) : app
    await run(found, { ctx, state, app: own, recording, actor, parameters })
  }
}

const mayBeCached = ({ method, endpoint }: CompiledEndpoint): boolean =>
  method === 'GET' && Boolean(endpoint.validator || endpoint.repeatable)

/** Explains why an `Authorization` header was not accepted, without repeating any part of it. */
function whyUnauthenticated(header: string | undefined): string {
  const send = 'Send the header "Authorization: Bearer <token>"'
  if (header === REFUSED)
    return 'The session of your browser is valid only for pages of this server. Reload the page; other clients send a token.'
  if (header === undefined || header.trim() === '') return `This request needs a token. ${send}.`
  if (/^Bearer\s*$/i.test(header)) return `The token after "Bearer" is missing. ${send}.`
  if (/^Bearer\s/i.test(header))
    return 'The token is unknown, expired or revoked. Check that you sent it unchanged and without quotes, or create a new one.'
  if (/^Basic\s/i.test(header))
    return `The API does not support user names and passwords (Basic authentication). ${send}.`
  return /^\S+$/.test(header)
    ? `"Bearer" is missing before the token. ${send}.`
    : `The API only supports the scheme Bearer. ${send}.`
}

/**
 * Responds with an API error to requests that Node cannot parse as HTTP, such as bad syntax or headers that are too
 * large.
 */
function clientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const message =
    status === 431
      ? 'The headers are too large.'
      : status === 408
        ? 'The request took too long to arrive.'
        : 'The request is not valid HTTP.'
  const body = JSON.stringify({ error: { code: status, message } })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
