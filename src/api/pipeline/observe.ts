/**
 * Wraps every request: sets its ID and the common headers, turns errors into responses, and writes access log and
 * metrics.
 */
import type { IncomingMessage } from 'node:http'
import type { Context, Next } from 'koa'
import { ServiceError } from '../../kernel/errors.js'
import { sendMissingPage, wantsPage } from '../pages/missing.js'
import { accessLog, loggedPath } from './access-log.js'
import type { ByteBudget } from './byte-budget.js'
import { errorResponse } from './error-response.js'
import { networkOf } from '../../kernel/network-of.js'
import type { ApiOptions } from './options.js'
import { type RequestState, requestId } from './request-state.js'
import { ResponseMemory } from './response-hold.js'

/** Paths that always respond with JSON. */
const API = /^\/v1(?:\/|$)/
const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Maximum number of unneeded bytes to receive and discard. It exceeds the limit of any body and costs no memory.
 * If the connection closed instead, the sender could not read the response.
 */
const TAKEN_BYTES = 32 * 1024 * 1024
const TAKEN_MS = 5_000

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
  const record = accessLog(options.log, options.metrics)
  return async (ctx, next) => {
    const started = performance.now()
    const response = new ResponseMemory(ctx.res, () => responses.share(state.caller ?? networkOf(ctx.ip)))
    const state: RequestState = {
      id: requestId(ctx.req),
      operation: 'unknown',
      caller: null,
      limit: null,
      response,
      reads: null,
      tag: '',
      renewable: null,
    }
    ctx.state = state
    const { res } = ctx
    res.setHeader('X-Request-Id', state.id)
    for (const [name, value] of headers) res.setHeader(name, value)
    try {
      await next()
      if (ctx.method !== 'HEAD') response.track(ctx.body)
      if (state.reads) keep(ctx, state)
    } catch (thrown) {
      await respondToError(options, ctx, state, thrown)
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

/** Turns an error into the response, and logs errors that are for the operator. */
async function respondToError(
  { log, explain }: Surroundings['options'],
  ctx: Context,
  { id: requestId, operation }: RequestState,
  thrown: unknown,
): Promise<void> {
  const explained = (await explain?.(thrown)) ?? thrown
  const response = errorResponse(explained)
  if (response.unforeseen) log.error({ requestId, operation, error: thrown }, 'request failed unexpectedly')
  else if (explained instanceof ServiceError && explained.code === 'insufficient-storage')
    log.error(
      { requestId, operation, error: explained },
      'The server cannot store data. Free disk space, or give the process permission to write.',
    )
  else if (explained !== thrown)
    log.error({ requestId, operation, error: explained }, 'A request found a damaged repository.')
  for (const name of ['ETag', 'Location', 'Content-Disposition', 'Content-Encoding', 'Accept-Ranges']) ctx.remove(name)
  if (response.status === 404 && !API.test(ctx.path) && wantsPage(ctx)) return sendMissingPage(ctx)
  ctx.status = response.status
  ctx.res.setHeader('Content-Type', JSON_TYPE)
  ctx.body = response.body
  ctx.set(response.headers as Record<string, string>)
}

/** Receives and drops the rest of a body, so that the client can read the response. Closes the connection if that takes too long. */
export function discardRest(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return
  let left = TAKEN_BYTES
  const cut = (): void => void req.destroy()
  const timer = setTimeout(cut, TAKEN_MS)
  req.on('error', () => {})
  req.on('data', (bytes: Buffer) => {
    left -= bytes.length
    if (left < 0) cut()
  })
  req.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  req.resume()
}
