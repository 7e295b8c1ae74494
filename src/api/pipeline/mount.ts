/** Serves a protocol other than the API's below a path, with the API's limits, log and metrics. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import { readCountedJson } from './body.js'
import type { ByteBudget } from './byte-budget.js'
import { networkOf } from '../../kernel/network-of.js'
import type { RequestState } from './request-state.js'

/** A handler for all requests below a path, with any method. */
export interface Mount {
  /** The path prefix, with slashes at both ends: `/git/`; or the only path. */
  prefix: string
  serve(request: MountedRequest): Promise<MountedResponse>
}

/** A request below the path of a mount. */
export interface MountedRequest {
  id: string
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  ip: string
  body: IncomingMessage
  /** Reads the body as JSON instead; null = none. Throws 400, 408, 413, 415, 429, 503. */
  json(limit: number): Promise<unknown>
  /** Aborted when the connection closes before the response is complete. */
  gone: AbortSignal
  /** Sets the operation name for log and metrics. */
  operation(name: string): void
  /** Names the caller once it is known, and counts the request against the caller's limit. Throws 429. */
  caller(key: string): void
}

/** The response of a mount. A stream is sent as it is produced. `gone` is called if the client disconnects early. */
export interface MountedResponse {
  status: number
  headers: Record<string, string>
  body: Buffer | string | Readable
  gone?: () => void
}

/** Passes a request to a mount and the mount's response to Koa. */
export async function serveMount(
  mount: Mount,
  ctx: Context,
  state: RequestState,
  { count, bodies }: { count: (caller: string) => RequestState['limit']; bodies: ByteBudget },
): Promise<void> {
  const gone = new AbortController()
  const { res } = ctx
  res.once(
    'close',
    () => res.writableFinished || gone.abort(new ServiceError('bad-request', 'The client closed the connection.')),
  )
  const response = await mount.serve({
    id: state.id,
    method: ctx.method,
    path: ctx.path,
    query: new URLSearchParams(ctx.querystring),
    headers: ctx.req.headers,
    ip: ctx.ip,
    body: ctx.req,
    json: (limit) => readCountedJson(ctx, limit, bodies.share(state.caller ?? networkOf(ctx.ip))),
    gone: gone.signal,
    operation: (name) => void (state.operation = name),
    caller: (key) => {
      state.caller = key
      state.limit = count(key) ?? state.limit
    },
  })
  ctx.status = response.status
  ctx.set(response.headers)
  ctx.body = response.body
  if (!response.gone) return
  if (gone.signal.aborted) response.gone()
  else gone.signal.addEventListener('abort', response.gone)
}
