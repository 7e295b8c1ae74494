/** Responses that are ready to send, with headers, an ETag, and compressed forms that are created once. */
import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { EMBED_HOSTS } from '../render/index.js'
import type { Audience, SiteResponse } from './exchange.js'

type Allowed = Pick<SiteResponse, 'fontHosts' | 'apiOrigins' | 'framedBy'>

/**
 * Allows no inline script or style, and from other hosts only pictures, media, embeds on a click, custom fonts, and
 * requests to the APIs that a page documents.
 */
const policyFor = ({ fontHosts = [], apiOrigins = [], framedBy = "'none'" }: Allowed = {}): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; font-src ${["'self'", ...fontHosts].join(' ')}; ` +
  `connect-src ${["'self'", ...apiOrigins].join(' ')}; manifest-src 'self'; media-src 'self' https:; frame-src ${EMBED_HOSTS.join(' ')}; ` +
  `base-uri 'none'; form-action 'self'; frame-ancestors ${framedBy}`
const POLICY = policyFor()

const CACHE_CONTROL: Record<Audience, string> = {
  public: 'public, max-age=0, must-revalidate',
  private: 'private, no-cache',
  immutable: 'public, max-age=31536000, immutable',
  past: 'public, max-age=31536000, s-maxage=0, proxy-revalidate, immutable',
  'no one': 'no-store',
}
/** Caches may share responses to everyone, so they must know that the compression differs. */
const VARY: Record<Audience, string> = {
  public: 'Accept, Accept-Encoding',
  immutable: 'Accept-Encoding',
  past: 'Accept-Encoding',
  private: 'Cookie, Accept, Accept-Encoding',
  'no one': 'Cookie, Accept, Accept-Encoding',
}

/** Returns the value of `Cache-Control` for an audience. */
export const cacheControlFor = (audience: Audience): string => CACHE_CONTROL[audience]

type Coding = 'br' | 'gzip'

/** Smaller responses fit into one packet uncompressed. */
const COMPRESS_BYTES = 1_400
const WORTH_IT = /^(?:text\/|application\/(?:json|xml|[\w.+-]+\+(?:json|xml))|image\/svg\+xml)/
/** Quality of brotli. Files that never change are compressed better. */
const QUALITY = { usual: 5, immutable: 10, streamed: 3 }

const quality = (level: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: level } })

/** A response that can be sent to many readers. */
export class Prepared {
  readonly body: Buffer
  /** Alternating names and values. */
  readonly #headers: readonly string[]
  /** More of them, for readers who come from another page. */
  readonly #later: readonly string[]
  /** Weak, because all compressed forms have the same. Null = none. */
  readonly #tag: string | null
  readonly #isCompressed: boolean
  // bound: one for each coding
  readonly #coded = new Map<Coding, Buffer | Promise<Buffer>>()

  constructor(private readonly response: SiteResponse) {
    const { body, type, audience, headers, cookies, status, fontHosts, apiOrigins, framedBy } = response
    this.body = typeof body === 'string' ? Buffer.from(body) : body
    this.#isCompressed = this.body.length >= COMPRESS_BYTES && WORTH_IT.test(type)
    // It depends only on the bytes. A tag of the commit would reveal changes to pages that the reader may not see.
    this.#tag =
      status === 200 && audience !== 'no one' && !response.stream
        ? `W/"${hash('sha256', this.body, 'base64url').slice(0, 27)}"`
        : null
    this.#headers = [
      ['Content-Type', type],
      ['Cache-Control', CACHE_CONTROL[audience]],
      ['Vary', response.vary === undefined ? VARY[audience] : `${VARY[audience]}, ${response.vary}`],
      ['Content-Security-Policy', fontHosts || apiOrigins || framedBy ? policyFor(response) : POLICY],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'strict-origin-when-cross-origin'],
      ...(this.#tag === null ? [] : [['ETag', this.#tag]]),
      ...Object.entries(headers ?? {}),
      ...(cookies ?? []).map((cookie) => ['Set-Cookie', cookie]),
    ].flat()
    this.#later = Object.entries(response.laterHeaders ?? {}).flat()
  }

  get status(): number {
    return this.response.status
  }

  get counted(): SiteResponse['counted'] {
    return this.response.counted
  }

  /** Estimated memory in bytes, with the compressed forms. */
  get bytes(): number {
    return this.body.length * (this.#isCompressed ? 1.5 : 1) + 2_000
  }

  /**
   * Sends the response in the best coding that the client accepts, or 304 if the client has it. Returns the status: at
   * once, unless the body must be compressed first.
   * @param more more headers, alternating names and values
   */
  send(req: IncomingMessage, res: ServerResponse, more: readonly string[]): number | Promise<number> {
    const later = req.headers['sec-fetch-site'] === 'same-origin' ? this.#later : []
    if (this.#tag !== null && noneMatches(req.headers['if-none-match'], this.#tag)) {
      res.writeHead(304, [...this.#headers.slice(2), ...later, ...more])
      res.end()
      return 304
    }
    const coding = this.#isCompressed ? codingOf(req.headers['accept-encoding']) : null
    const codings = coding === null ? [] : ['Content-Encoding', coding]
    const write = (body: Buffer): number => {
      if (res.destroyed) return this.status
      const length = ['Content-Length', String(body.length)]
      res.writeHead(this.status, [...this.#headers, ...later, ...length, ...codings, ...more])
      res.end(body)
      return this.status
    }
    const body = coding === null ? this.body : this.#codedBy(coding)
    return body instanceof Promise ? body.then(write) : write(body)
  }

  /**
   * Sends the stream of the response, compressed as it goes. Returns the status.
   * @param watch called with the stream, to disconnect clients that read too slowly
   */
  async stream(
    req: IncomingMessage,
    res: ServerResponse,
    more: readonly string[],
    watch: (text: Readable) => void,
  ): Promise<number> {
    const coding = codingOf(req.headers['accept-encoding'])
    const codings = coding === null ? [] : ['Content-Encoding', coding]
    res.writeHead(this.status, [...this.#headers, ...more, ...codings])
    if (req.method === 'HEAD') res.end()
    else {
      const text = Readable.from(this.response.stream?.() ?? [])
      watch(text)
      if (coding === null) await pipeline(text, res)
      else await pipeline(text, coding === 'br' ? createBrotliCompress(quality(QUALITY.streamed)) : createGzip(), res)
    }
    return this.status
  }

  #codedBy(coding: Coding): Buffer | Promise<Buffer> {
    const known = this.#coded.get(coding)
    if (known) return known
    const level = this.response.audience === 'immutable' ? QUALITY.immutable : QUALITY.usual
    const made: Promise<Buffer> =
      coding === 'br' ? promisify(brotliCompress)(this.body, quality(level)) : promisify(gzip)(this.body)
    this.#coded.set(coding, made)
    made.then(
      (bytes) => this.#coded.set(coding, bytes),
      () => this.#coded.delete(coding),
    )
    return made
  }
}

/** Whether `If-None-Match` contains the tag. */
const noneMatches = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^(?!W\/)/, 'W/') === tag))

// Browsers send few different values.
const codings = new LRUCache<string, { best: Coding | null }>({ max: 200 })

/** Returns the best coding that the header accepts. */
function codingOf(header: string | undefined): Coding | null {
  if (header === undefined) return null
  const known = codings.get(header)
  if (known) return known.best
  const accepted = new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
      const q = parameters.find((one) => one.startsWith('q='))
      return [name, q === undefined ? 1 : Number(q.slice(2)) || 0]
    }),
  )
  const takes = (name: Coding): boolean => (accepted.get(name) ?? accepted.get('*') ?? 0) > 0
  const best = takes('br') ? 'br' : takes('gzip') ? 'gzip' : null
  codings.set(header, { best })
  return best
}
