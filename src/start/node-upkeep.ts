/**
 * Maintains the disk of a node. Daily maintenance of a space runs on one node only, so the copies of other nodes would
 * keep a pack for each push.
 */
import type { App } from '../domain/context/app.js'
import { NoRepository } from '../git/index.js'

const EACH_MS = 3_600_000
/** A copy with more packs is repacked. Packs of edits are joined immediately, so only pushes add up. */
const MANY_PACKS = 50

/** Starts the maintenance: once an hour, at a random time. The first run is within an hour. */
export function startNodeUpkeep(app: App): { stop(): Promise<void> } {
  let stopped = false
  let working: Promise<void> = Promise.resolve()
  const work = (): void => {
    working = working
      .then(() => tidyDisk(app, () => stopped))
      .catch((error: unknown) =>
        app.log.warn({ err: error }, 'Not all copies of this node could be repacked. The next attempt is in an hour.'),
      )
  }
  let hourly: NodeJS.Timeout | undefined
  const first = setTimeout(() => {
    work()
    hourly = setInterval(work, EACH_MS).unref()
  }, EACH_MS * Math.random()).unref()
  return {
    async stop() {
      stopped = true
      clearTimeout(first)
      clearInterval(hourly)
      await working
    },
  }
}

/**
 * Repacks the copies with many packs, one after another, and deletes unneeded scratch repositories. As in every
 * maintenance, steps that remove data hold
 * the lease of the space.
 * @param isOver whether to stop after the current copy
 * @param packs maximum number of packs before a repack
 */
export async function tidyDisk(
  { git, locks }: Pick<App, 'git' | 'locks'>,
  isOver: () => boolean = () => false,
  packs = MANY_PACKS,
): Promise<void> {
  await git.trimScratches()
  for (const name of await git.crowded(packs)) {
    if (isOver()) return
    try {
      await (await git.open(name)).maintain({ exclusive: (work) => locks.run(name, work) })
    } catch (error) {
      if (!(error instanceof NoRepository)) throw error
    }
  }
}
