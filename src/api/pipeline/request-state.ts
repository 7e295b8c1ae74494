import { randomBytes } from 'node:crypto'
import type { Context } from 'koa'
import type { RateLimitHeaders } from './rate-limit.js'

/** What the pipeline keeps of a request between its steps. */
export interface RequestState {
  id: string
  /** operationId, or what the pipeline did itself: `unknown`, `preflight`. */
  operation: string
  /** Who asked (`actorKey`), when known. */
  caller: string | null
  baseUrl: string
  /** What is left of the narrowest limit that was counted. */
  limit: RateLimitHeaders | null
}

/** A random start per process and a number: unique without asking the system for randomness at each request. */
const PREFIX = randomBytes(8).toString('hex')
let made = 0

const SANE_ID = /^[\w.:-]{8,64}$/

/** The ID that a proxy or client gave, if it is fit for a log line, otherwise a new one. */
export function requestId(ctx: Context): string {
  const given = ctx.req.headers['x-request-id']
  return typeof given === 'string' && SANE_ID.test(given) ? given : `${PREFIX}-${(++made).toString(36)}`
}

/** The host header rarely changes: the last one checked. */
let checked = { host: '', fits: false }

const HOST = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The origin that URLs in the answer begin with: the configured one, or as the request says if that is a host at all. */
export function baseUrl(ctx: Context, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl
  const host = ctx.host
  if (host !== checked.host) checked = { host, fits: HOST.test(host) }
  return checked.fits ? `${ctx.protocol}://${host}` : 'http://localhost'
}
