import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { endpoints } from '../../src/api/index.js'
import { openApiDocument } from '../../src/api/openapi.js'
import { serviceEndpoints } from '../../src/api/service/endpoints.js'
import { resolvers } from '../../src/api/resolvers.js'
import { matchesGolden } from '../support/golden.js'
import { suite } from '../support/suite.js'

const test = suite('operations')

/** The number of missing contract operations at the last update. It may only decrease. */
const MAX_MISSING = 0

const nameless = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}')

test('the missing contract operations match the committed ones, and their number never grows', () => {
  const config = { name: 'Bindery', version: '0', publicUrl: null, fileLimitBytes: 1 }
  const all = { ...endpoints, ...serviceEndpoints(config, () => ({})) }
  const document = openApiDocument({ endpoints: all, resolvers, config }) as {
    paths: Record<string, object>
  }
  const there = new Set(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${nameless(path)}`),
    ),
  )
  const contract = readFileSync(new URL('../golden/operations.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const missing = contract.map((line) => line.replace('\t', ' ')).filter((operation) => !there.has(nameless(operation)))
  assert.is(new Set(contract).size, contract.length)
  assert.ok(
    missing.length <= MAX_MISSING,
    `${missing.length} missing, at most ${MAX_MISSING} were: ${missing.join(', ')}`,
  )
  matchesGolden('missing-operations', missing)
})

test.run()
