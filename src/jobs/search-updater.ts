/** Brings the indexes of spaces that are searched to the new head of main before somebody asks. */
import type { App } from '../domain/context/app.js'
import { MAIN, repositoryName } from '../domain/context/refs.js'
import { updateIndex } from '../domain/search/update-index.js'
import type { RefName } from '../kernel/ids.js'
import { spaces } from '../model/index.js'
import { Soon } from './debounce.js'

/** How long an update waits for further moves: a space that is edited all the time is updated twice a second. */
const PAUSE_MS = 500

export interface SearchUpdater {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

/** Starts it. Only spaces that were searched since the start are updated; the index of any other is made when it is asked for. */
export function startSearchUpdater(app: App): SearchUpdater {
  // What fails here is tried again by the next search.
  const soon = new Soon(PAUSE_MS, () => {})

  async function update(id: string): Promise<void> {
    const doc = await app.store.get(spaces, id)
    if (doc) await updateIndex(app, { doc, role: 'read', repo: await app.git.open(repositoryName(id)) })
  }

  return {
    moved(space, refs) {
      if (refs.includes(MAIN) && app.search.known.has(space)) soon.ask(space, () => update(space))
    },
    async stop() {
      await soon.stop()
      await Promise.all([...app.search.updates.values()].map((one) => one.catch(() => {})))
    },
  }
}
