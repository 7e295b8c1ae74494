/** Fetches what an import names: bounded in bytes and time, with pauses between requests to one host, and with second tries. */
import { setTimeout as wait } from 'node:timers/promises'
import { awaitRemote } from '../../kernel/remote-wait.js'
import { type HttpClient, type HttpResponse, OutboundError } from '../../outbound/index.js'
import { ImportRefused, Interrupted, ResourceFailure } from './failure.js'

/** Longest time for one response. */
const RESPONSE_MS = 30_000
/** Waits before the second and third try of what may work a moment later. */
const RETRY_MS = [500, 2_000]
const MAX_RETRY_AFTER_MS = 10_000
const PASSING = new Set([429, 502, 503, 504])

interface FetchBounds {
  /** Most bytes of all responses together. */
  maxBytes: number
  /** Most bytes of one file. */
  maxFileBytes: number
  delayMs: number
  /** When reading ends, in the time of `performance.now`. */
  deadline: number
  signal: AbortSignal
}

/** After so many requests that got no response, a host is asked no more: each costs the import up to a minute and a half. */
const MAX_SILENT = 2

/** One response to be fetched. */
interface Wish {
  /** Most bytes of this response. */
  maxBytes?: number
  /** How many redirects are followed; with 0, the redirect itself is returned. */
  redirects?: number
  /** Pause before the next request to the same host, if it is to be longer than usual. */
  delayMs?: number
}

export class Fetcher {
  #bytes = 0
  /** When each host may be asked again. */
  // bound: the hosts of one import's pages and images
  readonly #next = new Map<string, number>()
  /** How many requests in a row a host did not answer. */
  // bound: as above
  readonly #silent = new Map<string, number>()

  constructor(
    private readonly http: HttpClient,
    private readonly bounds: FetchBounds,
  ) {}

  /** Bytes that may still come. */
  get left(): number {
    return Math.max(0, this.bounds.maxBytes - this.#bytes)
  }

  get late(): boolean {
    return performance.now() >= this.bounds.deadline
  }

  /** Fetches a URL; any status is a response. Throws `ResourceFailure`, `Interrupted`. */
  async get(url: string, wish: Wish = {}): Promise<HttpResponse> {
    const host = hostOf(url)
    const silent = this.#silent.get(host) ?? 0
    if (silent >= MAX_SILENT)
      throw new ResourceFailure(`${host} did not respond to several requests before, so it was not asked again.`)
    try {
      const response = await this.#tries(url, wish)
      this.#silent.delete(host)
      return response
    } catch (error) {
      if (error instanceof ResourceFailure && error.cause instanceof OutboundError && isSilence(error.cause))
        this.#silent.set(host, silent + 1)
      throw error
    }
  }

  async #tries(url: string, wish: Wish): Promise<HttpResponse> {
    for (let tries = 0; ; tries++) {
      const [response, failure] = await this.#once(url, wish)
      const pause = RETRY_MS[tries]
      const passing = failure ? isSilence(failure) : PASSING.has(response?.status ?? 0)
      if (response && (!passing || pause === undefined)) return response
      if (failure && (!passing || pause === undefined || isNameFailure(failure)))
        throw new ResourceFailure(failure.message, { cause: failure })
      const asked = Number(response?.headers['retry-after'] ?? 0) * 1000
      await this.#rest(Math.max(pause ?? 0, Math.min(asked || 0, MAX_RETRY_AFTER_MS)))
    }
  }

  /** Fetches a URL of which the import needs the body. Throws `ResourceFailure` unless the status is 2xx. */
  async body(url: string, wish: Wish = {}): Promise<HttpResponse> {
    const response = await this.get(url, wish)
    if (response.status >= 200 && response.status < 300 && response.status !== 204) return response
    throw new ResourceFailure(`It returned status ${response.status}.`)
  }

  async #once(
    url: string,
    { maxBytes, redirects, delayMs = 0 }: Wish,
  ): Promise<[HttpResponse, null] | [null, OutboundError]> {
    const limit = Math.min(maxBytes ?? this.bounds.maxFileBytes, this.left)
    if (limit === 0)
      throw new ResourceFailure(`The import has fetched ${this.bounds.maxBytes} bytes, which is its limit.`)
    if (this.late) throw new ResourceFailure('The time for reading ran out.')
    await this.#turn(url, Math.max(delayMs, this.bounds.delayMs))
    const timeoutMs = Math.max(1_000, Math.min(RESPONSE_MS, Math.ceil(this.bounds.deadline - performance.now())))
    try {
      const response = await this.http.send({
        url,
        timeoutMs,
        maxBytes: limit,
        signal: this.bounds.signal,
        ...(redirects === undefined ? {} : { redirects }),
      })
      this.#bytes += response.body.length
      return [response, null]
    } catch (error) {
      if (this.bounds.signal.aborted) throw new Interrupted('The service is stopping.', { cause: error })
      if (error instanceof OutboundError) return [null, error]
      throw error
    }
  }

  /** Waits until the host may be asked again. */
  async #turn(url: string, delayMs: number): Promise<void> {
    const host = hostOf(url)
    const now = performance.now()
    const at = Math.max(now, this.#next.get(host) ?? 0)
    this.#next.set(host, at + delayMs)
    await this.#rest(at - now)
  }

  async #rest(ms: number): Promise<void> {
    if (ms <= 0) return
    try {
      const restMs = Math.min(ms, Math.max(0, this.bounds.deadline - performance.now()))
      await awaitRemote(() => wait(restMs, undefined, { signal: this.bounds.signal }))
    } catch (error) {
      throw new Interrupted('The service is stopping.', { cause: error })
    }
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
const isSilence = ({ failure }: OutboundError): boolean => failure === 'timeout' || failure === 'unreachable'

/** A host that does not exist will not exist in a second either. */
const isNameFailure = (failure: OutboundError): boolean => /is not known|has no address/.test(failure.message)

/** Runs work whose failure is that of the whole import. Throws `ImportRefused`. */
export async function orRefuse<T>(work: Promise<T>, explain: (reason: string) => string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ResourceFailure) throw new ImportRefused(explain(error.message), { cause: error })
    throw error
  }
}
