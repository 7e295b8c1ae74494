import { seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { playCutExports } from './cut-exports.js'

const test = suite('IDs after exports with lost responses')

for (const seed of seeds(1, 20))
  test(`pages keep their IDs in story ${seed}`, () => playCutExports(seed, size(24, 100)), { timeoutMs: 300_000 })

test.run()
