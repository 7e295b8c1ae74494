/** The background tasks that follow moves of branches in this process. */
import type { App } from '../domain/context/app.js'
import { startAnnouncer } from '../jobs/announcer.js'
import { startLfs } from '../jobs/lfs-starter.js'
import { type RequestExportWatch, startRequestExportWatch } from '../jobs/request-export-watch.js'
import { type SearchUpdater, startSearchUpdater } from '../jobs/search-updater.js'
import { startTranslations } from '../jobs/translation-starter.js'
import type { RefName } from '../kernel/ids.js'

export interface Watchers {
  /** Reports that this process moved branches of a space. */
  moved(space: string, refs: readonly RefName[]): void
  searches: SearchUpdater
  requestExports: RequestExportWatch
  stop(): Promise<void>
}

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
