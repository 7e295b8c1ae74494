import { suite } from '../support/suite.js'
import { playCutExports } from './cut-exports.js'

const test = suite('IDs after exports with lost responses')

// More stories: SIMULATIONS=20 STEPS=100 npm test -- identity/cut-exports. A single one: SIMULATIONS=1 SEED=7.
const SIMULATIONS = Number(process.env.SIMULATIONS ?? 3)
const STEPS = Number(process.env.STEPS ?? 40)
const FIRST = Number(process.env.SEED ?? 1)

for (let seed = FIRST; seed < FIRST + SIMULATIONS; seed++)
  test(`pages keep their IDs in story ${seed}`, () => playCutExports(seed, STEPS), { timeoutMs: 300_000 })

test.run()
