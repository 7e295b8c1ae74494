/**
 * Maintains the disk of a node. The daily maintenance of a space runs on one node only. Without this module, the local
 * copies on the other nodes would accumulate one pack per push.
 */
import type { App } from '../domain/context/app.js'
import type { FolderWatch } from '../disk/folder-watch.js'
import { NoRepository } from '../git/index.js'
import type { Log } from '../kernel/log.js'
import { Passes } from '../kernel/passes.js'

/** Interval between two runs, in milliseconds. */
const INTERVAL_MS = 3_600_000
/**
 * Number of packs above which a local copy is repacked. Packs from edits are joined immediately, so only pushes add up.
 */
const MANY_PACKS = 50
/** Interval between two checks for a full disk, in milliseconds. */
const DISK_CHECK_MS = 5_000

/** Starts the hourly maintenance. The first run is after a random delay of at most one hour. */
export function startNodeUpkeep(app: App): { stop(): Promise<void> } {
  let isStopped = false
  const passes = new Passes({
    pass: async () => {
      await tidyDisk(app, () => isStopped)
      return INTERVAL_MS
    },
    failed: (error) =>
      app.log.warn({ err: error }, 'Not all copies of this node could be repacked. The next attempt is in an hour.'),
    restMs: INTERVAL_MS,
  })
  passes.wakeIn(INTERVAL_MS * Math.random())
  return {
    stop() {
      isStopped = true
      return passes.stop()
    },
  }
}

/**
 * Deletes unneeded scratch repositories and repacks the local copies with many packs, one after another. Steps that
 * remove data hold the lease of the space, as in all maintenance.
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
      await (await git.open(name)).upkeep.maintain({ exclusive: (work) => locks.run(name, work) })
    } catch (error) {
      if (!(error instanceof NoRepository)) throw error
    }
  }
}

/**
 * Frees disk space at startup and while the node runs, if the disk is full. This cannot wait for a request, because a
 * node that cannot write gets no requests from the load balancer.
 */
export async function keepRoom(
  folders: FolderWatch,
  makeRoom: () => Promise<unknown>,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const passes = new Passes({
    pass: async () => {
      if ((await folders.unwritable()).some(({ isFull }) => isFull)) await makeRoom()
      return DISK_CHECK_MS
    },
    failed: (error) =>
      log.warn({ err: error }, 'The node could not make room on its full disk. It tries again in a few seconds.'),
    restMs: DISK_CHECK_MS,
  })
  passes.wake()
  await passes.idle()
  return passes
}
