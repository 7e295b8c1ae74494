/** Brings the indexes of spaces that are searched to the new head of main before somebody asks. */
import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../domain/context/app.js'
import { MAIN, repositoryName } from '../domain/context/refs.js'
import { updateIndex } from '../domain/search/update-index.js'
import type { RefName } from '../kernel/ids.js'
import { spaces } from '../model/index.js'

/** How long an update waits for further moves: a space that is edited all the time is updated twice a second. */
const PAUSE_MS = 500

export interface SearchUpdater {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

/** Starts it. Only spaces that were searched since the start are updated; the index of any other is made when it is asked for. */
export function startSearchUpdater(app: App): SearchUpdater {
  const stopped = new AbortController()
  // bound: the spaces that `app.search.known` holds
  const waiting = new Map<string, Promise<void>>()

  async function update(id: string): Promise<void> {
    await wait(PAUSE_MS, undefined, { signal: stopped.signal, ref: false })
    waiting.delete(id)
    const doc = await app.store.get(spaces, id)
    if (doc) await updateIndex(app, { doc, role: 'read', repo: await app.git.open(repositoryName(id)) })
  }

  return {
    moved(space, refs) {
      if (stopped.signal.aborted || waiting.has(space) || !refs.includes(MAIN) || !app.search.known.has(space)) return
      // What fails here is tried again by the next search.
      waiting.set(
        space,
        update(space)
          .catch(() => {})
          .finally(() => waiting.delete(space)),
      )
    },
    async stop() {
      stopped.abort()
      await Promise.all([...waiting.values(), ...[...app.search.updates.values()].map((one) => one.catch(() => {}))])
    },
  }
}
