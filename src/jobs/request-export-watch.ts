/** Brings looks at a host forward, those at exported change requests and at pull requests: when something changes here, a run ends, or the host gives a hint. */
import type { App } from '../domain/context/app.js'
import { changeRequestNumber } from '../domain/context/refs.js'
import { notePullRequests } from '../domain/pull-previews/hints.js'
import { noteChanges, noteHint } from '../domain/request-exports/schedule.js'
import type { RefName } from '../kernel/ids.js'
import { Soon } from './debounce.js'

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
    app.log.error(
      { err: error },
      'A look at a host could not be queued; that is tried again within a quarter of an hour.',
    ),
  )
  return {
    moved: (space, refs) => {
      if (refs.some((ref) => changeRequestNumber(ref) !== null))
        soon.ask(`space ${space}`, () => noteChanges(app, { space }))
    },
    changed: (organization) => soon.ask(`organization ${organization}`, () => noteChanges(app, { organization })),
    hint: (hint) =>
      soon.ask(`connection ${hint?.connection ?? ''}`, async () => {
        await noteHint(app, hint)
        if (hint) await notePullRequests(app, hint.connection)
      }),
    async idle() {
      const reported = soon.busy
      await soon.idle()
      return reported
    },
    stop: () => soon.stop(),
  }
}
