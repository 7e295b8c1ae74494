import { suite } from '../support/suite.js'
import { groundHere, groundOnNodes } from './simulation/ground.js'
import { simulate } from './simulation/simulate.js'

const test = suite('identity simulation')

// scripts/simulate plays the full version (CONTRIBUTING.md).
const SIMULATIONS = Number(process.env.SIMULATIONS ?? 3)
const STEPS = Number(process.env.STEPS ?? 60)
/** The number of nodes for all stories. Without it, most stories use one node, and a short one uses three. */
const NODES = process.env.SIMULATION_NODES === undefined ? null : Number(process.env.SIMULATION_NODES)
const STEPS_ON_NODES = 20

const stories = Array.from({ length: SIMULATIONS }, (_, at) => ({ seed: at + 1, steps: STEPS, nodes: NODES }))
if (NODES === null) stories.push({ seed: SIMULATIONS + 1, steps: Math.min(STEPS, STEPS_ON_NODES), nodes: 3 })

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
