/**
 * Finds dead nodes, and repairs differences between documents and Git that they, or requests interrupted by a database
 * outage, may have left.
 */
import type { App } from '../domain/context/app.js'
import { Passes } from '../kernel/passes.js'
import { catchUpBeside } from './catch-up.js'
import { type Node, otherNodes } from './open-node.js'

/**
 * Interval of the search, in milliseconds. A node is dead if it was silent in two searches: after a database outage,
 * all nodes are silent once.
 */
const LOOK_MS = 5_000

/**
 * Starts the search.
 * @param isDue whether a repair may be needed although no node died, as after a database outage
 */
export function watchNodes(app: App, node: Node, isDue: boolean): { stop(): Promise<void> } {
  let suspected = new Set<string>()

  async function look(): Promise<number> {
    const { died } = await otherNodes(node)
    const dead = died.filter((sign) => suspected.has(sign))
    suspected = new Set(died)
    if (dead.length === 0 && !isDue) return LOOK_MS
    if (dead.length > 0) app.log.warn({ nodes: dead.length }, 'A node died. Its unfinished work is being repaired.')
    await catchUpBeside(app, node, dead)
    isDue = false
    return LOOK_MS
  }
  const passes = new Passes({
    pass: look,
    failed: (error) => {
      isDue = true
      app.log.error({ err: error }, 'The search for dead nodes failed.')
    },
    restMs: LOOK_MS,
  })
  passes.wakeIn(LOOK_MS)
  return passes
}
