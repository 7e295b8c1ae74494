import { seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { groundHere, groundOnNodes } from './simulation/ground.js'
import { simulate } from './simulation/simulate.js'

const test = suite('identity simulation')

const STEPS = size(40, 500)
/** The number of nodes for all stories. Without it, most stories use one node, and a short one uses three. */
const NODES = process.env.SIMULATION_NODES === undefined ? null : Number(process.env.SIMULATION_NODES)
const STEPS_ON_NODES = size(10, 200)

const stories = seeds(1, 10).map((seed) => ({ seed, steps: STEPS, nodes: NODES }))
if (NODES === null) stories.push({ seed: stories.length + 1, steps: STEPS_ON_NODES, nodes: 3 })

for (const { seed, steps, nodes } of stories)
  test(
    `IDs, content and merges match the model in story ${seed}${nodes === null ? '' : ` on ${nodes} nodes`}`,
    async () => {
      const ground = nodes === null ? await groundHere() : await groundOnNodes(nodes, seed)
      try {
        await simulate(ground, seed, steps)
      } finally {
        await ground.close()
      }
    },
    { timeoutMs: 300_000 },
  )

test.run()
