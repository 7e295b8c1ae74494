import { readdirSync, readFileSync } from 'node:fs'
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import autocannon from 'autocannon'
import Koa from 'koa'
import { type Answers, type ChildOptions, type LoadOptions, mainThreadOf, type Watched } from './processes.js'

// The child process of a benchmark: the bare server, the load generator, or the watch over a service.

/** Runs bare Koa, which returns fixed bytes per path. */
async function bare(file: string): Promise<string> {
  const answers = new Map(
    Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Answers).map(([path, one]) => [
      path,
      { ...one, body: Buffer.from(one.body) },
    ]),
  )
  const koa = new Koa()
  koa.use((ctx) => {
    const answer = answers.get(ctx.url)
    if (!answer) return
    ctx.set('ETag', answer.etag)
    if (ctx.get('If-None-Match') === answer.etag) {
      ctx.status = 304
      return
    }
    ctx.type = 'application/json'
    ctx.body = answer.body
  })
  const server = createServer(koa.callback())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Loads a server, and returns the number of successful responses per second. */
async function load({ url, paths, headers, seconds, connections, status }: LoadOptions): Promise<number> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    // On a busy machine, a thousand connections take long to open.
    timeout: 60,
    headers,
    requests: paths.map((path) => ({ method: 'GET' as const, path })),
  })
  const wrong =
    result.requests.total -
    ((result.statusCodeStats as Record<string, { count?: number }> | undefined)?.[status]?.count ?? 0)
  // The counts are taken while each connection may have a pending request.
  if (wrong > 2 * connections || result.errors > 0)
    throw new Error(
      `${wrong} responses were not ${status}, ${result.errors} failed: ${JSON.stringify(result.statusCodeStats)}`,
    )
  return result.requests.total / result.duration
}

/** Pause between two requests to `/healthz`, and between two looks at the memory, in milliseconds. */
const HEALTH_MS = 20
const MEMORY_MS = 200

const NOTHING: Watched = { healthMs: 0, busyMs: 0, slow: 0, mainBytes: 0, childBytes: 0 }
let watched = { ...NOTHING }

/** Returns the watched maxima since the last call. */
function takeWatched(): Watched {
  const taken = watched
  watched = { ...NOTHING }
  return taken
}

/** Requests `/healthz` for as long as the process lives. */
async function watchHealth(url: string, pid: number): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (;;) {
    const [started, busy] = [performance.now(), mainThreadOf(pid)]
    await new Promise((done) =>
      get(`${url}/healthz`, { agent }, (answer) => answer.resume().once('end', done)).once('error', done),
    )
    const took = performance.now() - started
    watched.healthMs = Math.max(watched.healthMs, took)
    watched.busyMs = Math.max(watched.busyMs, mainThreadOf(pid) - busy)
    if (took > 100) watched.slow++
    await setTimeout(HEALTH_MS)
  }
}

/** Reads the memory of a process and of those that it started, on Linux. */
async function watchMemory(pid: number): Promise<void> {
  for (;;) {
    const children = new Map<number, number[]>()
    for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
      const parent = Number(statusOf(Number(name), 'PPid'))
      children.set(parent, [...(children.get(parent) ?? []), Number(name)])
    }
    const below = (one: number): number[] => (children.get(one) ?? []).flatMap((child) => [child, ...below(child)])
    const bytes = (one: number, field: string): number => 1024 * statusOf(one, field)
    watched.mainBytes = Math.max(watched.mainBytes, bytes(pid, 'VmRSS'))
    // The pages of a pack that Git has mapped belong to the cache of the system.
    const others = below(pid).reduce((sum, child) => sum + bytes(child, 'RssAnon'), 0)
    watched.childBytes = Math.max(watched.childBytes, others)
    await setTimeout(MEMORY_MS)
  }
}

/** Returns a number of `/proc/<pid>/status`; 0 if the process has ended. */
function statusOf(pid: number, field: string): number {
  try {
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const options = JSON.parse(process.argv[2] as string) as ChildOptions
process.on('message', (message: { cpu?: true; load?: LoadOptions; take?: true }) => {
  if (message.cpu) {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  }
  if (message.load) load(message.load).then((rate) => process.send?.(rate))
  if (message.take) process.send?.(takeWatched())
})
if (options.kind === 'watch') {
  watchHealth(options.url, options.pid)
  watchMemory(options.pid)
}
const url = options.kind === 'bare' ? await bare(options.file) : ''
process.send?.({ url })
