import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Agent, request } from 'undici'

export const ADMIN_TOKEN = 'bindery_bench_admin_token_0123456789'

/** The responses by path. */
export type Answers = Record<string, { body: string; etag: string }>
export type ChildOptions =
  | { kind: 'bare'; file: string }
  | { kind: 'load' }
  | { kind: 'watch'; url: string; pid: number }

/** Maxima during a part of a benchmark. */
export interface Watched {
  /** The longest duration of a request to `/healthz` in milliseconds. */
  healthMs: number
  /** The most processor time that the main thread used during a request to `/healthz`, in milliseconds: without other load. */
  busyMs: number
  /** Number of requests to `/healthz` that took more than 100 ms. */
  slow: number
  /** Resident memory of the service. */
  mainBytes: number
  /** Memory of the processes that the service started, without mapped files. */
  childBytes: number
}
export interface LoadOptions {
  url: string
  paths: string[]
  headers: Record<string, string>
  seconds: number
  connections: number
  status: string
}

/** A benchmark server in a separate process. */
export interface Server {
  url: string
  /** Returns the processor time used so far, in microseconds. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/** A service in a separate process. */
export interface ServiceProcess extends Server {
  pid: number
  /** Returns the processor time of the process since it was created, in milliseconds; NaN if the system does not report it. */
  wholeTime(): number
  /**
   * Returns the processor time that its main thread has used so far, in milliseconds; NaN if the system does not report
   * it.
   */
  mainThread(): number
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function tracked(child: ChildProcess, name: string): ChildProcess {
  running.add(child)
  return child.once('exit', (code, signal) => {
    if (running.delete(child)) console.error(`the ${name} process ended: ${code ?? signal}`)
  })
}

const stop = (child: ChildProcess, signal: NodeJS.Signals) => (): Promise<void> =>
  new Promise((resolve) => {
    if (!running.delete(child)) return resolve()
    child.once('exit', () => resolve())
    child.kill(signal)
  })

/** Starts the bare server, the load generator or a watch. */
async function startChild(
  options: ChildOptions,
): Promise<{ first: { url: string }; ask: <T>(message: object) => Promise<T>; stop: () => Promise<void> }> {
  const child = tracked(
    fork(new URL('./child.ts', import.meta.url), [JSON.stringify(options)], { execArgv: process.execArgv }),
    options.kind,
  )
  const next = <T>(): Promise<T> => new Promise((resolve) => child.once('message', (message) => resolve(message as T)))
  const first = await next<{ url: string }>()
  const ask = <T>(message: object): Promise<T> => {
    const answer = next<T>()
    child.send(message)
    return answer
  }
  return { first, ask, stop: stop(child, 'SIGKILL') }
}

/** Starts bare Koa, which returns the bytes in `file`. */
export async function startBare(file: string): Promise<Server> {
  const { first, ask, stop } = await startChild({ kind: 'bare', file })
  return { url: first.url, cpu: () => ask({ cpu: true }), stop }
}

export async function startLoad(): Promise<{ load(options: LoadOptions): Promise<number>; stop(): Promise<void> }> {
  const { ask, stop } = await startChild({ kind: 'load' })
  return { load: (load) => ask({ load }), stop }
}

/** Watches a service: the response times of `/healthz`, and the memory. */
export async function startWatch({
  url,
  pid,
}: ServiceProcess): Promise<{ take(): Promise<Watched>; stop(): Promise<void> }> {
  const { ask, stop } = await startChild({ kind: 'watch', url, pid })
  return { take: () => ask({ take: true }), stop }
}

/** The measured service. To compare another build under the same load, set its `dist/main.js`. */
const MAIN = process.env.BENCH_MAIN ?? new URL('../../dist/main.js', import.meta.url)

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Starts the built service as in production, without its log. `env` contains additional settings. */
export async function startService(dir: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const profile = process.env.BENCH_PROFILE
  const child = fork(MAIN, ['serve'], {
    execArgv: profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // The same value as in scripts/start.
      UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? '16',
      BINDERY_PORT: String(port),
      BINDERY_SITES_PORT: String(await freePort()),
      BINDERY_SAMPLE_SITE: 'false',
      BINDERY_DATA_DIR: join(dir, 'data'),
      BINDERY_REPOS_DIR: join(dir, 'repos'),
      BINDERY_REMOTE_PROTOCOLS: 'https,ssh,http,file',
      BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
      BINDERY_RATE_LIMIT_PER_MINUTE: '10000000',
      BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '10000000',
      BINDERY_ADMIN_TOKEN: ADMIN_TOKEN,
      ...(process.env.BINDERY_CACHE_BYTES ? { BINDERY_CACHE_BYTES: process.env.BINDERY_CACHE_BYTES } : {}),
      ...env,
    },
  })
  tracked(child, 'service')
  while (running.has(child) && !(await isReady(url))) await setTimeout(20)
  return {
    url,
    pid: Number(child.pid),
    cpu: () => cpuOf(url),
    wholeTime: () => wholeTimeOf(child),
    mainThread: () => mainThreadOf(Number(child.pid)),
    stop: stop(child, 'SIGTERM'),
  }
}

/** Linux reports the nanoseconds of each thread. The main thread has the ID of its process. */
export function mainThreadOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return Number.NaN
  }
}

