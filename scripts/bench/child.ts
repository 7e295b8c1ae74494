import { readFileSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import autocannon from 'autocannon'
import Koa from 'koa'
import { pino } from 'pino'
import type { Endpoint } from '../../src/api/declaration.js'
import { endpoints } from '../../src/api/index.js'
import { loadConfig } from '../../src/config.js'
import { createLog } from '../../src/kernel/log.js'
import { spaces } from '../../src/model/index.js'
import { start } from '../../src/server.js'
import { ADMIN_TOKEN, type Answers, type ChildOptions, type LoadOptions } from './processes.js'

/** What is to be closed at the end. */
const ends: (() => Promise<void>)[] = []

/** What `fork` starts: one server, or the load, alone in its process. */
async function service(options: Extract<ChildOptions, { kind: 'service' }>): Promise<string> {
  if (options.constant !== undefined) {
    const answer: unknown = JSON.parse(options.constant)
    const { validator: _none, ...declared } = endpoints.getPageById as Endpoint
    Object.assign(endpoints, { getPageById: { ...declared, handle: () => answer } })
  }
  const config = loadConfig({
    BINDERY_PORT: '0',
    BINDERY_DATA_DIR: join(options.dir, 'data'),
    BINDERY_REPOS_DIR: join(options.dir, 'repos'),
    BINDERY_REMOTE_PROTOCOLS: 'https,ssh,http,file',
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
    BINDERY_RATE_LIMIT_PER_MINUTE: '10000000',
    BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '10000000',
    BINDERY_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  // The log is written as in production, only to nowhere.
  const log = createLog({ level: 'info', destination: pino.destination({ dest: openSync('/dev/null', 'w'), sync: false }) })
  const { app, url, close } = await start(config, { log })
  ends.push(close)
  process.on('message', (message: { fill?: { space: string; documents: number } }) => {
    if (message.fill) fill(message.fill.space, message.fill.documents).then(() => process.send?.('filled'))
  })
  async function fill(like: string, documents: number): Promise<void> {
    const space = await app.store.get(spaces, like)
    if (!space) throw new Error('no such space')
    const { version: _version, ...draft } = space
    for (let at = 0; at < documents; at += 1000) {
      await app.store.transact(async (tx) => {
        for (let i = at; i < Math.min(documents, at + 1000); i++) await tx.insert(spaces, { ...draft, id: `filler-${i}`, deletedAt: draft.createdAt })
      })
    }
  }
  return url
}

/** Koa with nothing, answering given bytes per path. */
async function bare(file: string): Promise<string> {
  const answers = new Map(
    Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Answers).map(([path, one]) => [path, { ...one, body: Buffer.from(one.body) }]),
  )
  const koa = new Koa()
  koa.use((ctx) => {
    const answer = answers.get(ctx.path)
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

/** Loads a server, and answers its successes per second. */
async function load({ url, paths, headers, seconds, connections, status }: LoadOptions): Promise<number> {
  const result = await autocannon({ url, connections, duration: seconds, headers, requests: paths.map((path) => ({ method: 'GET' as const, path })) })
  const wrong = result.requests.total - ((result.statusCodeStats as Record<string, { count?: number }> | undefined)?.[status]?.count ?? 0)
  if (wrong > connections || result.errors > 0) throw new Error(`${wrong} answers were not ${status}, ${result.errors} failed`)
  return result.requests.total / result.duration
}

const options = JSON.parse(process.argv[2] as string) as ChildOptions
process.on('message', (message: { cpu?: true; load?: LoadOptions; end?: true }) => {
  if (message.cpu) {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  }
  // An orderly exit lets `node --cpu-prof` write what it found.
  if (message.end) Promise.all(ends.map((end) => end())).then(() => process.exit())
  if (message.load) load(message.load).then((rate) => process.send?.(rate))
})
const url = options.kind === 'service' ? await service(options) : options.kind === 'bare' ? await bare(options.file) : ''
process.send?.({ url })
