import * as assert from 'uvu/assert'
import { compareOutlines } from '../../src/openapi/compare.js'
import { outlineOf } from '../../src/openapi/outline.js'
import { suite } from '../support/suite.js'
import { spec } from './servers.js'

const test = suite('openapi/compare')

const withGet = (get: object): Record<string, unknown> =>
  spec({ paths: { '/a/{id}': { get: { responses: { '200': { description: 'x' } }, ...get } } } })
const breaking = (before: Record<string, unknown>, after: Record<string, unknown>): string[] =>
  compareOutlines(outlineOf(before), outlineOf(after)).breaking.map(({ message }) => message)
const parameter = (more: object): object => ({
  parameters: [{ name: 'q', in: 'query', schema: { type: 'string', enum: ['a', 'b'] }, ...more }],
})
const pet = (schema: object): Record<string, unknown> => spec({ components: { schemas: { Pet: schema } } })

const CASES: [name: string, before: Record<string, unknown>, after: Record<string, unknown>, expected: string[]][] = [
  ['nothing', spec(), spec(), []],
  ['an optional parameter', withGet({}), withGet(parameter({})), []],
  [
    'a required parameter',
    withGet({}),
    withGet(parameter({ required: true })),
    ['The query parameter q is new and required.'],
  ],
  [
    'a parameter becomes required',
    withGet(parameter({})),
    withGet(parameter({ required: true })),
    ['The query parameter q is now required.'],
  ],
  [
    'a value is lost',
    withGet(parameter({})),
    withGet(parameter({ schema: { type: 'string', enum: ['a'] } })),
    ['The query parameter q can no longer be "b".'],
  ],
  [
    'another type',
    withGet(parameter({ schema: { type: 'string' } })),
    withGet(parameter({ schema: { type: 'integer' } })),
    ['The query parameter q changed from string to integer.'],
  ],
  [
    'a body',
    withGet({}),
    withGet({ requestBody: { required: true, content: { 'application/json': {} } } }),
    ['A body is now required.'],
  ],
  [
    'an error is no longer documented',
    withGet({ responses: { '200': {}, '404': {} } }),
    withGet({ responses: { '200': {} } }),
    [],
  ],
  [
    'a success is gone',
    withGet({ responses: { '200': {}, '201': {} } }),
    withGet({ responses: { '200': {} } }),
    ['The response 201 was removed.'],
  ],
  ['a property is added', pet({ type: 'object' }), pet({ type: 'object', properties: { a: {} } }), []],
  [
    'another type of a schema',
    pet({ type: 'object' }),
    pet({ type: 'array', items: { type: 'string' } }),
    ['Its type changed from object to array of string.'],
  ],
]
for (const [name, before, after, expected] of CASES)
  test(`breaking changes are found as expected: ${name}`, () => assert.equal(breaking(before, after), expected))

test('specifications with unusual names and structures can be compared', () => {
  const odd = {
    openapi: '3.0.0',
    paths: { '/a': null, '/b': { get: { parameters: 'x', responses: [], tags: [1] } }, __proto__: {} },
    components: { schemas: { constructor: true } },
  }
  const outline = outlineOf(odd)
  assert.is(outline.operations.length, 1)
  assert.is(compareOutlines(outline, outlineOf({ openapi: '3.0.0' })).breakingCount, 2)
})

test.run()
