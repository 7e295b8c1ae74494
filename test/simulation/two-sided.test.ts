// @costly: it plays whole stories with kills, also on nodes
import { firstSeed, seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { playStory } from './two-sided/story.js'

const test = suite('two-sided simulation')

const STEPS = size(25, 500)
/** Kinds of steps to leave out. */
const WITHOUT = (process.env.WITHOUT ?? '').split(',').filter((name) => name !== '')

/** The number of nodes for all stories. Without it, one short story is played on nodes. */
const NODES = Number(process.env.SIMULATION_NODES ?? 0)
const STEPS_ON_NODES = size(6, 200)

/** The first story is played a second time, with its exports commit by commit. */
const stories = [
  ...seeds(1, 10).map((seed) => ({ seed, steps: STEPS, without: WITHOUT, nodes: NODES })),
  { seed: firstSeed(), steps: STEPS, without: [...WITHOUT, 'single'], nodes: NODES },
  ...(NODES === 0 ? [{ seed: firstSeed(), steps: STEPS_ON_NODES, without: WITHOUT, nodes: size(2, 3) }] : []),
]

for (const { seed, steps, without, nodes } of stories)
  test(
    `both sides match the model in both sides match the model in two-sided story ${seed}${without.length > 0 ? ` without ${without}` : ''}${nodes > 0 ? ` on ${nodes} nodes` : ''}`,
    async () => {
      const { fault, at, log } = await playStory({ seed, steps, without, nodes })
      if (fault)
        throw new Error(`seed ${seed}, step ${at}: ${fault.message}\n${log.slice(-20).join('\n')}`, { cause: fault })
    },
    { timeoutMs: 300_000 },
  )

test.run()
