// @costly: it plays whole stories with kills
import { suite } from '../support/suite.js'
import { playStory } from './two-sided/story.js'

const test = suite('two-sided simulation')

// Long stories: scripts/simulate … --two-sided (CONTRIBUTING.md).
const SIMULATIONS = Number(process.env.SIMULATIONS ?? 3)
const STEPS = Number(process.env.STEPS ?? 60)
/** Kinds of steps to leave out. */
const WITHOUT = (process.env.WITHOUT ?? '').split(',').filter((name) => name !== '')

/** The number of nodes for all stories. Without it, one short story is played on three nodes. */
const NODES = Number(process.env.SIMULATION_NODES ?? 0)
const STEPS_ON_NODES = 15

/** The first story is played a second time, with its exports commit by commit. */
const stories = [
  ...Array.from({ length: SIMULATIONS }, (_, at) => ({ seed: at + 1, steps: STEPS, without: WITHOUT, nodes: NODES })),
  { seed: 1, steps: STEPS, without: [...WITHOUT, 'single'], nodes: NODES },
  ...(NODES === 0 ? [{ seed: 1, steps: Math.min(STEPS, STEPS_ON_NODES), without: WITHOUT, nodes: 3 }] : []),
]

for (const { seed, steps, without, nodes } of stories)
  test(
    `two-sided story ${seed}${without.length > 0 ? ` without ${without}` : ''}${nodes > 0 ? ` on ${nodes} nodes` : ''}`,
    async () => {
      const { fault, at, log } = await playStory({ seed, steps, without, nodes })
      if (fault)
        throw new Error(`seed ${seed}, step ${at}: ${fault.message}\n${log.slice(-20).join('\n')}`, { cause: fault })
    },
    { timeoutMs: 300_000 },
  )

test.run()
