/** The pages that browsers get at the root of the API and for addresses that do not exist. */
import type { Context } from 'koa'
import { notFound } from '../../kernel/errors.js'
import type { Page } from '../pipeline/page.js'
import { PAGE_POLICY } from '../pipeline/response-headers.js'
import { framed } from './frame.js'

/** Whether a request is from a browser that opens a page. */
export const wantsPage = (ctx: Context): boolean => {
  ctx.vary('Accept')
  return ctx.accepts('json', 'html') === 'html'
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

const link = (href: string, title: string, text: string): string =>
  `<li><a href="${escaped(href)}"><strong>${title}</strong><span>${text}</span></a></li>`

const home = (sample: string | null): string =>
  framed({
    title: 'Documentation that lives in Git',
    body: `<p>This server keeps documentation in Git repositories and publishes it as sites.</p>
<ul class="links">
${sample === null ? '' : link(sample, 'Sample site', 'A tour of Bindery, published by this server.')}
${link('/docs', 'API reference', 'Every operation, with examples.')}
${link('/sign-in', 'Sign in', 'Get a token with a link by email.')}
</ul>`,
  })

/**
 * Returns the page at `/`. Programs get 404, because the API is below `/v1`.
 * @param sample returns the address of the sample site, if there is one
 */
export const homePage = (sample: () => Promise<string | null>): Page => ({
  path: '/',
  operation: 'home',
  serve: async (ctx) => {
    if (!wantsPage(ctx)) throw notFound('This path')
    sendPage(ctx, home(await sample()))
  },
})

const MISSING = framed({
  title: 'Page not found',
  body: '<p>There is nothing at this address, or you may not see it.</p>\n<p><a href="/">Go to the start page</a></p>',
})

/** Sends the page for an address that does not exist. */
export function sendMissingPage(ctx: Context): void {
  ctx.status = 404
  sendPage(ctx, MISSING)
}

function sendPage(ctx: Context, html: string): void {
  ctx.set('Content-Security-Policy', PAGE_POLICY)
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = html
}
