/** Reads the requests of readers. Koa parses their headers, so that its rules about proxies apply. */
import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import { LRUCache } from 'lru-cache'
import { cookieIn } from './cookies.js'
import { hostnameOf, type SiteRequest } from './exchange.js'
import { LANGUAGES, languageTag } from './words/index.js'

export const MARKDOWN = 'text/markdown'

/** Maximum number of host names that are remembered. */
const MAX_HOSTS = 200
/** Maximum size of a form in bytes, by default. */
const MAX_FORM = 32_768

/** The requests of readers, as Koa sees them without a context. */
export class Requests {
  readonly #hostnames = new LRUCache<string, string>({ max: MAX_HOSTS })

  /** @param trustProxy number of trusted proxies in front of the server */
  constructor(
    private readonly koa: Koa,
    private readonly trustProxy: number,
  ) {}

  /** Returns the IP address of the client. */
  ipOf(req: IncomingMessage): string {
    return this.trustProxy > 0 ? this.#of(req).ip : (req.socket.remoteAddress ?? '')
  }

  /** Returns the host name in the form of `hostnameOf`, without the port. */
  hostnameOf(req: IncomingMessage): string {
    if (this.trustProxy > 0) return hostnameOf(this.#of(req))
    const { host = '' } = req.headers
    const known = this.#hostnames.get(host)
    if (known !== undefined) return known
    const hostname = hostnameOf(this.#of(req))
    this.#hostnames.set(host, hostname)
    return hostname
  }

  /** Returns the language of the interface that a browser prefers. */
  languageOf(req: IncomingMessage): string {
    return languageOf(this.#of(req))
  }

  /** Returns a request in the form that the sites use. */
  read(req: IncomingMessage, { ip, json }: Pick<SiteRequest, 'ip' | 'json'>): SiteRequest {
    return new ReadRequest(this.#of(req), this.hostnameOf(req), ip, json)
  }

  #of(req: IncomingMessage): Koa.Request {
    return Object.assign(Object.create(this.koa.request), { app: this.koa, req })
  }
}

const languageOf = (asked: Koa.Request): string => languageTag(asked.acceptsLanguages(LANGUAGES) || 'en')

/** A request whose parts are parsed when they are read. */
class ReadRequest implements SiteRequest {
  constructor(
    private readonly asked: Koa.Request,
    readonly hostname: string,
    readonly ip: string,
    readonly json: SiteRequest['json'],
  ) {}

  get method(): string {
    return this.asked.method
  }

  get path(): string {
    return this.asked.path
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.asked.querystring)
  }

  get since(): string | null {
    return hasSince(this.asked.req) ? this.query.get('since') : null
  }

  get datetime(): string {
    return this.header('Accept-Datetime')
  }

  get prefersMarkdown(): boolean {
    return this.asked.accepts('text/html', MARKDOWN) === MARKDOWN
  }

  header(name: string): string {
    return this.asked.get(name)
  }

  cookie(name: string): string {
    return cookieIn(this.asked.req.headers.cookie, name)
  }

  language(): string {
    return languageOf(this.asked)
  }

  form(limit = MAX_FORM): Promise<URLSearchParams | null> {
    return readForm(this.asked.req, limit)
  }
}

/** Whether the query of a request may have the parameter `since`. */
const hasSince = ({ url = '' }: IncomingMessage): boolean => /[?&]since=/.test(url)

/** Whether a request asks for another version of a page than the newest one, or for its changes. */
export const asksForHistory = (req: IncomingMessage): boolean =>
  hasSince(req) || req.headers['accept-datetime'] !== undefined

/** Returns the path of a request as it was sent, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** Reads the fields of a form. Null if it is too long. */
async function readForm(req: IncomingMessage, limit: number): Promise<URLSearchParams | null> {
  const chunks: Buffer[] = []
  let size = 0
  const parts: AsyncIterable<Buffer> = req.iterator({ destroyOnReturn: false })
  for await (const chunk of parts) {
    size += chunk.length
    if (size > limit) {
      // The rest is received and discarded, so that the sender can read the response.
      req.resume()
      return null
    }
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
