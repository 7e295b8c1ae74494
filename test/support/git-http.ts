import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { Transform } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
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

/** A request that a program of Git answers, as `git http-backend` would start it. */
interface ServiceCall {
  service: 'upload-pack' | 'receive-pack'
  /** The repository. */
  dir: string
  env: Record<string, string>
  /** Whether an advertisement starts with a line that names the service: in the first versions of the protocol. */
  isNamed: boolean
}

/** Returns the call of a request: null for an unknown path or an absent repository. */
function callOf(request: IncomingMessage, root: string): ServiceCall | null {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [, path = '', end = ''] =
    /^(.*)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(decodeURIComponent(pathname)) ?? []
  const service =
    (end === 'info/refs' ? searchParams.get('service') : end) === 'git-receive-pack' ? 'receive' : 'upload'
  const dir = [path, `${path}.git`, `${path}/.git`].map((one) => join(root, one)).find(isRepository)
  if (end === '' || dir === undefined) return null
  const protocol = String(request.headers['git-protocol'] ?? '')
  return {
    service: `${service}-pack`,
    dir,
    env: { ...hermeticEnv, GIT_PROTOCOL: protocol },
    isNamed: !/(?:^|:)version=2(?:$|:)/.test(protocol),
  }
}

const isRepository = (dir: string): boolean => existsSync(join(dir, 'HEAD'))
const NO_CACHE = { Expires: 'Fri, 01 Jan 1980 00:00:00 GMT', Pragma: 'no-cache', 'Cache-Control': 'no-cache' }
const typeOf = ({ service }: ServiceCall, kind: 'advertisement' | 'result') => ({
  'Content-Type': `application/x-git-${service}-${kind}`,
  ...NO_CACHE,
})

const counter = (count: (bytes: number) => void): Transform =>
  new Transform({
    transform(piece: Buffer, _encoding, done) {
      count(piece.length)
      done(null, piece)
    },
  })

/** The program itself. `git http-backend` and `git` would add a process to each request. */
const GIT = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git')

/** Sends the refs of a repository. A small process starts Git, because this one takes ten milliseconds for that. */
async function advertise(call: ServiceCall, response: ServerResponse, entry: GitHttpRequest): Promise<void> {
  const { service, dir, env } = call
  const { code, stdout } = await runCommand(GIT, [service, '--stateless-rpc', '--advertise-refs', dir], {
    cwd: dir,
    env,
  })
  const title = `# service=git-${service}\n`
  const named = `${(title.length + 4).toString(16).padStart(4, '0')}${title}0000`
  const body = Buffer.concat([Buffer.from(call.isNamed ? named : ''), stdout])
  entry.status = code === 0 ? 200 : 500
  entry.sent = body.length
  response.writeHead(entry.status, typeOf(call, 'advertisement')).end(body)
}

/**
 * Starts processes through a small process, because this one contains a whole service and takes milliseconds to start
 * one. The small process ends with this one.
 */
let starter: Promise<Launcher> | null = null

/** Runs the service for one request, streaming both ways. */
async function serve(
  call: ServiceCall,
  request: IncomingMessage,
  response: ServerResponse,
  entry: GitHttpRequest,
  cutAfter: number,
  lost: (() => void | Promise<void>) | null,
): Promise<void> {
  const { service, dir, env } = call
  const { stream, ended, kill } = await (await (starter ??= Launcher.open())).start(
    GIT,
    [service, '--stateless-rpc', dir],
    { cwd: dir, env },
  )
  response.on('close', kill)
  if (response.destroyed) kill()
  entry.status = 200
  if (!lost) response.writeHead(200, typeOf(call, 'result'))
  const counted = request.pipe(counter((bytes) => (entry.received += bytes)))
  const isPacked = request.headers['content-encoding'] === 'gzip'
  // A request that breaks off ends the service, not this process.
  ;(isPacked ? counted.pipe(createGunzip().on('error', kill)) : counted).pipe(stream)
  stream.on('data', (piece: Buffer) => {
    if (lost) return
    entry.sent += piece.length
    if (entry.sent > cutAfter) {
      response.write(piece.subarray(0, Math.max(0, piece.length - (entry.sent - cutAfter))), () => response.destroy())
      return
    }
    if (!response.write(piece)) {
      stream.pause()
      response.once('drain', () => stream.resume())
    }
  })
  await Promise.all([ended, new Promise((done) => stream.once('close', done).once('end', done))])
  stream.destroy()
  if (lost) return void (await Promise.resolve(lost()).finally(() => response.destroy()))
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
  const call = callOf(request, root)
  if (!call) return end(404)
  if (!isPack(request)) return advertise(call, response, entry)
  const lost = behaviour.losePushResponses === true && isPush(entry.url) ? () => behaviour.onLostPush?.() : null
  await serve(call, request, response, entry, behaviour.cutAfter ?? Infinity, lost)
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
