/** What the end of a run means for its connection: what is in step now, and whether it works. */
import { type ConnectionDoc, connections, type SyncRunDoc, syncRuns } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { failed, recovered } from './notices.js'

/**
 * Records the end of a run in its connection, in the transaction that ends the run.
 * @param cause of a failure; null if it did not fail
 */
export async function recordEnd(app: App, tx: Transaction, runId: string, cause: string | null): Promise<void> {
  const run = await tx.get(syncRuns, runId)
  const connection = run?.connection === undefined ? null : await tx.get(connections, run.connection)
  if (!run || !connection || connection.key !== run.key) return
  const seen = run.remoteRevision === undefined ? {} : { lastSeenHead: run.remoteRevision }
  const base = { ...connection, ...seen, lastRun: run.id }
  const { direction: way } = run
  const exports = connection.direction !== 'import'
  // A person asked for the export and sees how it ended. The connection has nothing to repeat.
  if (cause !== null && way === 'export' && !exports) return void (await tx.replace(connections, base))
  if (cause !== null) return failed(app, tx, base, { cause, message: run.error ?? '', way })
  if (run.state === 'conflict')
    return failed(app, tx, base, {
      cause: 'conflict',
      message: run.error ?? '',
      changeRequest: run.changeRequest,
      way: 'import',
    })
  const well = { ...base, ...inStep(run), lastSuccessAt: app.clock.now().toISOString() }
  // An import that is well says nothing about an export that failed, if the connection repeats that.
  if (way === 'import' && connection.failure?.way === 'export' && exports) await tx.replace(connections, well)
  else await recovered(app, tx, well)
}

/** After an export, the remote has what main had. An import says nothing about what main has besides. */
const inStep = (run: SyncRunDoc): Partial<ConnectionDoc> => {
  const same = run.direction === 'export' || run.result === 'adopted'
  return same && run.revision !== undefined ? { lastRevision: run.revision } : {}
}
