import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import autocannon from 'autocannon'
import Koa from 'koa'
import type { Answers, ChildOptions, LoadOptions } from './processes.js'

// The child process of a benchmark: the bare server or the load generator.

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

const options = JSON.parse(process.argv[2] as string) as ChildOptions
process.on('message', (message: { cpu?: true; load?: LoadOptions }) => {
  if (message.cpu) {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  }
  if (message.load) load(message.load).then((rate) => process.send?.(rate))
})
const url = options.kind === 'bare' ? await bare(options.file) : ''
process.send?.({ url })
