import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { matchesGolden } from '../support/golden.js'
import { suite } from '../support/suite.js'

const test = suite('golden')
const folder = mkdtempSync(join(tmpdir(), 'golden-'))
test.after(() => rmSync(folder, { recursive: true }))

test('golden files are written only on request, never in CI, and a mismatch shows a diff', () => {
  assert.throws(() => matchesGolden('a/b', { x: 1 }, { folder, env: {} }), /no golden file/)
  assert.throws(() => matchesGolden('a/b', { x: 1 }, { folder, env: { UPDATE_GOLDEN: '1', CI: 'true' } }), /CI/)
  matchesGolden('a/b', { x: 1 }, { folder, env: { UPDATE_GOLDEN: '1' } })
  matchesGolden('a/b', { x: 1 }, { folder, env: {} })
  assert.throws(() => matchesGolden('a/b', { x: 2 }, { folder, env: {} }), /differs[\s\S]*"x"/)
  assert.throws(() => matchesGolden('../b', {}, { folder, env: {} }), /no name/)
})

test.run()
