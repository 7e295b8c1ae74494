/** What each node does for its own disk. The daily maintenance of a space runs on one node, so the copies of the others would keep a pack of each push, for good. */
import type { App } from '../domain/context/app.js'
import type { FolderWatch } from '../disk/folder-watch.js'
import { NoRepository } from '../git/index.js'
import type { Log } from '../kernel/log.js'

const EACH_MS = 3_600_000
/** A copy with more packs is packed. Those of edits are joined as they come, so it takes pushes. */
const MANY_PACKS = 50
/** Interval at which a node looks whether its disk is full, in milliseconds. */
const ROOM_MS = 5_000

/** Starts it: once an hour, at a time of the node's own. The first time comes within an hour. */
export function startNodeUpkeep(app: App): { stop(): Promise<void> } {
  let stopped = false
  let working: Promise<void> = Promise.resolve()
  const work = (): void => {
    working = working
      .then(() => tidyDisk(app, () => stopped))
      .catch((error: unknown) =>
        app.log.warn(
          { err: error },
          'The copies of this node could not all be packed; that is tried again in an hour.',
        ),
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
 * Packs the copies that have many packs, one after the other, and deletes scratch repositories that nobody needs. The steps that remove something have
 * the lease of the space, as in every maintenance.
 * @param isOver whether to stop after the copy at hand
 * @param packs how many are not many
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

/** Makes room at the start and while the node runs if the disk is full: a node that cannot write is taken out of the load balancer, where no request would make room. */
export async function keepRoom(
  folders: FolderWatch,
  makeRoom: () => Promise<unknown>,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const look = async (): Promise<void> => {
    try {
      if ((await folders.unwritable()).some(({ isFull }) => isFull)) await makeRoom()
    } catch (error) {
      log.warn({ err: error }, 'The node could not make room on its full disk. It tries again in a few seconds.')
    }
  }
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()
  const next = (): void => {
    if (!stopped) timer = setTimeout(() => void (looking = look().then(next)), ROOM_MS).unref()
  }
  await look()
  next()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}