/** Length of a tick of `/proc/<pid>/stat` in milliseconds. It is the same on all common systems. */
const TICK_MS = 10

/** The metric of the service counts from the moment at which it was created, without the time to load the program. */
function wholeTimeOf({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return TICK_MS * (Number(fields[11]) + Number(fields[12]))
  } catch {
    return Number.NaN
  }
}

const isReady = (url: string): Promise<boolean> =>
  request(`${url}/readyz`, { dispatcher: agent }).then(
    async (answer) => (await answer.body.text()) !== '' && answer.statusCode === 200,
    () => false,
  )

async function cpuOf(url: string): Promise<number> {
  const answer = await request(`${url}/metrics`, { dispatcher: agent })
  const seconds = /^process_cpu_seconds_total (\S+)/m.exec(await answer.body.text())?.[1]
  return Number(seconds) * 1e6
}

const agent = new Agent({ connections: 16, keepAliveTimeout: 60_000 })

export type Json = any

/** Sends one API request. Throws if it fails. */
export async function call(
  server: Pick<Server, 'url'>,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
  token = ADMIN_TOKEN,
): Promise<{ json: Json; text: string; etag: string }> {
  const answer = await request(server.url + path, {
    method,
    dispatcher: agent,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`)
  return { json: text === '' ? null : JSON.parse(text), text, etag: String(answer.headers.etag ?? '') }
}

export async function newSpace(server: Pick<Server, 'url'>): Promise<string> {
  const { json } = await call(server, 'GET', '/v1/orgs')
  return (await call(server, 'POST', `/v1/orgs/${json.items[0].id}/spaces`, { title: 'Benchmark' })).json.id as string
}

/** Imports a repository into a space. Resolves when `git/info` reports success. */
export async function importInto(
  server: Pick<Server, 'url'>,
  space: string,
  url: string,
  ref = 'refs/heads/main',
): Promise<void> {
  await call(server, 'POST', `/v1/spaces/${space}/git/import`, { url, ref })
  for (;;) {
    const { json } = await call(server, 'GET', `/v1/spaces/${space}/git/info`)
    const sync = json.sync ?? json
    if (sync.state === 'success') return
    if (sync.state === 'failure' || sync.state === 'conflict')
      throw new Error(`the import ended in ${sync.state}: ${sync.error}`)
    await setTimeout(5)
  }
}

/** Returns the IDs of all pages with a file, in order. */
export async function pageIds(server: Pick<Server, 'url'>, space: string): Promise<string[]> {
  const { json } = await call(server, 'GET', `/v1/spaces/${space}/content/pages`)
  const ids: string[] = []
  const visit = (pages: Json[]): void => {
    for (const page of pages) {
      if (page.type === 'document') ids.push(page.id)
      visit(page.pages ?? [])
    }
  }
  visit(json.pages)
  return ids
}
