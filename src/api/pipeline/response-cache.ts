/**
 * Caches complete responses and sends them again, without running the pipeline, while their recorded reads are
 * unchanged.
 */
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import type { BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import type { RecordedReads } from '../../kernel/recording.js'
import { loggedPath, type ServedRequest } from './access-log.js'
import { type ByteBudget, FREE_BYTES } from './byte-budget.js'
import { networkOf } from '../../kernel/network-of.js'
import type { RateLimit } from './rate-limit.js'
import { type RequestState, requestId } from './request-state.js'
import { type ByteCache, type RenewalData, renewResponse } from './renew-response.js'
import { ResponseMemory } from './response-hold.js'
import { hashOf } from './etag.js'

/**
 * Shares equal recorded reads. All pages of a space depend on the same token, roles and head.
 * One comparison after a change serves all of them, and one copy is more likely to be in the processor's caches.
 */
export class SharedReads {
  // bound: recorded reads that cached responses refer to
  readonly #known = new Map<string, WeakRef<RecordedReads>>()
  readonly #collected = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key)
  })

  /**
   * Returns the recorded reads that are already stored for the same values, else these, and whether they were stored.
   */
  shared(reads: RecordedReads): { reads: RecordedReads; isShared: boolean } {
    const known = this.#known.get(reads.key)?.deref()
    if (known) return { reads: known, isShared: true }
    this.#known.set(reads.key, new WeakRef(reads))
    this.#collected.register(reads, reads.key)
    return { reads, isShared: false }
  }
}

/** A response as it was sent, with its recorded reads. */
export interface CachedResponse {
  status: number
  /**
   * Alternating names and values, as Node takes them, starting with the request ID. Rate limit headers are left out.
   */
  headers: readonly string[]
  /** Null for HEAD and for 304. */
  body: Buffer | null
  reads: RecordedReads
  /** Whether another cached response has the same recorded reads. */
  isShared: boolean
  tag: string
  /** The data to renew it after the branch has moved; null = run the pipeline. */
  renewable: RenewalData | null
  operation: string
  /** The path as it is logged. */
  path: string
  caller: string | null
}

export type CachedResponses = Pick<BoundedCache<CachedResponse>, 'get' | 'set' | 'delete'>

/** Larger responses are not cached. Sending them takes longer than building them. */
export const MAX_CACHED_BYTES = 16 * 1024 * 1024
const OBJECT_BYTES = 500
const RENEWABLE_BYTES = 1000
/**
 * Cached responses that share recorded reads count 1/8 of them each: together they outlive the response that counts
 * them fully.
 */
const SHARERS = 8

function weigh(value: CachedResponse | Buffer): number {
  if (Buffer.isBuffer(value)) return value.length
  const { bytes } = value.reads
  const own = OBJECT_BYTES + (value.renewable ? RENEWABLE_BYTES : 0) + (value.isShared ? bytes / SHARERS : bytes)
  return value.headers.reduce((sum, text) => sum + text.length, own + value.path.length)
}

/** Creates a cache within the budget of all caches. Bodies that another cache also holds count once. */
export function openResponseCache(budget: MemoryBudget): CachedResponses {
  const base = (value: CachedResponse | Buffer): Buffer | null => (Buffer.isBuffer(value) ? null : value.body)
  return budget.cache<CachedResponse | Buffer>({
    weigh,
    base,
    maxEntryBytes: MAX_CACHED_BYTES,
  }) as BoundedCache<CachedResponse>
}

/** The limits, metrics and caches that cached responses share with the pipeline. */
interface ResponseCacheOptions {
  cache: CachedResponses
  baseUrl: () => string
  limits: { byAddress: RateLimit | null; byToken: RateLimit | null }
  /** The budget of all responses that are not read yet. */
  responses: ByteBudget
  ipOf: (req: IncomingMessage) => string
  record: (served: ServedRequest) => void
  /** Receives errors that are reported nowhere else. */
  failed: (error: unknown) => void
  /** The app for renewals. */
  app: unknown
  /** Bodies by tag, as the pipeline caches them. */
  bytes: ByteCache | undefined
  /** Learns about changes of other nodes before a response is compared. Absent = this process makes all changes. */
  learn?: (() => Promise<void>) | undefined
}

/** Headers that differ for each request and are not cached. */
const OWN_HEADERS = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy'])

export class ResponseCache {
  /** Number of responses sent. */
  sent = 0
  /** Number of responses that were renewed before they were sent. */
  renewed = 0
  readonly #sharedReads = new SharedReads()

  constructor(private readonly around: ResponseCacheOptions) {}

