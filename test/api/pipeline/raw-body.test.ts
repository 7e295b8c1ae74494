import supertest from 'supertest'
import * as assert from 'uvu/assert'
import type { Endpoint } from '../../../src/api/declaration.js'
import { compileEndpoint } from '../../../src/api/pipeline/compiled-endpoint.js'
import { SchemaCompiler } from '../../../src/api/pipeline/schemas.js'
import { suiteWith } from '../../support/suite.js'
import { endpoints, MAX_RAW, startFake } from '../fake-api.js'

const [test, fake] = await suiteWith('pipeline: raw bodies', startFake)

const measure = (body: Buffer | string, type = 'application/json') =>
  supertest(fake.url).post('/v1/measure').set('Content-Type', type).send(body)

test('a raw body accepts any bytes of any type and is not parsed', async () => {
  for (const [body, type] of [
    ['[[[', 'application/json'],
    [Buffer.from([0, 255, 128]), 'application/octet-stream'],
    ['a=b', 'application/x-www-form-urlencoded'],
    ['x'.repeat(MAX_RAW), 'text/plain'],
  ] as const) {
    const response = await measure(body, type)
    assert.equal([response.status, response.body.bytes], [200, body.length])
  }
  assert.equal((await supertest(fake.url).post('/v1/measure')).body, { bytes: 0 })
})

test('a raw body that is one byte too long returns 413, announced or not', async () => {
  const response = await measure('x'.repeat(MAX_RAW + 1), 'text/plain')
  assert.equal([response.status, response.body.error.message], [413, `The body must have at most ${MAX_RAW} bytes.`])
  const stream = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 3; n++) controller.enqueue(new Uint8Array(MAX_RAW / 2))
      controller.close()
    },
  })
  assert.is(
    (await fetch(`${fake.url}/v1/measure`, { method: 'POST', body: stream, duplex: 'half' } as RequestInit)).status,
    413,
  )
})

test('an error that the handler throws for a chunk becomes the response', async () => {
  assert.is((await measure('please stop')).status, 401)
})

test('a declaration has either a raw body or a parsed one', () => {
  const wrong = { ...(endpoints.createBook as Endpoint), path: '/v1/x', needs: 'public', rawBodyLimitBytes: 1 }
  assert.throws(() => compileEndpoint('wrong', wrong, {}, new SchemaCompiler()), /a raw body excludes a JSON body/)
})

test.run()
