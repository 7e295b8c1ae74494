/** The lanes of jobs on nodes: a lease each. */
import type { Lanes } from '../jobs/lanes.js'
import { deadOf, type Node } from './open-node.js'

const LANES = 'lane:'
/** How often a node looks for jobs that others left, in milliseconds. */
const POLL_MS = 5_000

export const nodeLanes = (node: Node): Lanes => ({
  take: async (lane, work) => {
    const taken = await node.leases.tryRun(LANES + lane, async ({ signal }) => {
      await work(signal)
      return true
    })
    return taken === true
  },
  free: async (lanes) => {
    const names = await node.leases.findFree(lanes.map((lane) => LANES + lane))
    return new Set(lanes.filter((lane) => names.has(LANES + lane)))
  },
  dead: (keepers) => deadOf(node, keepers),
  pollMs: POLL_MS,
})
