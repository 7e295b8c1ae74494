/** Queues automatic translation runs when main of the source has moved. */
import type { App } from '../domain/context/app.js'
import { MAIN } from '../domain/context/refs.js'
import { queueAllAutomatic, queueAutomatic } from '../domain/translations/queue.js'
import type { RefName } from '../kernel/ids.js'
import { Debouncer } from './debounce.js'

/**
 * Time to wait for further moves, in milliseconds. Several edits of a space that is edited continuously cause one run.
 */
const PAUSE_MS = 500

export interface TranslationStarter {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

/** Starts the watcher, and queues runs that were missed while the service did not run. */
export function startTranslations(app: App): TranslationStarter {
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
