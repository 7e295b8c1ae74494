/** The background tasks that follow moves of branches in this process. */
import type { App } from '../domain/context/app.js'
import { MAIN, repositoryName } from '../domain/context/refs.js'
import { queueMissing } from '../domain/lfs/queue.js'
import { updateIndex } from '../domain/search/update-index.js'
import { queueAllAutomatic, queueAutomatic } from '../domain/translations/queue.js'
import { startAnnouncer } from '../jobs/announcer.js'
import { Debouncer } from '../jobs/debounce.js'
import { type RequestExportWatch, startRequestExportWatch } from '../jobs/request-export-watch.js'
import type { RefName } from '../kernel/ids.js'
import { spaces } from '../model/index.js'

interface Watcher {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

export interface Watchers extends Watcher {
  searches: Watcher
  requestExports: RequestExportWatch
}

/**
 * Time to wait for further moves, in milliseconds. A space that is edited continuously is updated twice a second, and
 * several edits of it cause one translation run.
 */
const PAUSE_MS = 500

/** Starts the watchers. `isLeader`: whether this process does the work that one process does for all. */
export function startWatchers(app: App, isLeader: () => boolean): Watchers {
  const announcer = startAnnouncer(app, isLeader)
  const searches = startSearchUpdater(app)
  const translations = startTranslations(app)
  const lfs = startLfs(app)
  const requestExports = startRequestExportWatch(app)
  const all = [announcer, searches, translations, lfs, requestExports]
  return {
    moved: (space, refs) => {
      for (const one of all) one.moved(space, refs)
    },
    searches,
    requestExports,
    stop: async () => {
      for (const one of all) await one.stop()
    },
  }
}

/** Updates the search indexes of spaces that were searched since the start. Other indexes are built on demand. */
function startSearchUpdater(app: App): Watcher {
  // The next search retries failed updates.
  const soon = new Debouncer(PAUSE_MS, () => {})

  async function update(id: string): Promise<void> {
    const doc = await app.store.get(spaces, id)
    if (doc) await updateIndex(app, { doc, role: 'read', repo: await app.git.open(repositoryName(id)) })
  }

  return {
    moved(space, refs) {
      if (refs.includes(MAIN) && app.search.known.has(space)) soon.schedule(space, () => update(space))
    },
    async stop() {
      await soon.stop()
      await Promise.all([...app.search.updates.values()].map((one) => one.catch(() => {})))
    },
  }
}

/** Queues automatic translation runs, including those that were missed while the service did not run. */
function startTranslations(app: App): Watcher {
  const soon = new Debouncer(PAUSE_MS, (error) =>
    app.log.error(
      { error },
      'Automatic translation runs could not be queued. The next attempt is after the next change of the source, or within an hour.',
    ),
  )
  soon.run(() => queueAllAutomatic(app))
  return {
    moved(space, refs) {
      if (refs.includes(MAIN)) soon.schedule(space, () => queueAutomatic(app, space))
    },
    stop: () => soon.stop(),
  }
}

/**
 * Queues the download of Git LFS objects, because pushes and change requests can add pointers, too. The daily
 * maintenance of a space finds objects that were missed while the service did not run.
 */
function startLfs(app: App): Watcher {
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
