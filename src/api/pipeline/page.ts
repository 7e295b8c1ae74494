// Serves pages next to the API; the pages are in `api/pages/`.
import type { Context } from 'koa'
import { methodNotAllowed } from './routes.js'

/** A page at a fixed path next to the API: no token, no limits, only GET and HEAD. */
export interface Page {
  path: string
  /** The operation name for log and metrics. */
  operation: string
  serve: (ctx: Context) => void | Promise<void>
}

const ALLOW = ['GET', 'HEAD', 'OPTIONS']

/** Serves a page. Throws 405. */
export async function servePage(page: Page, ctx: Context): Promise<void> {
  if (ctx.method === 'OPTIONS') {
    ctx.set('Allow', ALLOW.join(', '))
    ctx.status = 204
    return
  }
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ALLOW)
  await page.serve(ctx)
}
