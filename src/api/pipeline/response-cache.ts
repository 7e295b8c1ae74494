/** Responses that are sent again, without the steps that made them, while all that they were made from is unchanged. */
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import type { BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import type { Evidence } from '../../kernel/recording.js'
import { loggedPath, type Served } from './access-log.js'
import { type ByteBudget, FREE_BYTES } from './byte-budget.js'
import { hashOf } from './hash.js'
import { networkOf } from './network-of.js'
import type { RateLimit } from './rate-limit.js'
import { type RequestState, requestId } from './request-state.js'
import { type ByteCache, type Renewable, renewed } from './renew-response.js'
import { ResponseHold } from './response-hold.js'
import { SharedEvidence } from './recorded-reads.js'

/** A response as it was sent, with what it was made from. */
export interface KeptResponse {
  status: number
  /** Names and values in turn, as Node takes them, beginning with the request ID; without what each response counts anew. */
  headers: readonly string[]
  /** Null for a HEAD and a 304. */
  body: Buffer | null
  evidence: Evidence
  /** Whether another response has brought the same evidence before. */
  isShared: boolean
  tag: string
  /** How it is made anew when the branch has moved; null = in the usual way. */
  renewable: Renewable | null
  operation: string
  /** As it is logged. */
  path: string
  caller: string | null
}

export type KeptCache = Pick<BoundedCache<KeptResponse>, 'get' | 'set' | 'delete'>

/** Larger responses are not kept: their time is that of sending them. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024
const OBJECT_BYTES = 500
const RENEWABLE_BYTES = 1000
/** Who shares the evidence of another response counts this part of it: together they outlive the one that counts it whole. */
const SHARERS = 8

function weigh(value: KeptResponse | Buffer): number {
  if (Buffer.isBuffer(value)) return value.length
  const { bytes } = value.evidence
  const own = OBJECT_BYTES + (value.renewable ? RENEWABLE_BYTES : 0) + (value.isShared ? bytes / SHARERS : bytes)
  return value.headers.reduce((sum, text) => sum + text.length, own + value.path.length)
}

/** A cache for them within the budget of all caches. Bodies that another cache holds count once. */
export function keptCache(budget: MemoryBudget): KeptCache {
  const base = (value: KeptResponse | Buffer): Buffer | null => (Buffer.isBuffer(value) ? null : value.body)
  return budget.cache<KeptResponse | Buffer>({
    weigh,
    base,
    maxEntryBytes: MAX_KEPT_BYTES,
  }) as BoundedCache<KeptResponse>
}

/** What a kept response is counted by and told to, as one that is made. */
interface KeptSurroundings {
  cache: KeptCache
  baseUrl: () => string
  limits: { byAddress: RateLimit | null; byToken: RateLimit | null }
  /** Of all responses that are not read yet. */
  responses: ByteBudget
  ipOf: (req: IncomingMessage) => string
  record: (served: Served) => void
  /** Told of an error that nothing else tells of. */
  failed: (error: unknown) => void
  /** What a response is renewed with. */
  app: unknown
  /** Bodies by their tag, as others have made them. */
  bytes: ByteCache | undefined
  /** Learns what others have changed, before a response is compared with what it was made from. Absent = nobody else changes anything. */
  learn?: (() => Promise<void>) | undefined
}

/** Headers of each request's own, which are not kept. */
const OWN_HEADERS = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy'])

export class KeptResponses {
  /** How many were sent. */
  sent = 0
  /** How many of them were renewed just before. */
  renewed = 0
  readonly #evidences = new SharedEvidence()

  constructor(private readonly around: KeptSurroundings) {}

  /** Sends a kept response if there is one that still holds; if not, nothing was counted or sent, and `make` is called. */
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
    const sendOrMake = (one: KeptResponse | null): void => {
      if (!one?.evidence.holds() || !this.#send(req, res, { kept: one, started })) make()
      else if (one !== kept) this.renewed++
    }
    const send = (): void => {
      if (kept.evidence.holds()) sendOrMake(kept)
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
    // If nobody can say what others have changed, whoever makes the response tells why.
    this.around.learn().then(unlessGone(send), unlessGone(make)).catch(failed)
  }

  /** The response for where its branch points now, which is kept instead of this one; null if it is to be made in the usual way. */
  async #renewed(key: string, kept: KeptResponse): Promise<KeptResponse | null> {
    // Whoever makes the response tells what is wrong.
    const made = await renewed(kept, this.around).catch(() => null)
    const next = made && { ...made, ...this.#evidences.shared(made.evidence) }
    if (next?.body && next.body !== kept.body && next.evidence.holds()) this.#keepBytes(next.tag, next.body)
    this.#replace(key, kept, next)
    return next
  }

  /** Others, to whom the same response is sent, need not make it; an entry that is there already has those that depend on it. */
  #keepBytes(tag: string, body: Buffer): void {
    const { bytes } = this.around
    if (bytes?.get(tag) === undefined) bytes?.set(tag, body)
  }

  /** Keeps another response, or none, instead of one that no longer holds. */
  #replace(key: string, kept: KeptResponse, next: KeptResponse | null): void {
    const { cache } = this.around
    if (cache.get(key) !== kept) return
    if (next) cache.set(key, next)
    else cache.delete(key)
  }

  /** Sends it, and returns whether the limits let it. */
  #send(
    req: IncomingMessage,
    res: ServerResponse,
    { kept, started }: { kept: KeptResponse; started: number },
  ): boolean {
    const { limits, record, ipOf } = this.around
    const ip = ipOf(req)
    const network = networkOf(ip)
    const { body, caller, operation, path, status } = kept
    // Who is refused is told so in the usual way, which counts the request.
    const now = performance.now()
    const byAddress = limits.byAddress?.room(network, now)
    const byToken = caller === null ? undefined : limits.byToken?.room(caller, now)
    if (byAddress === null || byToken === null) return false
    if (body && body.length > FREE_BYTES && !this.#hasRoom(res, body, caller ?? network)) return false
    if (byAddress) limits.byAddress?.add(network, byAddress)
    if (byToken) limits.byToken?.add(caller as string, byToken)
    const limit = byToken
      ? limits.byToken?.headers(byToken, now)
      : byAddress && limits.byAddress?.headers(byAddress, now)
    this.sent++
    const id = requestId(req)
    record({ requestId: id, method: req.method as string, path, operation, status, started, caller, ip })
    const headers = kept.headers.slice()
    headers[1] = id
    if (limit) headers.push('RateLimit-Policy', limit['RateLimit-Policy'], 'RateLimit', limit.RateLimit)
    res.writeHead(status, headers)
    res.end(body)
    return true
  }

  #hasRoom(res: ServerResponse, body: Buffer, holder: string): boolean {
    try {
      new ResponseHold(res, () => this.around.responses.share(holder)).holds(body)
      return true
    } catch {
      // The usual way will be refused too, and says why.
      return false
    }
  }

  /** Keeps the response to a request when it has been sent. */
  keepWhenSent(ctx: Context, { evidence, tag, renewable, operation, caller }: RequestState): void {
    const { req, res } = ctx
    if (!evidence || !isPlainRead(req)) return
    const path = loggedPath(ctx.path)
    res.once('finish', () => {
      const { statusCode: status } = res
      const body: unknown = ctx.method === 'HEAD' || status === 304 ? null : ctx.body
      const headers = rawHeaders(res)
      if ((status !== 200 && status !== 304) || headers === null || (body !== null && !Buffer.isBuffer(body))) return
      this.around.cache.set(this.#keyOf(req), {
        status,
        headers,
        body,
        ...this.#evidences.shared(evidence),
        tag,
        renewable,
        operation,
        path,
        caller,
      })
    })
  }

  /** All that a response depends on in the request itself. A hash of it: the token is a secret, and the URL may be long. */
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

/** A header's value and an absent header differ, and no value contains a line feed. */
const part = (value: string | string[] | undefined): string => (value === undefined ? '\n' : `\n=${value}`)

/** A GET or HEAD without a body. */
const isPlainRead = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  headers.expect === undefined &&
  headers.upgrade === undefined

/** The headers of a response for `writeHead`; null if one of them has several values. */
function rawHeaders(res: ServerResponse): string[] | null {
  const raw = ['X-Request-Id', '']
  // every outgoing message has it, the types name it for requests alone
  for (const name of (res as unknown as Pick<ClientRequest, 'getRawHeaderNames'>).getRawHeaderNames()) {
    const value = res.getHeader(name)
    if (OWN_HEADERS.has(name.toLowerCase())) continue
    if (value === undefined || Array.isArray(value)) return null
    raw.push(name, String(value))
  }
  return raw
}
