import { suite } from '../support/suite.js'
import { groundHere, groundOnNodes } from './simulation/ground.js'
import { simulate } from './simulation/simulate.js'

const test = suite('identity simulation')

// The whole of it: scripts/simulate (CONTRIBUTING.md).
const SIMULATIONS = Number(process.env.SIMULATIONS ?? 3)
const STEPS = Number(process.env.STEPS ?? 60)
/** On how many nodes; 0 = on one server without a database. */
const NODES = Number(process.env.SIMULATION_NODES ?? 0)

for (let seed = 1; seed <= SIMULATIONS; seed++)
  test(
    `story ${seed}`,
    async () => {
      const ground = NODES > 0 ? await groundOnNodes(NODES, seed) : await groundHere()
      try {
        await simulate(ground, seed, STEPS)
      } finally {
        await ground.close()
      }
    },
    { timeoutMs: 300_000 },
  )

test.run()
