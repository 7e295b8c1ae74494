/** Asks the REST API of a host, with its credential, and turns what goes wrong into a `HostError`. */
import { type HttpClient, type HttpResponse, OutboundError } from '../../outbound/index.js'
import { HostError } from '../types.js'
import { listAt } from '../values.js'
import { isRateLimit, type RateLimits } from './rate-limits.js'
import { wordsOf } from './words.js'

/** Largest response, in bytes: a list of 30 pull requests of GitHub has about 0.8 MB. Parsing the worst of it takes about 80 ms. */
const MAX_BYTES = 2 * 1024 * 1024
/** For one request. */
const TIMEOUT_MS = 20_000

/** What a request is for: it makes the sentence of an error. */
interface Purpose {
  /** "… may not <doing>". */
  doing: string
  /** What the credential needs for it, in the host's words. */
  needs?: string
  /** What does not exist, if the answer is 404; default: the repository. */
  what?: string
}

interface Answer {
  status: number
  headers: Readonly<Record<string, string>>
  value: unknown
}

/** How a request proves who asks. `renew` makes another proof after one was refused; null if there is none. */
export interface Authorization {
  headers(): Promise<Readonly<Record<string, string>>>
  renew?(): void
  /** What must not be in a message. */
  secrets(): readonly string[]
  /** Whose rate limit it is. */
  key: string
}

interface RestApiOptions {
  http: HttpClient
  limits: RateLimits
  /** Root of the API. */
  base: string
  /** `owner/name`, for messages. */
  repository: string
  authorization: Authorization
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The API of one host for one repository. Every function throws `HostError`. */
export class RestApi {
  readonly host: string

  constructor(private readonly options: RestApiOptions) {
    this.host = URL.canParse(options.base) ? new URL(options.base).host : 'The host'
  }

  /** The answer with a good status, or with one of `accept`. */
  async ask(
    method: Method,
    path: string,
    purpose: Purpose,
    { body, accept = [] }: { body?: unknown; accept?: readonly number[] } = {},
  ): Promise<Answer> {
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
   * The items of a list, page by page, at most `most`. Pages are counted, not followed: a link in an answer could lead the credential elsewhere.
   * @param path with the parameter for the size of a page
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

  async #send(method: Method, path: string, body: unknown): Promise<Answer> {
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
    const words = wordsOf(value, authorization.secrets())
    if (isRateLimit(response.status, response.headers, words))
      throw limits.refused(authorization.key, this.host, response.headers)
    if (value === undefined && response.status >= 200 && response.status < 300)
      throw new HostError(
        'unavailable',
        `${this.host} returned something that is not JSON. Is this the address of its API: ${base}?`,
      )
    return { status: response.status, headers: response.headers, value }
  }

  async #sent(
    http: HttpClient,
    request: { url: string; method: Method; headers: Record<string, string>; body?: string },
  ): Promise<HttpResponse> {
    try {
      // A redirect is not followed: it could lead the credential to another host.
      return await http.send({ ...request, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, redirects: 0 })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new HostError(
        error.failure === 'refused' ? 'refused' : 'unavailable',
        `The API of the host cannot be used: ${error.message}`,
      )
    }
  }

  /** What an answer with a bad status means to users. */
  failure({ status, value }: Answer, { doing, needs, what }: Purpose): HostError {
    const { repository, authorization } = this.options
    const said = wordsOf(value, authorization.secrets())
    const quoted = said === '' ? '' : ` ${this.host} says: "${said}"`
    if (status >= 300 && status < 400)
      return new HostError('notFound', `${repository} has moved on ${this.host}. Enter its new URL.`)
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
      return new HostError('unavailable', `${this.host} does not work at the moment (status ${status}).`)
    return new HostError('refused', `${this.host} refused to ${doing} (status ${status}).${quoted}`)
  }
}

/** The body as JSON: null for an empty one, undefined for one that is something else. */
function parsed({ body }: HttpResponse): unknown {
  if (body.length === 0) return null
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
