/** Reloads the pages that readers have open, after each change. Only the local preview of a folder uses it. */
import type { ServerResponse } from 'node:http'
import type { Middleware } from 'koa'

const EVENTS = '/~reload/events'
const SCRIPT = '/~reload/script.js'
/** Maximum number of open pages that are notified. */
const MAX_PAGES = 100
/** The host names of this machine. Another one would be a page of another site that reads the preview. */
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The pages that are open in browsers. */
export class Reload {
  readonly #open = new Set<ServerResponse>()
  #address = '/'

  /** Sets the address of the site, to which `/` redirects. */
  openAt(address: string): void {
    this.#address = address
  }

  /** Makes all open pages load again. */
  notify(): void {
    for (const page of this.#open) page.write('data: changed\n\n')
  }

  /** Ends the event streams, so that the server can stop. */
  close(): void {
    for (const page of this.#open) page.end()
  }

  /** Serves the event stream, and adds the script to each page. */
  middleware(script: string): Middleware {
    return async (ctx, next) => {
      // Neither a browser nor a proxy keeps a page that may have changed.
      for (const name of ['accept-encoding', 'if-none-match', 'if-modified-since']) delete ctx.req.headers[name]
      ctx.set('Cache-Control', 'no-store')
      if (!LOCAL.has(ctx.hostname.toLowerCase())) {
        ctx.status = 421
        ctx.body = 'The preview answers to localhost only.'
      } else if (ctx.path === EVENTS) this.#stream(ctx.res, () => (ctx.respond = false))
      else if (ctx.path === SCRIPT) {
        ctx.type = 'text/javascript; charset=utf-8'
        ctx.body = script
      } else if (ctx.path === '/' && new URL(this.#address, 'http://localhost').pathname !== '/')
        ctx.redirect(this.#address)
      else {
        await next()
        ctx.set('Cache-Control', 'no-store')
        ctx.remove('ETag')
        if (typeof ctx.body === 'string' && ctx.type === 'text/html')
          ctx.body = `${ctx.body}<script src="${SCRIPT}" type="module"></script>`
      }
    }
  }

  #stream(res: ServerResponse, takeOver: () => void): void {
    takeOver()
    if (this.#open.size >= MAX_PAGES) {
      res.writeHead(503).end()
      return
    }
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    res.write('retry: 500\n\n')
    this.#open.add(res)
    res.once('close', () => this.#open.delete(res))
  }
}
