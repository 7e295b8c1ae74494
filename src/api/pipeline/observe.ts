/**
 * Wraps every request: sets its ID and the common headers, turns errors into responses, and writes access log and
 * metrics.
 */
import type { Context, Next } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import { accessLog, loggedPath } from './access-log.js'
import type { ByteBudget } from './byte-budget.js'
import { discardRest } from './discard.js'
import { errorResponse } from './error-response.js'
import { networkOf } from './network-of.js'
import type { ApiOptions } from './options.js'
import { type RequestState, requestId } from './request-state.js'
import { ResponseHold } from './response-hold.js'

const JSON_TYPE = 'application/json; charset=utf-8'
interface Surroundings {
  options: ApiOptions<unknown, object>
  headers: readonly (readonly [string, string])[]
  /** The budget of all responses that are not read yet. */
  responses: ByteBudget
  /** Stores a response in the response cache. */
  keep: (ctx: Context, state: RequestState) => void
}

/**
 * Returns the outermost middleware: request ID, common headers, error responses, one log line and one measurement per
 * request.
 */
export function observe({
  options,
  headers,
  responses,
  keep,
}: Surroundings): (ctx: Context, next: Next) => Promise<void> {
  const { log, metrics } = options
  const record = accessLog(log, metrics)

  const fail = async (ctx: Context, state: RequestState, thrown: unknown): Promise<void> => {
    const explained = (await options.explain?.(thrown)) ?? thrown
    const response = errorResponse(explained)
    if (response.unforeseen)
      log.error({ requestId: state.id, operation: state.operation, error: thrown }, 'request failed unexpectedly')
    else if (explained instanceof ServiceError && explained.code === 'insufficient-storage')
      log.error(
        { requestId: state.id, operation: state.operation, error: explained },
        'The server cannot store data. Free disk space, or give the process permission to write.',
      )
    else if (explained !== thrown)
      log.error(
        { requestId: state.id, operation: state.operation, error: explained },
        'A request found a damaged repository.',
      )
    for (const name of ['ETag', 'Location', 'Content-Disposition', 'Content-Encoding', 'Accept-Ranges'])
      ctx.remove(name)
    ctx.status = response.status
    ctx.res.setHeader('Content-Type', JSON_TYPE)
    ctx.body = response.body
    ctx.set(response.headers as Record<string, string>)
  }

  return async (ctx, next) => {
    const started = performance.now()
    const response = new ResponseHold(ctx.res, () => responses.share(state.caller ?? networkOf(ctx.ip)))
    const state: RequestState = {
      id: requestId(ctx.req),
      operation: 'unknown',
      caller: null,
      limit: null,
      response,
      evidence: null,
      tag: '',
      renewable: null,
    }
    ctx.state = state
    const { res } = ctx
    res.setHeader('X-Request-Id', state.id)
    for (const [name, value] of headers) res.setHeader(name, value)
    try {
      await next()
      if (ctx.method !== 'HEAD') response.holds(ctx.body)
      if (state.evidence) keep(ctx, state)
    } catch (thrown) {
      await fail(ctx, state, thrown)
    }
    discardRest(ctx.req)
    if (state.limit && !res.hasHeader('RateLimit')) {
      res.setHeader('RateLimit-Policy', state.limit['RateLimit-Policy'])
      res.setHeader('RateLimit', state.limit.RateLimit)
    }
    const path = loggedPath(ctx.path)
    record({
      requestId: state.id,
      method: ctx.method,
      path,
      operation: state.operation,
      status: ctx.status,
      started,
      caller: state.caller,
      ip: ctx.ip,
    })
  }
}
