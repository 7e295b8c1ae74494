import { Type } from '@sinclair/typebox'
import * as assert from 'uvu/assert'
import type { Endpoint } from '../../../src/api/declaration.js'
import type { CachedResponse } from '../../../src/api/pipeline/response-cache.js'
import { suite } from '../../support/suite.js'
import { header, read, sameBothWays, sentAsKept } from './both-ways.js'
import { endpoints, startFake } from '../fake-api.js'

const test = suite('cached responses in the pipeline')

/** The behavior of the endpoint below, and the inputs that it depends on. */
interface Part {
  validator?: (context: { request: { ip: string } }) => void
  handle?: () => void
}

/** The API with an endpoint that returns `value` and records that read. `part` adds other behavior. */
async function withKept(
  config: Parameters<typeof startFake>[0],
  part: Part,
  work: (fake: Awaited<ReturnType<typeof startFake>>, state: { value: number }) => Promise<void>,
) {
  const state = { value: 1 }
  const byteCache = new Map<string, Buffer>()
  const kept = new Map<string, CachedResponse>()
  const recorded: Endpoint = {
    method: 'GET',
    path: '/v1/recorded',
    summary: 'What is recorded',
    section: 'Library',
    needs: 'public',
    returns: Type.Object({ value: Type.Number(), handled: Type.Number() }),
    validator: (context) => {
      part.validator?.(context)
      return [String((context.app as { read: () => number }).read())]
    },
    handle: (context) => {
      part.handle?.()
      return { value: (context.app as { read: () => number }).read(), handled: state.value }
    },
  }
  const fake = await startFake(config, {
    endpoints: { ...endpoints, recorded },
    byteCache,
    kept: (app) => ({
      cache: kept,
      record: (recording) => {
        const read = () => {
          recording.recordValue('value', state.value, () => state.value)
          return state.value
        }
        return Object.assign(Object.create(app) as typeof app, { read })
      },
    }),
  })
  try {
    await work(fake, state)
  } finally {
    await fake.close()
  }
}

const recorded = (url: string, token: string | null = 'reader') => ({ url, path: '/v1/recorded', token })
const value = ({ body }: { body: string }) => JSON.parse(Buffer.from(body, 'base64').toString()).value as number

test('a response is cached until one of its recorded reads changes', () =>
  withKept({}, {}, async ({ url }, state) => {
    await read(recorded(url))
    for (const now of [1, 2, 2, 1, 3]) {
      state.value = now
      assert.is(value(await sameBothWays(recorded(url))), now)
    }
    assert.is(await sentAsKept(url), 2)
  }))

test('a response is not cached if its inputs changed while it was computed', () => {
  let change = () => {}
  return withKept({}, { handle: () => change() }, async ({ url }, state) => {
    // The validator reads 1, the handler reads 2, and then the value is 1 again.
    change = () => {
      state.value = 2
      setImmediate(() => (state.value = 1))
    }
    assert.is(value(await read(recorded(url))), 2)
    change = () => {}
    assert.is(value(await read(recorded(url))), 1)
    assert.is(await sentAsKept(url), 0)
  })
})

test('a response that depends on the caller’s address is not cached', () =>
  withKept({}, { validator: ({ request }) => void request.ip }, async ({ url }) => {
    for (let i = 0; i < 3; i++) await read(recorded(url))
    assert.is(await sentAsKept(url), 0)
  }))

test('cached responses count toward the limits per token and per address', () =>
  withKept({ rateLimit: { perToken: 3, perAddress: 7 } }, {}, async ({ url }) => {
    const remaining = []
    for (let i = 0; i < 5; i++) {
      const response = await read(recorded(url))
      remaining.push([response.status, header(response, 'ratelimit')?.replace(/t=\d+/, 't')])
    }
    assert.equal(remaining, [
      [200, '"token";r=2;t'],
      [200, '"token";r=1;t'],
      [200, '"token";r=0;t'],
      [429, '"token";r=0;t'],
      [429, '"token";r=0;t'],
    ])
    const other = await read(recorded(url, 'editor'))
    assert.is(header(other, 'ratelimit-policy'), '"token";q=3;w=60')
    assert.is((await read(recorded(url, 'editor'))).status, 200)
    // The address has used its seven requests, so a token with requests left is rejected too.
    assert.is((await read(recorded(url, 'editor'))).status, 429)
    assert.is(header(await read(recorded(url, 'editor')), 'ratelimit-policy'), '"address";q=7;w=60')
  }))

test('the client address from a proxy is counted and logged', () =>
  withKept({ trustProxy: 1, rateLimit: { perToken: 0, perAddress: 2 } }, {}, async ({ url, lines }) => {
    const from = (address: string) => read({ ...recorded(url), headers: { 'x-forwarded-for': `6.6.6.6, ${address}` } })
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) assert.is((await from(address)).status, 200)
    assert.is(lines.at(-1)?.ip, '192.0.2.2')
    assert.is((await from('192.0.2.1')).status, 429)
  }))

test('a service that is stopping sends no cached responses', () =>
  withKept({}, {}, async ({ url, api }) => {
    for (let i = 0; i < 2; i++) assert.is((await read(recorded(url))).status, 200)
    assert.is(await sentAsKept(url), 1)
    api.stop()
    const refused = await read(recorded(url))
    assert.is(refused.status, 503)
    assert.match(header(refused, 'retry-after') ?? '', /^\d+$/)
  }))

test('a header with the value "undefined" does not count as absent', () =>
  withKept({ corsOrigins: ['undefined'] }, {}, async ({ url }) => {
    await read(recorded(url))
    assert.is(
      header(await read({ ...recorded(url), headers: { origin: 'undefined' } }), 'access-control-allow-origin'),
      'undefined',
    )
    assert.is(header(await read(recorded(url)), 'access-control-allow-origin'), undefined)
  }))

test.run()
