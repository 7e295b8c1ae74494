import { suite } from '../support/suite.js'
import { playStory } from './two-sided/story.js'

const test = suite('two-sided simulation')

// The whole of it: scripts/simulate … --two-sided (CONTRIBUTING.md).
const SIMULATIONS = Number(process.env.SIMULATIONS ?? 3)
const STEPS = Number(process.env.STEPS ?? 60)
/** Kinds of steps to leave out. */
const WITHOUT = (process.env.WITHOUT ?? '').split(',').filter((name) => name !== '')

for (let seed = 1; seed <= SIMULATIONS; seed++)
  test(
    `two-sided story ${seed}`,
    async () => {
      const { fault, at, log } = await playStory({ seed, steps: STEPS, without: WITHOUT })
      if (fault) throw new Error(`seed ${seed}, step ${at}: ${fault.message}\n${log.slice(-20).join('\n')}`, { cause: fault })
    },
    { timeoutMs: 300_000 },
  )

test.run()
