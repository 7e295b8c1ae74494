import * as assert from 'uvu/assert'
import { type Callers, probeEndpoints, type Sample } from '../support/probe.js'
import { suite } from '../support/suite.js'
import { endpoints, resolvers, type roles, startFake } from './fake-api.js'

type Role = (typeof roles)[number]
const test = suite('probe')
const callers: Callers<Role> = { stranger: 'stranger', byRole: (role) => role }
const least: Record<string, { least: Role; below: Role | null }> = {
  'shelf:view': { least: 'reader', below: null },
  'shelf:edit': { least: 'editor', below: 'reader' },
  'shelf:admin': { least: 'admin', below: 'editor' },
}
const sampleFor = (id: string): Sample | null =>
  id === 'fail' || id === 'lie'
    ? null
    : {
        parameters: { shelfId: 's1', bookId: 'emma', rest: 'a/b' },
        ...(id === 'createBook' ? { body: { title: 'New' }, success: true } : {}),
      }

async function probe(changed: Partial<typeof endpoints> = {}, asked = endpoints) {
  const fake = await startFake(
    { checkResponses: false },
    { endpoints: { ...endpoints, ...changed } as typeof endpoints },
  )
  try {
    return await probeEndpoints({
      endpoints: asked,
      resolvers,
      baseUrl: fake.url,
      callers,
      sampleFor,
      rolesFor: (p) => least[p]!,
      isScreen: () => true,
      anyone: 'stranger',
    })
  } finally {
    await fake.close()
  }
}

test('the probe finds nothing if everything is as declared', async () => {
  const { probes, findings } = await probe()
  assert.equal(findings, [])
  assert.ok(probes > 50, `${probes} probes`)
})

test('the probe finds a weaker permission, a crash and an undeclared response', async () => {
  const { findings } = await probe({
    createBook: { ...endpoints.createBook!, needs: 'shelf:view' },
    deleteBook: { ...endpoints.deleteBook!, needs: 'public' },
    getBook: { ...endpoints.getBook!, handle: () => ({ id: 1 }) },
    getLarge: {
      ...endpoints.getLarge!,
      handle: () => {
        throw new Error('crash')
      },
    },
  })
  const seen = findings.map(({ operationId, probe, got }) => `${operationId} ${probe} ${got.slice(0, 3)}`)
  assert.ok(
    seen.some((line) => line.startsWith('createBook one rank below (reader) 201')),
    seen.join('\n'),
  )
  assert.ok(
    seen.some((line) => line.startsWith('deleteBook no token')),
    seen.join('\n'),
  )
  assert.ok(
    seen.some((line) => line.startsWith('getBook a valid request')),
    seen.join('\n'),
  )
  assert.ok(
    seen.some((line) => line.startsWith('getLarge a valid request 500')),
    seen.join('\n'),
  )
})

test.run()
