import * as assert from 'uvu/assert'
import type { Endpoint } from '../../../src/api/declaration.js'
import { endpoints } from '../../../src/api/index.js'
import { urlOf } from '../../support/probe.js'
import { startService } from '../../support/service.js'
import { isSoak } from '../../support/soak.js'
import { suiteWith } from '../../support/suite.js'
import { header, type Read, read, sameBothWays, sentAsKept, type WireResponse } from './both-ways.js'
import { sampleEnv, samples } from '../samples/index.js'

const env = {
  ...sampleEnv,
  // Every request counts, so that the responses have rate limit headers.
  BINDERY_RATE_LIMIT_PER_MINUTE: '1000000',
  BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '1000000',
  // Responses with addresses of PDFs are never cached, and printing them would cost a third of this file.
  BINDERY_CHROMIUM: '/bin/false',
}
const [test, here] = await suiteWith('cached responses for every GET', () => startService({ env }))

/** Request variants that change the response or its headers. */
const variants = (etag: string | undefined): Record<string, string>[] => [
  {},
  { 'accept-encoding': 'gzip' },
  { 'accept-encoding': 'br, gzip' },
  { origin: 'https://app.example.org' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"another"' },
  ...(etag === undefined
    ? []
    : [{ 'if-none-match': etag }, { 'if-none-match': `W/${etag}`, origin: 'https://app.example.org' }]),
]

let turn = 0
/** The plain request and two of its variants in turn. A soak sends all. */
const some = ([plain = {}, ...others]: Record<string, string>[]): Record<string, string>[] =>
  isSoak ? [plain, ...others] : [plain, ...[turn++, turn++].map((at) => others[at % others.length] ?? {})]

/** For responses that are never cached: deliveries and jobs continue, so the content may change between two reads. */
async function sameSoon(asked: Read, what: string): Promise<WireResponse> {
  for (let tries = 1; ; tries++) {
    try {
      return await sameBothWays(asked, what)
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}

test(
  'a cached response has the same status, headers and bytes as a computed one',
  async () => {
    const { parameters, special } = await samples(here)
    const members = new Set<string | null>([here.admin.token, (await here.caller('read')).token])
    const tokens = [...members, (await here.caller()).token, 'unknown', null]
    let kept = 0
    for (const [id, endpoint] of Object.entries<Endpoint>({
      ...endpoints,
      openapi: { ...endpoints.listPages, path: '/v1/openapi.json' } as Endpoint,
    })) {
      if (endpoint.method !== 'GET' || special[id] === null) continue
      const path = urlOf(endpoint, { parameters, ...special[id] })
      const first = await read({ url: here.url, path, token: here.admin.token })
      const isCached = Boolean(endpoint.validator || endpoint.repeatable)
      if (isCached) assert.is(first.status, 200, `${id} ${Buffer.from(first.body, 'base64')}`)
      const before = await sentAsKept(here.url)
      let expected = 0
      for (const token of isCached ? tokens : tokens.slice(0, 1))
        for (const headers of isCached && members.has(token) ? some(variants(header(first, 'etag'))) : [{}])
          for (const method of Object.keys(headers).length > 1 ? (['GET'] as const) : (['GET', 'HEAD'] as const)) {
            const asked = { url: here.url, path, token, method, headers }
            await read(asked)
            const again = isCached ? await sameBothWays(asked, id) : await sameSoon(asked, id)
            if (isCached && again.status < 400) expected++
          }
      const sent = (await sentAsKept(here.url)) - before
      // The very first read was already cached.
      assert.is(sent, isCached ? expected + 1 : 0, id)
      kept += sent
    }
    assert.ok(kept > 500, `${kept} responses came from what is kept`)
  },
  { timeoutMs: 180_000 },
)

test('a GET with a body or several conditions gets the same response from the cache', async () => {
  const path = '/v1/openapi.json'
  const headers = [
    { 'content-length': '0' },
    { 'if-match': '"x"' },
    { range: 'bytes=0-9' },
    { range: 'bytes=0-9', 'if-range': '"x"' },
  ]
  for (const one of headers) {
    await read({ url: here.url, path, token: null, headers: one })
    await sameBothWays({ url: here.url, path, token: null, headers: one })
  }
})

test.run()
