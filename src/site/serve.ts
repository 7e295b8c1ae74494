/** Serves the published sites to readers. They never share the origin of the API. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context } from 'koa'
import type { App } from '../domain/context/app.js'
import type { Log } from '../kernel/log.js'
import { loadAssets } from './assets.js'
import { type Audience, HTML, type SiteRequest, type SiteResponse } from './exchange.js'
import { handle } from './handle.js'
import type { Reload } from './reload.js'

export interface SitesOptions {
  app: App
  log: Log
  /** Number of trusted proxies in front of the server. */
  trustProxy: number
  /** Reloads open pages after changes, in a local preview. */
  reload?: Reload | undefined
}

/** The running sites. Pass `listener` to an HTTP server. */
export interface Sites {
  listener: (req: IncomingMessage, res: ServerResponse) => void
}

/** No inline script or style, and nothing from other hosts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; font-src 'self'; connect-src 'self'; " +
  "manifest-src 'self'; media-src 'self' https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const CACHE_CONTROL: Record<Audience, string> = {
  public: 'public, max-age=0, must-revalidate',
  private: 'private, no-cache',
  immutable: 'public, max-age=31536000, immutable',
}

/** Creates the HTTP handler of the sites. */
export function createSites({ app, log, trustProxy, reload }: SitesOptions): Sites {
  const assets = loadAssets()
  const koa = new Koa({ proxy: trustProxy > 0, maxIpsCount: trustProxy })
  koa.silent = true
  if (reload) koa.use(reload.middleware(assets.reload()))
  koa.use(async (ctx) => {
    try {
      send(ctx, await handle(app, requestOf(ctx), assets))
    } catch (error) {
      log.error({ error, path: ctx.path }, 'A page of a site could not be made.')
      send(ctx, { status: 500, type: HTML, body: 'This page cannot be shown at the moment.', audience: 'private' })
    }
  })
  const make = koa.callback()
  return { listener: (req, res) => void make(req, res) }
}

const requestOf = (ctx: Context): SiteRequest => ({
  method: ctx.method,
  hostname: ctx.hostname.toLowerCase(),
  path: ctx.path,
  query: ctx.URL.searchParams,
  header: (name) => ctx.get(name),
  ip: ctx.ip,
})

function send(ctx: Context, { status, type, body, audience, headers }: SiteResponse): void {
  ctx.status = status
  ctx.type = type
  ctx.set('Cache-Control', CACHE_CONTROL[audience])
  ctx.set('Content-Security-Policy', POLICY)
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('Referrer-Policy', 'strict-origin-when-cross-origin')
  if (headers) ctx.set(headers as Record<string, string>)
  ctx.body = body
}
