import { type ChildProcess, fork } from 'node:child_process'
import { openSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from '@sinclair/typebox'
import autocannon from 'autocannon'
import Koa from 'koa'
import { pino } from 'pino'
import { type Endpoints, endpointsOf } from '../src/api/declaration.js'
import { createApi } from '../src/api/pipeline/create-api.js'
import { createMetrics } from '../src/api/pipeline/metrics.js'
import { defineResolvers, resolversOf } from '../src/api/resolver.js'
import { createLog } from '../src/kernel/log.js'

// Compares the requests per second of the whole pipeline with bare Koa, both with one constant JSON response:
//   node --import tsx scripts/bench-pipeline.ts
// The servers run alone in their processes; the log is written (to /dev/null), limits and metrics are on.

const RESPONSE = { object: 'space', id: 'x'.repeat(20), title: 'A space', description: 'y'.repeat(300) }
const ENDPOINTS = 200
const SECONDS = 4
const ROUNDS = 2

async function pipeline() {
  const resolver = resolversOf<object, { name: string }>()
  const resolvers = defineResolvers({ spaceId: resolver()({ as: 'space', load: ({ id }) => ({ id }) }) })
  const endpoint = endpointsOf<{
    app: object
    actor: { name: string }
    permission: 'space:view'
    resolvers: typeof resolvers
  }>()
  const declare = (path: `/v1/spaces/{spaceId}${string}`) =>
    endpoint({
      method: 'GET',
      path,
      summary: 'x',
      section: 'x',
      needs: 'space:view',
      returns: Type.Object({}),
      handle: () => RESPONSE,
    })
  const endpoints: Endpoints = Object.fromEntries(
    Array.from({ length: ENDPOINTS }, (_, i) => [
      `get${i}`,
      declare(i === 0 ? '/v1/spaces/{spaceId}' : `/v1/spaces/{spaceId}/part${i % 20}${'/x'.repeat(i / 20)}`),
    ]),
  )
  const api = await createApi({
    app: {},
    endpoints,
    resolvers,
    authenticate: () => ({ name: 'reader' }),
    actorKey: (actor: { name: string }) => actor.name,
    can: () => true,
    config: {
      name: 'Bench',
      version: '1',
      publicUrl: null,
      baseUrl: () => 'http://localhost',
      trustProxy: 0,
      bodyLimitBytes: 1000,
      bodiesLimitBytes: 1_000_000,
      responsesLimitBytes: 1_000_000,
      fileLimitBytes: 1000,
      rateLimit: { perToken: 1e9, perAddress: 1e9 },
      corsOrigins: ['*'],
      metricsToken: null,
      checkResponses: false,
    },
    log: createLog({ level: 'info', destination: pino.destination({ dest: openSync('/dev/null', 'w'), sync: false }) }),
    metrics: createMetrics(),
    ready: () => [],
  })
  return api.listener
}

function bare() {
  const koa = new Koa()
  koa.use((ctx) => {
    ctx.body = RESPONSE
  })
  return koa.callback()
}

/** Returns the processor time that the server has used, in microseconds. A busy machine does not change it much. */
const cpuOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.once('message', (message) => resolve(message as number))
    child.send('cpu')
  })

async function measure(kind: string): Promise<{ perSecond: number; cpu: number }> {
  const child = fork(new URL(import.meta.url).pathname, [kind])
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(message as number)))
  const run = (duration: number) =>
    autocannon({
      url: `http://127.0.0.1:${port}/v1/spaces/abcdefghij0123456789`,
      connections: 20,
      duration,
      headers: { authorization: 'Bearer secret' },
    })
  await run(2)
  const before = await cpuOf(child)
  const result = await run(SECONDS)
  const cpu = (await cpuOf(child)) - before
  child.kill()
  if (result.non2xx > 0) throw new Error(`${kind}: ${result.non2xx} responses were not successful`)
  return { perSecond: Math.round(result.requests.average), cpu: cpu / result.requests.total }
}

const kind = process.argv[2]
if (kind) {
  const server = createServer(kind === 'bare' ? bare() : await pipeline())
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
} else {
  for (let round = 1; round <= ROUNDS; round++) {
    const limit = await measure('bare')
    const ours = await measure('pipeline')
    const percent = (part: number, whole: number) => `${Math.round((100 * part) / whole)} %`
    console.log(
      `requests/s: bare Koa ${limit.perSecond}, pipeline ${ours.perSecond} (${percent(ours.perSecond, limit.perSecond)});`,
      `processor time: ${limit.cpu.toFixed(1)} µs, ${ours.cpu.toFixed(1)} µs (${percent(limit.cpu, ours.cpu)})`,
    )
  }
}
