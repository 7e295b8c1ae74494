/** Finds nodes that died, and repairs what they, or requests that an outage of the database cut off, may have left between documents and Git. */
import type { App } from '../domain/context/app.js'
import { catchUpBeside } from './catch-up.js'
import { type Node, otherNodes } from './open-node.js'

/** How often it looks, in milliseconds. A node counts as dead that was silent at two looks: after the database was away, all were. */
const LOOK_MS = 5_000

/**
 * Starts to look.
 * @param isDue whether there may be something to repair although no node died; after the database was away there may be, too
 */
export function watchNodes(app: App, node: Node, isDue: boolean): { stop(): Promise<void> } {
  let suspected = new Set<string>()
  let looking: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const { died } = await otherNodes(node)
    const dead = died.filter((sign) => suspected.has(sign))
    suspected = new Set(died)
    if (dead.length === 0 && !isDue) return
    if (dead.length > 0)
      app.log.warn({ nodes: dead.length }, 'A node ended without a word. What it left half done is repaired.')
    await catchUpBeside(app, node, dead)
    isDue = false
  }
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error: unknown) => {
      isDue = true
      app.log.error({ err: error }, 'Nodes that died could not be looked for.')
    })
  }, LOOK_MS).unref()
  return {
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
