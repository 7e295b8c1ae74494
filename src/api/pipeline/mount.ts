/** Serves another protocol than that of the API below a path, with the API's limits, log and metrics. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import type { RequestState } from './request-state.js'

/** Everything below a path, whatever the method. */
export interface Mount {
  /** Where it begins and ends: `/git/`. */
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
  /** Aborted when the connection closes before the response is complete. */
  gone: AbortSignal
  /** Names the operation in log and metrics. */
  operation(name: string): void
  /** Says who asks, once that is known: counts the request against the limit of that caller. Throws 429. */
  caller(key: string): void
}

/** The response of a mount. A stream is sent as it is made. `gone` is called if the client leaves before it has read all. */
export interface MountedResponse {
  status: number
  headers: Record<string, string>
  body: Buffer | string | Readable
  gone?: () => void
}

/** Hands a request to a mount, and its response to Koa. */
export async function serveMount(
  mount: Mount,
  ctx: Context,
  state: RequestState,
  count: (caller: string) => RequestState['limit'],
): Promise<void> {
  const gone = new AbortController()
  const { res } = ctx
  res.once(
    'close',
    () => res.writableFinished || gone.abort(new ServiceError('bad-request', 'The client has closed the connection.')),
  )
  const response = await mount.serve({
    id: state.id,
    method: ctx.method,
    path: ctx.path,
    query: new URLSearchParams(ctx.querystring),
    headers: ctx.req.headers,
    ip: ctx.ip,
    body: ctx.req,
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
