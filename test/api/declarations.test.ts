import { Type } from '@sinclair/typebox'
import * as assert from 'uvu/assert'
import { endpoints as declared } from '../../src/api/index.js'
import { isBinary } from '../../src/api/pipeline/compiled-endpoint.js'
import { SchemaCompiler } from '../../src/api/pipeline/schemas.js'
import { errorTable } from '../../src/kernel/errors.js'
import { matchesGolden } from '../support/golden.js'
import { suite } from '../support/suite.js'
import { endpoints, startFake } from './fake-api.js'

const test = suite('declarations')

const refuses = async (changed: object, why: RegExp) => {
  try {
    const fake = await startFake({}, { endpoints: { one: { ...endpoints.getBook!, ...changed } } })
    await fake.close()
  } catch (error) {
    return assert.match((error as Error).message, why)
  }
  assert.unreachable(`accepted ${JSON.stringify(changed)}`)
}

test('an invalid declaration stops the server from starting', async () => {
  await refuses({ path: '/v1/books/{bookId}' }, /requires shelf to be loaded before/)
  await refuses({ path: '/v1/{nobodyId}' }, /no resolver "nobodyId"/)
  await refuses({ path: '/v1/{toString}' }, /no resolver "toString"/)
  await refuses({ path: '/v2/x' }, /must start with/)
  await refuses({ body: Type.Object({}) }, /must not declare a body/)
  await refuses({ method: 'POST', body: { type: 'nonsense' } }, /type/)
  await refuses({ path: '/v1/{word}' }, /no parameter loads the resource that "shelf:view" applies to/)
  await refuses({ path: '/v1/openapi.json', needs: 'public' }, /two endpoints are declared for/)
  await refuses(
    { returns: Type.Object({ a: Type.Object({}, { $id: 'X' }), b: Type.Object({ c: Type.String() }, { $id: 'X' }) }) },
    /two different schemas are named "X"/,
  )
})

test('every schema of the service compiles', () => {
  const compiler = new SchemaCompiler()
  for (const [operation, { query, body, returns }] of Object.entries(declared)) {
    try {
      if (query) compiler.query(query)()
      for (const values of [1, 1_000_000]) if (body) compiler.body(body)(values)
      if (returns && !isBinary(returns)) compiler.response(returns)()
    } catch (thrown) {
      throw new Error(`${operation}: ${(thrown as Error).message}`, { cause: thrown })
    }
  }
})

test('recursive and shared schemas are checked strictly wherever they are used', () => {
  const compiler = new SchemaCompiler()
  const Node = Type.Recursive((This) => Type.Object({ name: Type.String(), pages: Type.Optional(Type.Array(This)) }), {
    $id: 'Node',
  })
  const check = compiler.body(Type.Object({ node: Node, other: Type.Optional(Node) }))(1)
  assert.ok(check({ node: { name: 'a', pages: [{ name: 'b' }] } }))
  assert.not.ok(check({ node: { name: 'a', pages: [{ name: 'b', extra: 1 }] } }))
  assert.ok(compiler.body(Node)(1)({ name: 'a' }))
})

test('the error table matches the committed one', () => matchesGolden('errors', errorTable))

test.run()
