/** What surrounds every request: its ID, standing response headers, errors turned into responses, the access log and metrics. */
import type { Context, Next } from 'koa'
import { ResponseHold, RESPONSES } from './response-hold.js'
import { ByteBudget } from './byte-budget.js'
import { discardRest } from './discard.js'
import { errorResponse } from './error-response.js'
import { networkOf } from './network-of.js'
import type { ApiOptions } from './options.js'
import { type RequestState, requestId } from './request-state.js'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Longer path segments are no IDs but texts or signatures: they are not logged. */
const LONGEST_SEGMENT = 64

const loggedPath = (path: string): string =>
  path.length <= LONGEST_SEGMENT
    ? path
    : path
        .split('/')
        .map((segment) => (segment.length > LONGEST_SEGMENT ? '…' : segment))
        .slice(0, 30)
        .join('/')

/** The outermost step: request ID, standing headers, errors as responses, one log line and one measurement per request. */
export function observe(options: ApiOptions<unknown, object>, standing: readonly (readonly [string, string])[]): (ctx: Context, next: Next) => Promise<void> {
  const { log, metrics, config } = options
  const responses = new ByteBudget(config.responsesLimitBytes, RESPONSES)

  const fail = (ctx: Context, state: RequestState, thrown: unknown): void => {
    const response = errorResponse(thrown)
    if (response.unforeseen) log.error({ requestId: state.id, operation: state.operation, error: thrown }, 'request failed unexpectedly')
    for (const name of ['ETag', 'Location', 'Content-Disposition', 'Content-Encoding', 'Accept-Ranges']) ctx.remove(name)
    ctx.status = response.status
    ctx.res.setHeader('Content-Type', JSON_TYPE)
    ctx.body = response.body
    ctx.set(response.headers as Record<string, string>)
  }

  return async (ctx, next) => {
    const started = performance.now()
    const response = new ResponseHold(ctx.res, () => responses.share(state.caller ?? networkOf(ctx.ip)))
    const state: RequestState = { id: requestId(ctx), operation: 'unknown', caller: null, limit: null, response }
    ctx.state = state
    const { res } = ctx
    res.setHeader('X-Request-Id', state.id)
    for (const [name, value] of standing) res.setHeader(name, value)
    try {
      await next()
      if (ctx.method !== 'HEAD') response.holds(ctx.body)
    } catch (thrown) {
      fail(ctx, state, thrown)
    }
    discardRest(ctx.req)
    if (state.limit && !res.hasHeader('RateLimit')) {
      res.setHeader('RateLimit-Policy', state.limit['RateLimit-Policy'])
      res.setHeader('RateLimit', state.limit.RateLimit)
    }
    const ms = performance.now() - started
    metrics.observe(state.operation, ctx.status, ms / 1000)
    log.info(
      {
        requestId: state.id,
        method: ctx.method,
        path: loggedPath(ctx.path),
        operation: state.operation,
        status: ctx.status,
        ms: Math.round(ms * 100) / 100,
        caller: state.caller,
        ip: ctx.ip,
      },
      'request',
    )
  }
}
