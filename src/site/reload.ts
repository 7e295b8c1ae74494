/** Reloads the pages that readers have open, after each change. Only the local preview of a folder uses it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HTML, type SiteResponse } from './exchange.js'

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

  /** Reloads all open pages. */
  notify(): void {
    for (const page of this.#open) page.write('data: changed\n\n')
  }

  /** Ends the event streams, so that the server can stop. */
  close(): void {
    for (const page of this.#open) page.end()
  }

  /**
   * Handles requests for the preview itself, and rejects host names of other machines. Returns whether it handled the
   * request.
   */
  answer(req: IncomingMessage, res: ServerResponse, script: string): boolean {
    const url = new URL(req.url ?? '/', 'http://localhost')
    const host = (req.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
    const home = new URL(this.#address, 'http://localhost')
    const headers = { 'Cache-Control': 'no-store' }
    if (!LOCAL.has(host)) res.writeHead(421, headers).end('The preview answers to localhost only.')
    else if (url.pathname === EVENTS) this.#stream(res)
    else if (url.pathname === SCRIPT)
      res.writeHead(200, { ...headers, 'Content-Type': 'text/javascript; charset=utf-8' }).end(script)
    else if (url.pathname === '/' && home.pathname !== '/')
      res.writeHead(302, { ...headers, Location: this.#address }).end()
    else return false
    return true
  }

  /** Adds the script to a response that is a page. No cache may store it. */
  added(response: SiteResponse): SiteResponse {
    const { outcome: _kept, ...rest } = response
    const { type, body } = rest
    const isPage = type === HTML && typeof body === 'string'
    return {
      ...rest,
      audience: 'no one',
      body: isPage ? `${body}<script src="${SCRIPT}" type="module"></script>` : body,
    }
  }

  #stream(res: ServerResponse): void {
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
