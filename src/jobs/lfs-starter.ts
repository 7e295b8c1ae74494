/**
 * Queues the download of Git LFS objects when main of a space has moved. Pushes and change requests can add pointers,
 * too.
 */
import type { App } from '../domain/context/app.js'
import { MAIN } from '../domain/context/refs.js'
import { queueMissing } from '../domain/lfs/queue.js'
import type { RefName } from '../kernel/ids.js'
import { Debouncer } from './debounce.js'

/** Time to wait for further moves, in milliseconds. */
const PAUSE_MS = 500

export interface LfsStarter {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

/**
 * Starts the watcher. The daily maintenance of a space finds objects that were missed while the service did not run.
 */
export function startLfs(app: App): LfsStarter {
  const soon = new Debouncer(PAUSE_MS, (error) =>
    app.log.error(
      { error },
      'Git LFS downloads could not be queued. The next attempt is after the next change of the space, or within a day.',
    ),
  )
  return {
    moved(space, refs) {
      if (refs.includes(MAIN)) soon.schedule(space, () => queueMissing(app, space, { deep: false }))
    },
    stop: () => soon.stop(),
  }
}
