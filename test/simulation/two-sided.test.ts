import { suite } from '../support/suite.js'
import { playStory } from './two-sided/story.js'

const test = suite('two-sided simulation')

// The whole of it: scripts/simulate … --two-sided (CONTRIBUTING.md).
const SIMULATIONS = Number(process.env.SIMULATIONS ?? 3)
const STEPS = Number(process.env.STEPS ?? 60)
/** Kinds of steps to leave out. */
const WITHOUT = (process.env.WITHOUT ?? '').split(',').filter((name) => name !== '')

/** The first story is played a second time, with its exports commit by commit. */
const stories = [...Array.from({ length: SIMULATIONS }, (_, at) => ({ seed: at + 1, without: WITHOUT })), { seed: 1, without: [...WITHOUT, 'single'] }]

for (const { seed, without } of stories)
  test(
    `two-sided story ${seed}${without.length > 0 ? ` without ${without}` : ''}`,
    async () => {
      const { fault, at, log } = await playStory({ seed, steps: STEPS, without })
      if (fault) throw new Error(`seed ${seed}, step ${at}: ${fault.message}\n${log.slice(-20).join('\n')}`, { cause: fault })
    },
    { timeoutMs: 300_000 },
  )

test.run()
