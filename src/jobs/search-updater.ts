/** Updates the search indexes of recently searched spaces when main moves, before the next search. */
import type { App } from '../domain/context/app.js'
import { MAIN, repositoryName } from '../domain/context/refs.js'
import { updateIndex } from '../domain/search/update-index.js'
import type { RefName } from '../kernel/ids.js'
import { spaces } from '../model/index.js'
import { Debouncer } from './debounce.js'

/** Time to wait for further moves, in milliseconds. A space that is edited continuously is updated twice a second. */
const PAUSE_MS = 500

export interface SearchUpdater {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

/** Starts the updater. It only updates spaces that were searched since the start; other indexes are built on demand. */
export function startSearchUpdater(app: App): SearchUpdater {
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
