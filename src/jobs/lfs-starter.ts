/** Queues the fetching of objects of Git LFS when main of a space has moved: pointers come by pushes and change requests too. */
import type { App } from '../domain/context/app.js'
import { MAIN } from '../domain/context/refs.js'
import { queueMissing } from '../domain/lfs/queue.js'
import type { RefName } from '../kernel/ids.js'
import { Soon } from './debounce.js'

/** How long it waits for further moves. */
const PAUSE_MS = 500

export interface LfsStarter {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

/** Starts it. What it misses while the service does not run is found by the daily maintenance of the space. */
export function startLfs(app: App): LfsStarter {
  const soon = new Soon(PAUSE_MS, (error) =>
    app.log.error(
      { error },
      'Files of Git LFS could not be queued; that is tried again when the space changes, or within a day.',
    ),
  )
  return {
    moved(space, refs) {
      if (refs.includes(MAIN)) soon.ask(space, () => queueMissing(app, space, { deep: false }))
    },
    stop: () => soon.stop(),
  }
}
