/** Fetches the resources of an import: limits bytes and time, pauses between requests to a host, and retries. */
import { setTimeout as wait } from 'node:timers/promises'
import { awaitRemote } from '../../kernel/remote-wait.js'
import { type HttpClient, type HttpResponse, OutboundError } from '../../outbound/index.js'
import { ImportRefused, Interrupted, ResourceFailure } from './failure.js'
import { defined } from '../../kernel/defined.js'

/** Maximum duration of one response in milliseconds. */
const RESPONSE_MS = 30_000
/** Delays before the second and third attempt after a temporary failure, in milliseconds. */
const RETRY_MS = [500, 2_000]
const MAX_RETRY_AFTER_MS = 10_000
const TEMPORARY_STATUSES = new Set([429, 502, 503, 504])

interface FetchBounds {
  /** Maximum number of bytes of all responses together. */
  maxBytes: number
  /** Maximum number of bytes of one file. */
  maxFileBytes: number
  delayMs: number
  /** Time when reading ends, on the clock of `performance.now`. */
  deadline: number
  signal: AbortSignal
}

/**
 * After this number of requests without a response, a host gets no more requests. Each one costs the import up to a
 * minute and a half.
 */
const MAX_SILENT = 2

/** Options of one request. */
interface FetchOptions {
  /** Maximum number of bytes of this response. */
  maxBytes?: number
  /** Maximum number of redirects to follow. With 0, the redirect itself is returned. */
  redirects?: number
  /** Minimum pause before the next request to the same host, in milliseconds. */
  delayMs?: number
}

export class Fetcher {
  #bytes = 0
  /** Time of the next allowed request per host. */
  // bound: the hosts of one import's pages and images
  readonly #next = new Map<string, number>()
  /** Number of consecutive requests without a response per host. */
  // bound: as above
  readonly #silent = new Map<string, number>()

  constructor(
    private readonly http: HttpClient,
    private readonly bounds: FetchBounds,
  ) {}

  /** Number of bytes that may still be fetched. */
  get left(): number {
    return Math.max(0, this.bounds.maxBytes - this.#bytes)
  }

  get late(): boolean {
    return performance.now() >= this.bounds.deadline
  }

  /** Fetches a URL and returns a response of any status. Throws `ResourceFailure`, `Interrupted`. */
  async get(url: string, options: FetchOptions = {}): Promise<HttpResponse> {
    const host = hostOf(url)
    const silent = this.#silent.get(host) ?? 0
    if (silent >= MAX_SILENT)
      throw new ResourceFailure(`${host} did not respond to several earlier requests, so it was skipped.`)
    try {
      const response = await this.#withRetries(url, options)
      this.#silent.delete(host)
      return response
    } catch (error) {
      if (error instanceof ResourceFailure && error.cause instanceof OutboundError && isSilence(error.cause))
        this.#silent.set(host, silent + 1)
      throw error
    }
  }

  async #withRetries(url: string, options: FetchOptions): Promise<HttpResponse> {
    for (let tries = 0; ; tries++) {
      const [response, failure] = await this.#once(url, options)
      const pause = RETRY_MS[tries]
      const isTemporary = failure ? isSilence(failure) : TEMPORARY_STATUSES.has(response?.status ?? 0)
      if (response && (!isTemporary || pause === undefined)) return response
      if (failure && (!isTemporary || pause === undefined || isNameFailure(failure)))
        throw new ResourceFailure(failure.message, { cause: failure })
      const asked = Number(response?.headers['retry-after'] ?? 0) * 1000
      await this.#rest(Math.max(pause ?? 0, Math.min(asked || 0, MAX_RETRY_AFTER_MS)))
    }
  }

  /** Fetches a URL whose body the import needs. Throws `ResourceFailure` unless the status is 2xx. */
  async body(url: string, options: FetchOptions = {}): Promise<HttpResponse> {
    const response = await this.get(url, options)
    if (response.status >= 200 && response.status < 300 && response.status !== 204) return response
    throw new ResourceFailure(`It returned status ${response.status}.`)
  }

  async #once(
    url: string,
    { maxBytes, redirects, delayMs = 0 }: FetchOptions,
  ): Promise<[HttpResponse, null] | [null, OutboundError]> {
    const limit = Math.min(maxBytes ?? this.bounds.maxFileBytes, this.left)
    if (limit === 0) throw new ResourceFailure(`The import has reached its limit of ${this.bounds.maxBytes} bytes.`)
    if (this.late) throw new ResourceFailure('The time limit for reading was reached.')
    await this.#turn(url, Math.max(delayMs, this.bounds.delayMs))
    const timeoutMs = Math.max(1_000, Math.min(RESPONSE_MS, Math.ceil(this.bounds.deadline - performance.now())))
    try {
      const response = await this.http.send({
        url,
        timeoutMs,
        maxBytes: limit,
        signal: this.bounds.signal,
        ...defined({ redirects }),
      })
      this.#bytes += response.body.length
      return [response, null]
    } catch (error) {
      if (this.bounds.signal.aborted) throw new Interrupted('The service is stopping.', { cause: error })
      if (error instanceof OutboundError) return [null, error]
      throw error
    }
  }

  /** Waits for the time of the next allowed request to the host. */
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

/** Whether the host name does not resolve. A retry would not help. */
const isNameFailure = (failure: OutboundError): boolean => /is not known|has no address/.test(failure.message)

/** Runs work whose failure fails the whole import. Throws `ImportRefused`. */
export async function orRefuse<T>(work: Promise<T>, explain: (reason: string) => string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ResourceFailure) throw new ImportRefused(explain(error.message), { cause: error })
    throw error
  }
}
