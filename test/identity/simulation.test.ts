import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { simulate } from './simulation/simulate.js'

const test = suite('identity simulation')

// The whole of it: scripts/simulate (CONTRIBUTING.md).
const SIMULATIONS = Number(process.env.SIMULATIONS ?? 3)
const STEPS = Number(process.env.STEPS ?? 60)

for (let seed = 1; seed <= SIMULATIONS; seed++)
  test(
    `story ${seed}`,
    async () => {
      const here = await startService()
      try {
        await simulate(here, seed, STEPS)
      } finally {
        await here.close()
      }
    },
    { timeoutMs: 300_000 },
  )

test.run()
