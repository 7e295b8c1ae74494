import * as assert from 'uvu/assert'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { put } from '../fixture.js'

const [test, here] = await suiteWith('openapi/model/deep-schemas', startService)

test('a specification with 5,000 schemas that refer to each other is read', async () => {
  const count = 5_000
  const schemaOf = (n: number) =>
    n === count
      ? { type: 'string' }
      : { type: 'object', properties: { next: { $ref: `#/components/schemas/S${n + 1}` } } }
  const schemas = Object.fromEntries(Array.from({ length: count }, (_, n) => [`S${n + 1}`, schemaOf(n + 1)]))
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/S1' } } }
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Deep', version: '1' },
    paths: { '/deep': { get: { responses: { 200: { description: 'x', content } } } } },
    components: { schemas },
  }
  const read = await put(here, 'deep', JSON.stringify(spec))
  assert.is(read.lastProcessError, undefined)
  assert.ok(read.lastVersion)
})

test.run()
