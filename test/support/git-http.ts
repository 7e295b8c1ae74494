import { execFileSync } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { Transform } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Launcher } from '../../src/git/process/launcher.js'
import { type BareRepository, createBareRepository, type RepositoryContent } from './bare-repository.js'
import { runCommand } from './commands.js'
import { hermeticEnv } from './hermetic-git.js'

/** The server's behavior. `GitHttp.behaviour` holds the same object, so a test can change it between requests. */
export interface GitHttpBehaviour {
  /** Basic authentication that every request needs. */
  auth?: { username: string; password: string }
  /** Called with each request before the response. */
  onRequest?: (request: GitHttpRequest) => void | Promise<void>
  /** Milliseconds to wait before each response. */
  delayMs?: number
  /** Redirects every request (302) to this URL followed by the request's path. */
  redirectTo?: string
  /** Accepts requests without a response: 'all', or only those for a pack (after the refs were sent). */
  neverResponds?: 'all' | 'pack'
  /** Breaks the connection after this many bytes of the body of a response to a POST. */
  cutAfter?: number
  /** Performs pushes and breaks the connection before the first byte of the response. */
  losePushResponses?: boolean
  /** Called when a push whose response is lost was performed, before the connection breaks. */
  onLostPush?: () => void | Promise<void>
  /** Responds to the requests of Git LFS (`…/info/lfs/…`) after authentication. */
  lfs?: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** Status for every push, after authentication. For a rejection by Git itself, use a repository's `rejectPushes`. */
  pushStatus?: number
}

export interface GitHttpRequest {
  method: string
  /** Path and query. */
  url: string
  authorization: string | null
  /** Body bytes received (as sent, compressed if they were) and sent. */
  received: number
  sent: number
  status: number
}

export interface GitHttp {
  /** `http://127.0.0.1:<port>`. */
  url: string
  behaviour: GitHttpBehaviour
  /** All requests so far, in order of arrival. */
  requests: GitHttpRequest[]
  /** A bare repository below the root, served as `<url>/<name>`; `name` ends in `.git` by custom. */
  createRepository(name: string, content?: RepositoryContent): Promise<BareRepository & { url: string }>
  close(): Promise<void>
}

/** The header block of a CGI response, once it is complete: status, headers, and the start of the body. */
function parseHead(bytes: Buffer): { status: number; headers: [string, string][]; body: number } | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const pairs = bytes
    .subarray(0, end)
    .toString('latin1')
    .split('\r\n')
    .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
  const status = pairs.find(([name]) => name.toLowerCase() === 'status')?.[1]
  return {
    status: status ? Number.parseInt(status, 10) : 200,
    headers: pairs.filter(([name]) => name.toLowerCase() !== 'status'),
    body: end + 4,
  }
}

function cgiEnv(request: IncomingMessage, root: string, user: string): Record<string, string> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const header = (name: string): string => String(request.headers[name] ?? '')
  return {
    ...hermeticEnv,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: header('content-type'),
    REMOTE_USER: user,
    REMOTE_ADDR: '127.0.0.1',
    ...(header('content-length') ? { CONTENT_LENGTH: header('content-length') } : {}),
    ...(header('content-encoding') ? { HTTP_CONTENT_ENCODING: header('content-encoding') } : {}),
    ...(header('git-protocol') ? { HTTP_GIT_PROTOCOL: header('git-protocol') } : {}),
  }
}

const counter = (count: (bytes: number) => void): Transform =>
  new Transform({
    transform(piece: Buffer, _encoding, done) {
      count(piece.length)
      done(null, piece)
    },
  })

/** The program itself: `git http-backend` would add one process per request. */
const HTTP_BACKEND = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend')

/**
 * Runs `git http-backend` for a request without a body and with a small response. A small process starts it, because
 * this one takes ten milliseconds for that.
 */
async function smallBackend(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  user: string,
  entry: GitHttpRequest,
): Promise<void> {
  const { stdout } = await runCommand(HTTP_BACKEND, [], { cwd: root, env: cgiEnv(request, root, user) })
  const parsed = parseHead(stdout)
  if (!parsed) return void response.writeHead(500).end()
  entry.status = parsed.status
  entry.sent = stdout.length - parsed.body
  response.writeHead(parsed.status, parsed.headers.flat()).end(stdout.subarray(parsed.body))
}

