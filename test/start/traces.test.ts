import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type ServerProcess, startServer, TOKEN, until } from '../races/server-process.js'
import { suite } from '../support/suite.js'

// @own-process: it starts servers with a collector
const test = suite('start: traces')

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

interface Sent {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: Record<string, unknown> }[]
}

/** A collector that keeps what it receives. */
async function collector() {
  const spans: Sent[] = []
  const headers: IncomingHttpHeaders[] = []
  let text = ''
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part) => parts.push(part))
    req.on('end', () => {
      const body = Buffer.concat(parts).toString()
      text += body
      headers.push({ ...req.headers, path: req.url })
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans)
      res.setHeader('Content-Type', 'application/json').end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, spans, headers, text: () => text, close: () => server.close() }
}

/** Starts a server, does some work, and stops it. Returns its output. */
async function served(env: Record<string, string>, work: (server: ServerProcess) => Promise<void>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'traces-'))
  const server = await startServer(dir, env)
  try {
    await work(server)
    server.child.kill('SIGTERM')
    assert.is(await server.ended, 0, server.output())
    return server.output()
  } finally {
    await server.kill('tree')
    await rm(dir, { recursive: true, force: true })
  }
}

const call = (url: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
  fetch(url, {
    ...init,
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...init.headers },
  })

test('requests, jobs and Git processes are spans of the trace of their caller, without texts', async () => {
  const collected = await collector()
  const named = (name: RegExp): Sent[] => collected.spans.filter((span) => name.test(span.name))
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collected.url}/`,
    BINDERY_REMOTE_PROTOCOLS: 'http',
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
  }
  const output = await served(env, async ({ url, organization }) => {
    const made = await call(`${url}/v1/orgs/${organization}/spaces`, {
      method: 'POST',
      body: JSON.stringify({ title: 'Secret plans', editMode: 'live' }),
      headers: { traceparent: `00-${TRACE}-${PARENT}-01` },
    })
    assert.is(made.status, 201)
    const { id } = await made.json()
    const imported = await call(`${url}/v1/spaces/${id}/git/import`, {
      method: 'POST',
      body: JSON.stringify({ url: 'http://127.0.0.1:9/secret/repository.git', ref: 'refs/heads/main' }),
    })
    assert.is(imported.status, 204, await imported.text())
    await call(`${url}/v1/spaces/${id}/content/path/secret-page?secret=query`)
    await until(async () => {
      const { items } = await (await call(`${url}/v1/spaces/${id}/git/history`)).json()
      return /"state":"failure"/.test(JSON.stringify(items)) || null
    })
  })
  collected.close()
  const [create] = named(/^POST createSpace/)
  assert.ok(create, `The collector received [${collected.spans.map(({ name }) => name)}]. The server said: ${output}`)
  assert.is(create?.traceId, TRACE)
  assert.is(create?.parentSpanId, PARENT)
  const attribute = (name: string) => create?.attributes.find(({ key }) => key === name)?.value
  assert.equal(attribute('http.response.status_code'), { intValue: 201 })
  const jobs = named(/^job /)
  assert.ok(jobs.length > 0, collected.spans.map(({ name }) => name).join())
  const work = [create, ...jobs].map((span) => span?.spanId)
  assert.ok(named(/^git [a-z-]+$/).some(({ parentSpanId }) => parentSpanId && work.includes(parentSpanId)))
  assert.is(collected.headers[0]?.path, '/v1/traces')
  assert.not.match(collected.text(), /secret|plans|127\.0\.0\.1|Bearer/i)
  assert.not.match(collected.text(), TOKEN)
  assert.match(collected.text(), '"service.name"')
})

test('a collector that is away delays nothing, and the log says so', async () => {
  const output = await served({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, async ({ url, organization }) => {
    for (let i = 0; i < 20; i++) assert.is((await call(`${url}/v1/orgs/${organization}`)).status, 200)
  })
  assert.match(output, /Traces could not be sent/)
})

test.run()
