/**
 * The HTTP client for user-defined URLs, such as webhooks and files to fetch: safe addresses, limits, checked
 * redirects.
 */
import type { Readable } from 'node:stream'
import type { Agent } from 'undici'
import type { PrivateNetworks } from '../kernel/addresses.js'
import { awaitRemote } from '../kernel/remote-wait.js'
import { AddressGuard, hostOf } from './addresses.js'
import { readBody } from './body.js'
import { explain, OutboundError } from './errors.js'
import type { Resolve } from './resolve.js'
import { defined } from '../kernel/defined.js'

export interface HttpRequest {
  url: string
  /** Default: GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** The timeout for the whole request: name lookup, connection, redirects, body. */
  timeoutMs: number
  /** Maximum size of the response body, in bytes, decompressed. */
  maxBytes: number
  /** Whether a longer body is an error (default) or is cut off. */
  longer?: 'refuse' | 'cut'
  /** Maximum number of redirects of a GET that are followed; default 5. With 0, the redirect itself is returned. */
  redirects?: number
  /** Aborts the request. */
  signal?: AbortSignal
  /**
   * Receives the body of a 2xx response chunk by chunk; `body` is then empty. Use it for responses that are too large
   * for memory. For other statuses, `body` contains at most the first 64 KiB.
   */
  into?: (chunk: Uint8Array) => Promise<void>
}

export interface HttpResponse {
  status: number
  /** Lower-case names with their first value. */
  headers: Readonly<Record<string, string>>
  body: Buffer
  /** The final URL, after redirects. */
  url: string
}

/** A client for user-defined URLs. It uses no cookies, no proxy from the environment, and no credentials. */
export interface HttpClient {
  /** Sends a request. Any status counts as a response. Throws `OutboundError`. */
  send(request: HttpRequest): Promise<HttpResponse>
  /** Throws `OutboundError` if `send` would reject the URL or cannot resolve its host. Sends nothing. */
  check(url: string): Promise<void>
  close(): Promise<void>
}

export interface HttpClientOptions {
  allowPrivateNetworks: PrivateNetworks
  /** `User-Agent`. */
  agent: string
  /** Resolves names. Default: the name servers, then the system. */
  resolve?: Resolve
}

const MAX_REDIRECTS = 5
/** Maximum size of the body if the status is not 2xx and the body was to be read in chunks. */
const MAX_REFUSAL_BYTES = 65_536
const REDIRECTS = new Set([301, 302, 303, 307, 308])

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? (value[0] ?? '') : (value ?? '')]),
  )

/** Sends one request without following redirects. */
async function ask(agent: Agent, userAgent: string, url: URL, request: HttpRequest, signal: AbortSignal) {
  const { statusCode, headers, body } = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method ?? 'GET',
    headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...request.headers },
    ...defined({ body: request.body }),
    headersTimeout: request.timeoutMs,
    bodyTimeout: request.timeoutMs,
    signal,
  })
  return { status: statusCode, headers: flat(headers), body: body as unknown as Readable }
}

/** Reads the body of a final response, or passes it on in chunks. */
function bodyOf(
  { status, headers, body }: Awaited<ReturnType<typeof ask>>,
  request: HttpRequest,
  host: string,
): Promise<Buffer> {
  const into = status >= 200 && status < 300 ? request.into : undefined
  const refused = request.into !== undefined && into === undefined
  const maxBytes = refused ? Math.min(request.maxBytes, MAX_REFUSAL_BYTES) : request.maxBytes
  const limits = { maxBytes, cut: refused || request.longer === 'cut', host }
  return readBody(body, headers['content-encoding'] ?? '', limits, into)
}

/** Creates the client. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const guard = new AddressGuard(options.allowPrivateNetworks, options.resolve)
  let agentPromise: Promise<Agent> | null = null
  let closed = false
  const make = async (): Promise<Agent> => {
    const agent = (await import('./agent.js')).guardedAgent(guard)
    if (closed) await agent.destroy()
    return agent
  }
  // Load the agent with the first request, because many installations never send one.
  const agent = (): Promise<Agent> => (agentPromise ??= make())

  async function follow(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const limit = (request.method ?? 'GET') === 'GET' ? (request.redirects ?? MAX_REDIRECTS) : 0
    let url = readUrl(request.url)
    for (let hops = 0; ; hops++) {
      const response = await ask(await agent(), options.agent, url, request, signal)
      const { location } = response.headers
      if (limit === 0 || !REDIRECTS.has(response.status) || location === undefined) {
        const body = await bodyOf(response, request, hostOf(url))
        return { status: response.status, headers: response.headers, body, url: url.href }
      }
      response.body.on('error', () => {}).destroy()
      if (hops >= limit) throw new OutboundError('bad-response', `${hostOf(url)} redirects more than ${limit} times.`)
      url = readUrl(location, url)
    }
  }

  return {
    async send(request) {
      const host = hostOf(readUrl(request.url))
      const timeout = AbortSignal.timeout(request.timeoutMs)
      const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
      try {
        return await awaitRemote(() => follow(request, signal))
      } catch (error) {
        if (timeout.aborted)
          throw new OutboundError('timeout', `${host} did not respond within ${request.timeoutMs / 1000} seconds.`, {
            cause: error,
          })
        throw explain(error, host)
      }
    },
    async check(text) {
      const host = hostOf(readUrl(text))
      try {
        await guard.addressesOf(host)
      } catch (error) {
        throw explain(error, host)
      }
    },
    async close() {
      closed = true
      await (await agentPromise)?.destroy()
    },
  }
}

const MAX_URL_LENGTH = 2048

/**
 * Parses a user-defined URL. The parser normalizes every notation of an IPv4 address (`2130706433`, `0x7f.1`), so that
 * the checked address is the one that is connected to. Throws `OutboundError` (`refused`).
 */
function readUrl(text: string, base?: URL): URL {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text, base?.href) ? new URL(text, base) : null
  if (!url)
    throw new OutboundError('refused', `The address is not a URL, or is longer than ${MAX_URL_LENGTH} characters.`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundError('refused', 'Only http and https URLs are allowed.')
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('refused', 'A URL must not contain a user name or password.')
  url.hash = ''
  return url
}
