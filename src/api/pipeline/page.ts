// Serves what stands beside the API: the pages of `api/pages/`.
import type { Context } from 'koa'
import { methodNotAllowed } from './routes.js'

/** Something served under a fixed path beside the API: no token, no limits, GET and HEAD alone. */
export interface Page {
  path: string
  /** Its name in log and metrics. */
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
