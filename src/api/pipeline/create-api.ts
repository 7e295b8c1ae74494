import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import Koa, { type Context } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import type { Endpoints } from '../declaration.js'
import { openApiDocument } from '../openapi.js'
import { docsPages } from '../pages/docs.js'
import { healthPages } from '../pages/health.js'
import { linkPages } from '../pages/link-pages.js'
import { metricsPage } from '../pages/metrics.js'
import { serviceEndpoints } from '../service/endpoints.js'
import { ByteBudget } from './byte-budget.js'
import { type CompiledEndpoint, compileEndpoint } from './compiled-endpoint.js'
import { crossOrigin } from './cross-origin.js'
import { networkOf } from './network-of.js'
import { observe } from './observe.js'
import { oneAtATime } from './one-at-a-time.js'
import type { ApiOptions } from './options.js'
import { type Page, servePage } from './page.js'
import { rateLimit } from './rate-limit.js'
import type { RequestState } from './request-state.js'
import { securityHeaders } from './response-headers.js'
import { methodNotAllowed, Routes } from './routes.js'
import { endpointRunner } from './run-endpoint.js'
import { SchemaCompiler } from './schemas.js'

/** A running API; put `listener` into an HTTP server and `clientError` on its `clientError` event. */
export interface Api {
  listener: (req: IncomingMessage, res: ServerResponse) => void
  clientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** All operations, including those of the API itself. */
  endpoints: Endpoints
  /** The OpenAPI document. */
  document: object
  /** From now on every request gets a 503; those under way go on. */
  stop: () => void
}

const BODIES = {
  all: 'The service is overloaded: it is reading as many request bodies as it can hold.',
  caller: 'You are sending too many large request bodies at once.',
}

const STANDING = [
  ['Cache-Control', 'private, no-cache'],
  ['Vary', 'Authorization, Origin, Accept-Encoding'],
] as const

/** Services in one process that have the same declarations share what is compiled of them. */
const compilers = new WeakMap<Endpoints, SchemaCompiler>()

function compilerFor(endpoints: Endpoints): SchemaCompiler {
  const compiler = compilers.get(endpoints) ?? new SchemaCompiler()
  compilers.set(endpoints, compiler)
  return compiler
}

/** Compiles the declarations into an HTTP listener. Throws if a declaration is wrong. */
export async function createApi<App, Actor extends object>(given: ApiOptions<App, Actor>): Promise<Api> {
  const options = given as unknown as ApiOptions<unknown, object>
  const { config } = options
  const endpoints: Endpoints = { ...options.endpoints, ...serviceEndpoints(config, () => document) }
  const document = openApiDocument({ endpoints, resolvers: options.resolvers, config })
  const compiler = compilerFor(options.endpoints)
  const compiled = Object.entries(endpoints).map(([name, one]) => compileEndpoint(name, one, options.resolvers, compiler))

  let stopping = false
  const pages: Page[] = [...healthPages(options.ready, () => stopping), metricsPage(options.metrics, config), ...docsPages(), ...linkPages()]
  const koa = new Koa({ proxy: config.trustProxy > 0, maxIpsCount: config.trustProxy })
  koa.silent = true
  koa.on('error', (error: unknown, ctx?: Context) => {
    // the response had begun, so the client sees it end early; a client that went away is no failure
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ECONNRESET' && code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE')
      options.log.error({ requestId: (ctx?.state as RequestState | undefined)?.id, error }, 'response failed')
  })
  koa.use(observe(options, [...(await securityHeaders(config.publicUrl)), ...STANDING]))
  koa.use(crossOrigin(config.corsOrigins))
  koa.use(dispatcher(options, new Routes(compiled), pages, () => stopping))
  return { listener: oneAtATime(koa.callback()), clientError, endpoints, document, stop: () => void (stopping = true) }
}

function dispatcher(options: ApiOptions<unknown, object>, routes: Routes<CompiledEndpoint>, pages: readonly Page[], stopping: () => boolean) {
  const pageByPath = new Map(pages.map((page) => [page.path, page]))
  const run = endpointRunner(options, new ByteBudget(options.config.bodiesLimitBytes, BODIES))
  const byToken = rateLimit('token', options.config.rateLimit.perToken)
  const byAddress = rateLimit('address', options.config.rateLimit.perAddress)

  const authenticate = async (ctx: Context, state: RequestState, isPublic: boolean): Promise<object | null> => {
    const header = ctx.req.headers.authorization
    const actor = header === undefined ? null : await options.authenticate(header, { ip: ctx.ip, method: ctx.method })
    if (!actor) {
      if (isPublic) return null
      throw new ServiceError(
        'unauthenticated',
        header === undefined ? 'A token is needed: send the header "Authorization: Bearer <token>".' : 'The token is unknown, expired or revoked.',
      )
    }
    state.caller = options.actorKey(actor)
    if (byToken) state.limit = await byToken(state.caller)
    return actor
  }

  return async (ctx: Context): Promise<void> => {
    const state = ctx.state as RequestState
    const page = pageByPath.get(ctx.path)
    if (page) {
      state.operation = page.operation
      return servePage(page, ctx)
    }
    if (stopping())
      throw new ServiceError('unavailable', 'The service is shutting down. Try again in a moment.', { headers: { Connection: 'close', 'Retry-After': '5' } })
    if (byAddress) state.limit = await byAddress(networkOf(ctx.ip))
    const match = routes.match(ctx.method, ctx.path)
    if ('allow' in match) {
      if (ctx.method !== 'OPTIONS') throw methodNotAllowed(ctx.method, match.allow)
      ctx.set('Allow', match.allow.join(', '))
      ctx.status = 204
      return
    }
    const { found, parameters } = match
    state.operation = found.operationId
    const actor = await authenticate(ctx, state, found.endpoint.needs === 'public')
    await run(found, { ctx, state, actor, parameters })
  }
}

/** Responds to what Node could not read as HTTP (bad syntax, headers too large) with an error like all others. */
function clientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const message = status === 431 ? 'The headers are too large.' : status === 408 ? 'The request took too long to arrive.' : 'The request is not valid HTTP.'
  const body = JSON.stringify({ error: { code: status, message } })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
