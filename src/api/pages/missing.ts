/** The page for browsers at missing addresses. */
import type { Context } from 'koa'
import { PAGE_POLICY } from '../pipeline/response-headers.js'
import { framed } from './frame.js'

/** Whether a request is a page view of a browser. */
export const wantsPage = (ctx: Context): boolean => {
  ctx.vary('Accept')
  return ctx.accepts('json', 'html') === 'html'
}

const MISSING = framed({
  title: 'Page not found',
  body: '<p>There is nothing at this address, or you may not see it.</p>\n<p><a href="/">Go to the start page</a></p>',
})

/** Sends the page for a missing address. */
export function sendMissingPage(ctx: Context): void {
  ctx.status = 404
  ctx.set('Content-Security-Policy', PAGE_POLICY)
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = MISSING
}
