/** Brings looks at exported change requests forward: when something changes here, when a run of a connection ends, when a host gives a hint. */
import type { App } from '../domain/context/app.js'
import { changeRequestNumber } from '../domain/context/refs.js'
import { noteChanges, noteHint } from '../domain/request-exports/schedule.js'
import type { RefName } from '../kernel/ids.js'
import { Soon } from './soon.js'

/** How long it waits for further hints: many are one look. */
const PAUSE_MS = 200

export interface RequestExportWatch {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  /** Reports events of an organization. May be called in the transaction that writes them. */
  changed(organization: string): void
  /** Reports that a connection's host has something to tell, or that a run ended. */
  hint(hint?: { connection: string }): void
  /** Resolves when all that was reported is queued, with whether there was anything. */
  idle(): Promise<boolean>
  stop(): Promise<void>
}

/** Starts it. What it misses is found by the looks that are queued anyway. */
export function startRequestExportWatch(app: App): RequestExportWatch {
  const soon = new Soon(PAUSE_MS, (error) =>
    app.log.error({ err: error }, 'Exported change requests could not be looked at; they are within a quarter of an hour.'),
  )
  return {
    moved: (space, refs) => {
      if (refs.some((ref) => changeRequestNumber(ref) !== null)) soon.ask(`space ${space}`, () => noteChanges(app, { space }))
    },
    changed: (organization) => soon.ask(`organization ${organization}`, () => noteChanges(app, { organization })),
    hint: (hint) => soon.ask(`connection ${hint?.connection ?? ''}`, () => noteHint(app, hint)),
    async idle() {
      const reported = soon.busy
      await soon.idle()
      return reported
    },
    stop: () => soon.stop(),
  }
}
