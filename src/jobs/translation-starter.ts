/** Queues automatic runs of translations when main of their source has moved. */
import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../domain/context/app.js'
import { MAIN } from '../domain/context/refs.js'
import { queueAllAutomatic, queueAutomatic } from '../domain/translations/queue.js'
import type { RefName } from '../kernel/ids.js'

/** How long it waits for further moves: of a space that is edited all the time, several edits are one run. */
const PAUSE_MS = 500

export interface TranslationStarter {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

/** Starts it, and queues what was missed while the service did not run. */
export function startTranslations(app: App): TranslationStarter {
  const stopped = new AbortController()
  const failed = (error: unknown): void => {
    if (!stopped.signal.aborted)
      app.log.error({ error }, 'Automatic runs of translations could not be queued; they are when the source changes again, or within an hour.')
  }
  // bound: the spaces of the service
  const waiting = new Map<string, Promise<unknown>>([['', queueAllAutomatic(app).catch(failed)]])

  async function queue(space: string): Promise<void> {
    await wait(PAUSE_MS, undefined, { signal: stopped.signal, ref: false })
    waiting.delete(space)
    await queueAutomatic(app, space)
  }

  return {
    moved(space, refs) {
      if (stopped.signal.aborted || waiting.has(space) || !refs.includes(MAIN)) return
      waiting.set(space, queue(space).catch(failed))
    },
    async stop() {
      stopped.abort()
      await Promise.all(waiting.values())
    },
  }
}
