/**
 * An HTTP server that stands in for the REST API of a host: it checks tokens and scopes, counts requests, and fails on
 * demand.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FakeRepository } from './repository.js'

export interface HostRequest {
  method: string
  /** Path and query, without the root of the API. */
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}

export interface HostResponse {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** A route: path segments that start with `:` are parameters. The scope is what a token needs for it. */
export interface Route {
  method: string
  pattern: RegExp
  scope: string
  answer(parts: string[], request: HostRequest): HostResponse
}

/** The scopes of a token. `*` means everything. */
export type Scopes = readonly string[]

/** The conventions of one host. */
export interface Dialect {
  /** Path of the API's root on the server. */
  root: string
  routes: readonly Route[]
  /** The token of a request, or null if it has none. */
  tokenOf(request: HostRequest): string | null
  /** Scopes of a token that the server does not know itself, or null if it is invalid. */
  scopesOf?(token: string, request: HostRequest): Scopes | null
  headers?(scopes: Scopes): Record<string, string>
  unauthorized: HostResponse
  forbidden: HostResponse
  notFound: HostResponse
  limited(resetAt: number): HostResponse
}

export interface HostServer {
  /** Origin of the server: repositories are at `<url>/<owner>/<name>.git`. */
  url: string
  apiUrl: string
  repository: FakeRepository
  /** Tokens and their scopes. */
  tokens: Map<string, Scopes>
  /** All requests so far. */
  requests: HostRequest[]
  /** Responses to the next requests instead of the normal ones. A watcher of a request may still add one. */
  failures: (HostResponse | 'never' | 'cut')[]
  /** Called before a request is answered, and again after its effect and before its response. */
  watch?: (request: HostRequest, is: 'asked' | 'done') => void | Promise<void>
  /** Remaining number of accepted requests. Null means any number. */
  limit: { left: number; resetAt: number } | null
  close(): Promise<void>
}

const MAX_BODY = 1_000_000

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).subarray(0, MAX_BODY).toString()
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

/** Starts a server on a free port of 127.0.0.1 with one repository. */
export async function startHost(makeDialect: (here: HostServer) => Dialect, name = 'acme/docs'): Promise<HostServer> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const here: HostServer = {
    url,
    apiUrl: '',
    repository: new FakeRepository(name),
    tokens: new Map(),
    requests: [],
    failures: [],
    limit: null,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
  const dialect = makeDialect(here)
  here.apiUrl = url + dialect.root

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parsed = new URL(request.url ?? '/', url)
    const path = (request.url ?? '').slice(dialect.root.length)
    const asked: HostRequest = {
      method: request.method ?? '',
      path,
      query: parsed.searchParams,
      headers: request.headers,
      body: await bodyOf(request),
    }
    here.requests.push(asked)
    await here.watch?.(asked, 'asked')
    const failure = here.failures.shift()
    if (failure === 'never') return
    if (failure === 'cut') return void response.destroy()
    const { status, body, headers = {} } = failure ?? answer(asked)
    await here.watch?.(asked, 'done')
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body))
  }

  function answer(asked: HostRequest): HostResponse {
    if (here.limit && here.limit.left-- <= 0) return dialect.limited(here.limit.resetAt)
    const token = dialect.tokenOf(asked)
    const scopes = token === null ? null : (here.tokens.get(token) ?? dialect.scopesOf?.(token, asked) ?? null)
    if (!scopes) return dialect.unauthorized
    const only = asked.path.split('?', 1)[0] ?? ''
    for (const route of dialect.routes) {
      const match = route.method === asked.method ? route.pattern.exec(only) : null
      if (!match) continue
      if (!scopes.includes('*') && !scopes.includes(route.scope)) return dialect.forbidden
      const found = route.answer(match.slice(1).map(decodeURIComponent), asked)
      return { ...found, headers: { ...dialect.headers?.(scopes), ...found.headers } }
    }
    return dialect.notFound
  }
  return here
}

/** One page of a list, in the way that all hosts count pages. */
export function pageOf<T>(items: readonly T[], query: URLSearchParams, sizeName: string): T[] {
  const size = Number(query.get(sizeName) ?? 30)
  const page = Number(query.get('page') ?? 1)
  return items.slice((page - 1) * size, page * size)
}

/** The token of `Authorization: <scheme> …`. */
export const schemeToken = (request: HostRequest, ...schemes: string[]): string | null => {
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ')
  if (scheme === 'Basic' && schemes.includes('Basic'))
    return Buffer.from(value, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
  return schemes.includes(scheme) ? value : null
}
