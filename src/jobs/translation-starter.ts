/** Queues automatic runs of translations when main of their source has moved. */
import type { App } from '../domain/context/app.js'
import { MAIN } from '../domain/context/refs.js'
import { queueAllAutomatic, queueAutomatic } from '../domain/translations/queue.js'
import type { RefName } from '../kernel/ids.js'
import { Soon } from './debounce.js'

/** How long it waits for further moves: of a space that is edited all the time, several edits are one run. */
const PAUSE_MS = 500

export interface TranslationStarter {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  stop(): Promise<void>
}

/** Starts it, and queues what was missed while the service did not run. */
export function startTranslations(app: App): TranslationStarter {
  const soon = new Soon(PAUSE_MS, (error) =>
    app.log.error(
      { error },
      'Automatic runs of translations could not be queued; that is tried again when the source changes, or within an hour.',
    ),
  )
  soon.run(() => queueAllAutomatic(app))
  return {
    moved(space, refs) {
      if (refs.includes(MAIN)) soon.ask(space, () => queueAutomatic(app, space))
    },
    stop: () => soon.stop(),
  }
}
