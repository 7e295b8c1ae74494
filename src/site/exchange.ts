/** The requests and responses of published sites, independent of the HTTP server. */
import type { VisitorFile } from '../domain/sites/visitor-file.js'

/** A request of a reader. */
export interface SiteRequest {
  method: string
  /** In the form of `hostnameOf`, without the port. */
  hostname: string
  /** The path as sent, encoded. */
  path: string
  query: URLSearchParams
  /** Returns a header; '' if it is absent. */
  header(name: string): string
  /** Returns a cookie; '' if it is absent. */
  cookie(name: string): string
  /** Returns the language of the interface that the reader's browser prefers. */
  language(): string
  /** The IP address of the client. */
  ip: string
  /** The parameter `since` of its query: the point in time since which changes are marked. Null = absent. */
  since: string | null
  /** The header `Accept-Datetime`: the time of the version that the client wants; '' = absent. */
  datetime: string
  /** Whether the client prefers markdown to HTML. Caches store the two responses separately. */
  prefersMarkdown: boolean
  /** Reads the fields of a form. Null if it is too long. `limit`: its maximum size in bytes, by default 32 KB. */
  form(limit?: number): Promise<URLSearchParams | null>
  /** Reads a JSON body of at most `limit` bytes; null = none. Throws 400, 408, 413, 415, 429, 503. */
  json(limit: number): Promise<unknown>
}

/**
 * The caches that may store a response: all (`public`), the reader's (`private`), all and forever (`immutable`), none
 * (`no one`). `past`: the reader's forever, and others if they ask each time, because the page may be hidden later.
 */
export type Audience = 'public' | 'private' | 'immutable' | 'past' | 'no one'

/** A response to a reader. */
export interface SiteResponse {
  status: number
  type: string
  body: string | Buffer
  audience: Audience
  headers?: Readonly<Record<string, string>>
  /** A header of requests on which it depends, besides those of its audience. */
  vary?: string
  /** Headers for readers who come from another page of the same origin, in addition. */
  laterHeaders?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. A public site sets none. */
  cookies?: readonly string[]
  /** Origins of fonts that the team chose on other hosts. */
  fontHosts?: readonly string[]
  /** Origins of APIs to which readers can send requests from the page. */
  apiOrigins?: readonly string[]
  /** The origin whose pages may show the response in a frame. Absent = none. */
  framedBy?: string
  /** The event that the site counts each time that a browser gets the response. Absent = none. */
  counted?: { site: string } & ({ page: string } | { redirected: string } | { missing: string })
  /** A file to send instead of the body. */
  file?: VisitorFile
  /** Generates a long text while it is sent, instead of the body. */
  stream?: () => AsyncIterable<string>
  /**
   * The gate's decision about the reader. Readers with the same outcome get the same bytes at the same path. Absent
   * if the response must not be sent to another reader.
   */
  outcome?: string
  /** Whether the response is cached here. Absent = yes, unless the address names a point in time: there are too many. */
  isKept?: boolean
}

/** Returns the host name of a request in the form that sites have: `DOCS.example.org.` is `docs.example.org`. */
export const hostnameOf = ({ hostname }: { hostname: string }): string => hostname.toLowerCase().replace(/\.$/, '')

export const HTML = 'text/html; charset=utf-8'
export const JSON_TYPE = 'application/json; charset=utf-8'

/** Whether a script sent the request. Otherwise the reader gets a page. */
export const wantsJson = (request: SiteRequest): boolean => request.header('Accept').includes('application/json')

export const jsonResponse = (status: number, body: object, audience: Audience): SiteResponse => ({
  status,
  type: JSON_TYPE,
  body: JSON.stringify(body),
  audience,
})

/** A redirect. A permanent one is 301. */
export const redirectTo = (
  location: string,
  audience: Audience,
  status: 301 | 302 | 303 = 301,
  cookies: readonly string[] = [],
): SiteResponse => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: '',
  audience,
  headers: { Location: location },
  cookies,
})

/** A request that records whether more than its path was read. */
export class WatchedRequest implements SiteRequest {
  /** Whether its query, a header or a cookie was read, so that the response may depend on them. */
  isRead = false
  readonly method: string
  readonly hostname: string
  readonly path: string
  readonly ip: string

  constructor(private readonly request: SiteRequest) {
    const { method, hostname, path, ip } = request
    this.method = method
    this.hostname = hostname
    this.path = path
    this.ip = ip
  }

  /** Not recorded, because caches store the two responses separately. */
  get prefersMarkdown(): boolean {
    return this.request.prefersMarkdown
  }

  /** Not recorded, because caches store the response for each of them separately. */
  get since(): string | null {
    return this.request.since
  }

  /** Not recorded, because a response that depends on it is never cached. */
  get datetime(): string {
    return this.request.datetime
  }

  get query(): URLSearchParams {
    return this.#read().query
  }

  header(name: string): string {
    return this.#read().header(name)
  }

  cookie(name: string): string {
    return this.#read().cookie(name)
  }

  language(): string {
    return this.#read().language()
  }

  form(limit?: number): Promise<URLSearchParams | null> {
    return this.#read().form(limit)
  }

  json(limit: number): Promise<unknown> {
    return this.#read().json(limit)
  }

  #read(): SiteRequest {
    this.isRead = true
    return this.request
  }
}
