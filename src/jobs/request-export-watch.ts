/**
 * Triggers early polls of exported change requests and pull requests: after local changes, after runs, and on hints
 * from the host.
 */
import type { App } from '../domain/context/app.js'
import { changeRequestNumber } from '../domain/context/refs.js'
import { noteChanges, noteHint } from '../domain/request-exports/schedule.js'
import type { RefName } from '../kernel/ids.js'
import { Debouncer } from './debounce.js'
import { notePullRequests } from '../domain/pull-previews/poll.js'

/** Time to wait for further hints, which are combined into one poll, in milliseconds. */
const PAUSE_MS = 200

export interface RequestExportWatch {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  /** Reports events of an organization. May be called in the transaction that writes them. */
  changed(organization: string): void
  /** Reports that a connection's host has sent a hint, or that a run has ended. */
  hint(hint?: { connection: string }): void
  /** Resolves when all reports are queued. Returns whether there were any. */
  idle(): Promise<boolean>
  stop(): Promise<void>
}

/** Starts the watcher. Scheduled polls find missed changes. */
export function startRequestExportWatch(app: App): RequestExportWatch {
  const soon = new Debouncer(PAUSE_MS, (error) =>
    app.log.error(
      { err: error },
      'A poll of a host could not be queued. The next attempt is within a quarter of an hour.',
    ),
  )
  return {
    moved: (space, refs) => {
      if (refs.some((ref) => changeRequestNumber(ref) !== null))
        soon.schedule(`space ${space}`, () => noteChanges(app, { space }))
    },
    changed: (organization) => soon.schedule(`organization ${organization}`, () => noteChanges(app, { organization })),
    hint: (hint) =>
      soon.schedule(`connection ${hint?.connection ?? ''}`, async () => {
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
