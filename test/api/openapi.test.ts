import * as assert from 'uvu/assert'
import { suite } from '../support/suite.js'
import { endpoints, startFake } from './fake-api.js'

const test = suite('openapi')
type Json = Record<string, any>
let document: Json
test.before(async () => {
  const fake = await startFake()
  document = (await (await fetch(`${fake.url}/v1/openapi.json`)).json()) as Json
  await fake.close()
})

const operations = () =>
  Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => ({ path, method, one })),
  )

test('every operation appears once, with a tag, a success response and errors', () => {
  const ids = operations().map(({ one }) => one.operationId as string)
  assert.is(new Set(ids).size, ids.length)
  for (const name of Object.keys(endpoints)) assert.ok(ids.includes(name), name)
  assert.ok(ids.includes('getService'))
  const create = operations().find(({ one }) => one.operationId === 'createBook')!.one
  assert.equal(Object.keys(create.responses), [
    '201',
    '400',
    '401',
    '403',
    '404',
    '408',
    '409',
    '413',
    '415',
    '429',
    '500',
    '503',
    '507',
  ])
  assert.is(operations().find(({ one }) => one.operationId === 'lie')!.one.deprecated, true)
})

test('an operation declares exactly the parameters in its path', () => {
  for (const { path, one } of operations()) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const declared = ((one.parameters ?? []) as { in: string; name: string }[])
      .filter((p) => p.in === 'path')
      .map((p) => p.name)
    assert.equal(declared, inPath, path)
    assert.not.match(path, /\*/)
  }
})

test('all references in the document resolve', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '')
  assert.ok(refs.length > 20)
  for (const ref of new Set(refs)) {
    const target = ref
      .slice(2)
      .split('/')
      .reduce<Json | undefined>((at, key) => at?.[key] as Json | undefined, document)
    assert.ok(ref.startsWith('#/') && target, ref)
  }
  assert.not.match(JSON.stringify(document), /"\$id"/)
})

test.run()
