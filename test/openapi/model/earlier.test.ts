/** Versions that an earlier release stored, without what pages show of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { openApiVersions } from '../../../src/model/index.js'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { entry, put, settled, spaceWith } from '../fixture.js'

const [test, here] = await suiteWith('openapi/model/earlier', startService)

test('their pages are made after the start, and whoever has an older answer gets them', async () => {
  await put(here, 'pets', { '/a': { get: { summary: 'List the pets', responses: { '200': { description: 'x' } } } } })
  const desk = await spaceWith(here, entry('pets', { title: 'Reference' }))
  const { app } = here.service
  const [version] = await app.store.all(openApiVersions)
  if (!version) throw new Error('There is no version.')
  const { parts, index, ...earlier } = version
  await app.store.replace(openApiVersions, { ...earlier, parts: undefined, index: undefined, partBytes: 0 } as never)
  const pages = `/v1/spaces/${desk.space}/content/pages`
  const before = await here.admin.call('get', pages).expect(200)
  assert.equal(before.body.pages[1].pages, [])
  await here.restart()
  const again = () => here.admin.call('get', pages).set('If-None-Match', String(before.headers['etag']))
  let after = await again()
  for (; after.status === 304 || after.body.pages[1].pages.length === 0; after = await again()) await sleep(20)
  assert.equal(
    after.body.pages[1].pages.map(({ title }: { title: string }) => title),
    ['Operations'],
  )
  await settled(here)
  const [made] = await here.service.app.store.all(openApiVersions)
  assert.equal([made?.parts, made?.index, made?.partBytes], [parts, index, version.partBytes])
})

test('a specification with 5,000 schemas that lead to each other is read', async () => {
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
