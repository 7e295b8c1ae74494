/** CORS: decides which web origins may call the API from a browser, and responds to preflight requests. */
import cors from '@koa/cors'
import type { Middleware } from 'koa'
import { EXPOSED } from './response-headers.js'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const PREFLIGHT_SECONDS = 600

/**
 * Lets scripts from the given origins call the API (`*` = all). There are no cookies, so a page can do no more than its
 * token allows.
 * Requests without `Origin` pass unchanged.
 */
export function crossOrigin(origins: readonly string[]): Middleware {
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