  /** Sends the cached response if it is still valid. Otherwise counts and sends nothing, and calls `make`. */
  serve(req: IncomingMessage, res: ServerResponse, make: () => void): void {
    const started = performance.now()
    const key = isPlainRead(req) ? this.#keyOf(req) : null
    const kept = key === null ? undefined : this.around.cache.get(key)
    if (key === null || !kept) {
      make()
      return
    }
    const unlessGone = (then: () => void) => (): void => {
      if (!res.destroyed) then()
    }
    const failed = (error: unknown): void => {
      this.around.failed(error)
      res.destroy()
    }
    const sendOrMake = (one: CachedResponse | null): void => {
      if (!one?.reads.areUnchanged() || !this.#send(req, res, { kept: one, started })) make()
      else if (one !== kept) this.renewed++
    }
    const send = (): void => {
      if (kept.reads.areUnchanged()) sendOrMake(kept)
      else if (kept.renewable)
        this.#renewed(key, kept)
          .then((next) => unlessGone(() => sendOrMake(next))())
          .catch(failed)
      else {
        this.#replace(key, kept, null)
        make()
      }
    }
    if (!this.around.learn) {
      send()
      return
    }
    // If the database is unreachable, run the pipeline: it reports the error.
    this.around.learn().then(unlessGone(send), unlessGone(make)).catch(failed)
  }

  /**
   * Renews a cached response for the current head of its branch and stores the result; null if the pipeline must run.
   */
  async #renewed(key: string, kept: CachedResponse): Promise<CachedResponse | null> {
    // On failure, the pipeline runs and reports the error.
    const made = await renewResponse(kept, this.around).catch(() => null)
    const next = made && { ...made, ...this.#sharedReads.shared(made.reads) }
    if (next?.body && next.tag !== kept.tag && next.reads.areUnchanged()) this.#keepBytes(next.tag, next.body)
    this.#replace(key, kept, next)
    return next
  }

  /**
   * Saves work for other callers with the same response. An existing entry is kept, because other entries depend on it.
   */
  #keepBytes(tag: string, body: Buffer): void {
    const { bytes } = this.around
    if (bytes?.get(tag) === undefined) bytes?.set(tag, body)
  }

  /** Replaces an entry that is no longer valid, or deletes it. */
  #replace(key: string, kept: CachedResponse, next: CachedResponse | null): void {
    const { cache } = this.around
    if (cache.get(key) !== kept) return
    if (next) cache.set(key, next)
    else cache.delete(key)
  }

  /** Sends the response. Returns false if a limit does not allow it. */
  #send(
    req: IncomingMessage,
    res: ServerResponse,
    { kept, started }: { kept: CachedResponse; started: number },
  ): boolean {
    const { limits, record, ipOf } = this.around
    const ip = ipOf(req)
    const network = networkOf(ip)
    const { body, caller, operation, path, status } = kept
    // If a limit is reached, the pipeline rejects and counts the request.
    const now = performance.now()
    const byAddress = limits.byAddress?.room(network, now)
    const byToken = caller === null ? undefined : limits.byToken?.room(caller, now)
    if (byAddress === null || byToken === null) return false
    if (body && body.length > FREE_BYTES && !this.#hasRoom(res, body, caller ?? network)) return false
    if (byAddress) limits.byAddress?.add(network, byAddress)
    if (caller !== null && byToken) limits.byToken?.add(caller, byToken)
    const limit = byToken
      ? limits.byToken?.headers(byToken, now)
      : byAddress && limits.byAddress?.headers(byAddress, now)
    this.sent++
    const id = requestId(req)
    record({ requestId: id, method: req.method ?? '', path, operation, status, started, caller, ip })
    const headers = kept.headers.slice()
    headers[1] = id
    if (limit) headers.push('RateLimit-Policy', limit['RateLimit-Policy'], 'RateLimit', limit.RateLimit)
    res.writeHead(status, headers)
    res.end(body)
    return true
  }

  #hasRoom(res: ServerResponse, body: Buffer, holder: string): boolean {
    try {
      new ResponseMemory(res, () => this.around.responses.share(holder)).track(body)
      return true
    } catch {
      // The pipeline will reject the request too, with a message.
      return false
    }
  }

  /** Caches the response to a request after it was sent. */
  storeWhenSent(ctx: Context, { reads, tag, renewable, operation, caller }: RequestState): void {
    const { req, res } = ctx
    if (!reads || !isPlainRead(req)) return
    const path = loggedPath(ctx.path)
    res.once('finish', () => {
      const { statusCode: status } = res
      const sent: unknown = ctx.method === 'HEAD' || status === 304 ? null : ctx.body
      const body = typeof sent === 'string' ? Buffer.from(sent) : sent
      const headers = rawHeaders(res)
      if ((status !== 200 && status !== 304) || headers === null || (body !== null && !Buffer.isBuffer(body))) return
      this.around.cache.set(this.#keyOf(req), {
        status,
        headers,
        body,
        ...this.#sharedReads.shared(reads),
        tag,
        renewable,
        operation,
        path,
        caller,
      })
    })
  }

  /** Hashes all parts of the request that the response depends on. The token is a secret, and the URL may be long. */
  #keyOf({ method, url, headers }: IncomingMessage): string {
    const own =
      part(headers.authorization) +
      part(headers.origin) +
      part(headers['accept-encoding']) +
      part(headers['if-none-match']) +
      part(headers['if-match']) +
      part(headers['if-modified-since']) +
      part(headers['if-unmodified-since']) +
      part(headers['if-range']) +
      part(headers.range)
    return hashOf('sha256', `${method} ${url}\n${this.around.baseUrl()}${own}`)
  }
}

/** Distinguishes an empty header from an absent one. Header values contain no line feed. */
const part = (value: string | string[] | undefined): string => (value === undefined ? '\n' : `\n=${value}`)

/** Whether the request is a GET or HEAD without a body. */
const isPlainRead = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  headers.expect === undefined &&
  headers.upgrade === undefined

/** Returns the headers of a response for `writeHead`; null if one of them has several values. */
function rawHeaders(res: ServerResponse): string[] | null {
  const raw = ['X-Request-Id', '']
  // Every outgoing message has this method, but the types declare it only for requests.
  for (const name of (res as unknown as Pick<ClientRequest, 'getRawHeaderNames'>).getRawHeaderNames()) {
    const value = res.getHeader(name)
    if (OWN_HEADERS.has(name.toLowerCase())) continue
    if (value === undefined || Array.isArray(value)) return null
    raw.push(name, String(value))
  }
  return raw
}
