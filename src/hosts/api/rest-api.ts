/** Sends requests to the REST API of a host with its credential, and converts failures to `HostError`. */
import { type HttpClient, type HttpResponse, OutboundError } from '../../outbound/index.js'
import { HostError } from '../types.js'
import { listAt } from '../values.js'
import { isRateLimit, type RateLimits } from './rate-limits.js'
import { errorTextOf } from './words.js'

/**
 * Maximum size of a response, in bytes: a list of 30 GitHub pull requests has about 0.8 MB. Parsing the worst case
 * takes about 80 ms.
 */
const MAX_BYTES = 2 * 1024 * 1024
/** The timeout of one request. */
const TIMEOUT_MS = 20_000

/** The purpose of a request, for error messages. */
interface Purpose {
  /** Completes "… may not <doing>". */
  doing: string
  /** The permission that the credential needs, in the host's terms. */
  needs?: string
  /** The resource that is missing if the status is 404; default: the repository. */
  what?: string
}

interface ApiResponse {
  status: number
  headers: Readonly<Record<string, string>>
  value: unknown
}

/** The authorization of a request. `renew` prepares a new one after a rejection. */
export interface Authorization {
  headers(): Promise<Readonly<Record<string, string>>>
  renew?(): void
  /** Returns secrets that must not appear in a message. */
  secrets(): readonly string[]
  /** The key of the rate limit. */
  key: string
}

interface RestApiOptions {
  http: HttpClient
  limits: RateLimits
  /** The root of the API. */
  base: string
  /** `owner/name`, for messages. */
  repository: string
  authorization: Authorization
  /** The headers of every request. */
  headers?: Readonly<Record<string, string>>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The API of one host for one repository. Every function throws `HostError`. */
export class RestApi {
  readonly host: string

  constructor(private readonly options: RestApiOptions) {
    this.host = URL.canParse(options.base) ? new URL(options.base).host : 'The host'
  }

  /** Sends a request. Returns a response whose status is successful or in `accept`. */
  async ask(
    method: Method,
    path: string,
    purpose: Purpose,
    { body, accept = [] }: { body?: unknown; accept?: readonly number[] } = {},
  ): Promise<ApiResponse> {
    const { authorization } = this.options
    let answer = await this.#send(method, path, body)
    if (answer.status === 401 && authorization.renew) {
      authorization.renew()
      answer = await this.#send(method, path, body)
    }
    if ((answer.status >= 200 && answer.status < 300) || accept.includes(answer.status)) return answer
    throw this.failure(answer, purpose)
  }

  async get(path: string, purpose: Purpose): Promise<unknown> {
    return (await this.ask('GET', path, purpose)).value
  }

  /**
   * Returns the items of a list, page by page, at most `most`. Pages are counted instead of followed, because a link in
   * a response could send the credential elsewhere.
   * @param path a path that includes the page size parameter
   */
  async list(
    path: string,
    purpose: Purpose,
    { size, most, member }: { size: number; most: number; member?: string },
  ): Promise<{ items: unknown[]; more: boolean }> {
    const items: unknown[] = []
    for (let page = 1; items.length <= most; page++) {
      const found = listAt(
        await this.get(`${path}${path.includes('?') ? '&' : '?'}page=${page}`, purpose),
        ...(member === undefined ? [] : [member]),
      )
      items.push(...found.slice(0, size))
      if (found.length < size) break
    }
    return { items: items.slice(0, most), more: items.length > most }
  }

  async #send(method: Method, path: string, body: unknown): Promise<ApiResponse> {
    const { http, limits, base, authorization, headers = {} } = this.options
    limits.check(authorization.key, this.host)
    const response = await this.#sent(http, {
      url: base + path,
      method,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(await authorization.headers()),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const value = parsed(response)
    const words = errorTextOf(value, authorization.secrets())
    if (isRateLimit(response.status, response.headers, words))
      throw limits.refused(authorization.key, this.host, response.headers)
    if (value === undefined && response.status >= 200 && response.status < 300)
      throw new HostError(
        'unavailable',
        `${this.host} returned a response that is not JSON. Check the address of its API: ${base}.`,
      )
    return { status: response.status, headers: response.headers, value }
  }

  async #sent(
    http: HttpClient,
    request: { url: string; method: Method; headers: Record<string, string>; body?: string },
  ): Promise<HttpResponse> {
    try {
      // Do not follow redirects: they could send the credential to another host.
      return await http.send({ ...request, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, redirects: 0 })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new HostError(
        error.failure === 'refused' ? 'refused' : 'unavailable',
        `The host's API cannot be used: ${error.message}`,
      )
    }
  }

  /** Returns the error for a response with a failure status. */
  failure({ status, value }: ApiResponse, { doing, needs, what }: Purpose): HostError {
    const { repository, authorization } = this.options
    const said = errorTextOf(value, authorization.secrets())
    const quoted = said === '' ? '' : ` ${this.host} responded: "${said}"`
    if (status >= 300 && status < 400)
      return new HostError('notFound', `${repository} has a new URL on ${this.host}. Enter the new URL.`)
    if (status === 401)
      return new HostError(
        'unauthorized',
        `${this.host} does not accept the credential: it may have expired, been revoked or lack a scope. Enter a new one.`,
      )
    if (status === 403)
      return new HostError(
        'noRight',
        `The credential may not ${doing}.${needs === undefined ? '' : ` It needs ${needs}.`}${quoted}`,
      )
    if (status === 404 || status === 410)
      return new HostError(
        'notFound',
        `${what ?? repository} does not exist on ${this.host}, or the credential may not see it.`,
      )
    if (status >= 500 || status === 408)
      return new HostError('unavailable', `${this.host} is currently unavailable (status ${status}). Try again later.`)
    return new HostError('refused', `${this.host} refused to ${doing} (status ${status}).${quoted}`)
  }
}

/** Parses the body as JSON: null for an empty body, undefined for an invalid one. */
function parsed({ body }: HttpResponse): unknown {
  if (body.length === 0) return null
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