/**
 * Starts processes through a small process, because this one contains a whole service and takes milliseconds to start
 * one. The small process ends with this one.
 */
let starter: Promise<Launcher> | null = null

/** Runs `git http-backend` for one request, streaming both ways. */
async function backend(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  user: string,
  entry: GitHttpRequest,
  cutAfter: number,
  lost: (() => void | Promise<void>) | null,
): Promise<void> {
  const { stream, ended, kill } = await (await (starter ??= Launcher.open())).start(HTTP_BACKEND, [], {
    cwd: root,
    env: cgiEnv(request, root, user),
  })
  response.on('close', kill)
  if (response.destroyed) kill()
  let head: Buffer | null = Buffer.alloc(0)
  request.pipe(counter((bytes) => (entry.received += bytes))).pipe(stream)
  stream.on('data', (piece: Buffer) => {
    if (lost) return
    let body = piece
    if (head) {
      head = Buffer.concat([head, piece])
      const parsed = parseHead(head)
      if (!parsed) return
      body = head.subarray(parsed.body)
      head = null
      entry.status = parsed.status
      response.writeHead(parsed.status, parsed.headers.flat())
    }
    entry.sent += body.length
    if (entry.sent > cutAfter) {
      response.write(body.subarray(0, Math.max(0, body.length - (entry.sent - cutAfter))), () => response.destroy())
      return
    }
    if (!response.write(body)) {
      stream.pause()
      response.once('drain', () => stream.resume())
    }
  })
  await Promise.all([ended, new Promise((done) => stream.once('close', done).once('end', done))])
  stream.destroy()
  if (lost) return void (await Promise.resolve(lost()).finally(() => response.destroy()))
  if (!response.headersSent) response.writeHead(500)
  response.end()
}

const isPush = (url: string): boolean => url.includes('git-receive-pack')
const isPack = (request: IncomingMessage): boolean => request.method === 'POST'

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  behaviour: GitHttpBehaviour,
  entry: GitHttpRequest,
): Promise<void> {
  const end = (status: number, headers: Record<string, string> = {}): void => {
    entry.status = status
    response.writeHead(status, headers).end()
  }
  await behaviour.onRequest?.(entry)
  if (behaviour.neverResponds === 'all' || (behaviour.neverResponds === 'pack' && isPack(request))) return
  if (behaviour.delayMs) await wait(behaviour.delayMs)
  if (behaviour.redirectTo) return end(302, { location: behaviour.redirectTo + entry.url })
  const { auth } = behaviour
  const wanted = auth && `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
  if (wanted && entry.authorization !== wanted) return end(401, { 'www-authenticate': 'Basic realm="Git"' })
  if (behaviour.lfs && entry.url.includes('.git/info/lfs/')) {
    await behaviour.lfs(request, response)
    entry.status = response.statusCode
    return
  }
  if (behaviour.pushStatus && isPush(entry.url)) return end(behaviour.pushStatus)
  if (!isPack(request)) return smallBackend(request, response, root, auth?.username ?? 'anybody', entry)
  const lost = behaviour.losePushResponses === true && isPush(entry.url) ? () => behaviour.onLostPush?.() : null
  await backend(request, response, root, auth?.username ?? 'anybody', entry, behaviour.cutAfter ?? Infinity, lost)
}

/**
 * A real smart-HTTP Git server on 127.0.0.1, over the bare repositories in `root` (an existing folder), by default on a
 * free port.
 */
export async function startGitHttp({
  root,
  port = 0,
  ...behaviour
}: { root: string; port?: number } & GitHttpBehaviour): Promise<GitHttp> {
  const requests: GitHttpRequest[] = []
  const absolute = resolve(root)
  const server = createServer((request, response) => {
    const entry = {
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: request.headers.authorization ?? null,
      received: 0,
      sent: 0,
      status: 0,
    }
    requests.push(entry)
    respond(request, response, absolute, behaviour, entry).catch(() => response.destroy())
  })
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    behaviour,
    requests,
    createRepository: async (name, content = {}) => ({
      ...(await createBareRepository(join(absolute, name), content)),
      url: `${url}/${name}`,
    }),
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
