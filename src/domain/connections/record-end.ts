/** Selects the credential of a run, and records its end in the connection: the commits, and whether it works. */
import { type ConnectionDoc, connections, type SyncRunDoc, syncRuns } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { recordConnectionFailure, recordConnectionRecovery } from './notices.js'
import { SyncFailure } from '../git-sync/failure.js'
import type { Credential } from '../git-sync/remote.js'
import { gitCredentialOf } from './credential.js'

/**
 * Returns the credential that Git needs for the run. A credential in the request takes precedence. Throws
 * `SyncFailure`.
 */
export async function credentialOfRun(app: App, run: SyncRunDoc): Promise<Credential | undefined> {
  const sent = app.credentials.get(run.id)
  if (sent || run.connection === undefined) return sent
  const connection = await app.store.get(connections, run.connection)
  if (connection?.key !== run.key)
    throw new SyncFailure('The connection was deleted, or now points to another repository.')
  return gitCredentialOf(app, connection)
}

/**
 * Records the end of a run in its connection, in the transaction that ends the run.
 * @param cause the cause of a failure; null if the run did not fail
 */
export async function recordEnd(app: App, tx: Transaction, runId: string, cause: string | null): Promise<void> {
  const run = await tx.get(syncRuns, runId)
  const connection = run?.connection === undefined ? null : await tx.get(connections, run.connection)
  if (!run || !connection || connection.key !== run.key) return
  const seen = run.remoteRevision === undefined ? {} : { lastSeenHead: run.remoteRevision }
  const base = { ...connection, ...seen, lastRun: run.id }
  const { direction: way } = run
  const exports = connection.direction !== 'import'
  // A user asked for the export and sees its result. The connection has nothing to retry.
  if (cause !== null && way === 'export' && !exports) return void (await tx.replace(connections, base))
  if (cause !== null) return recordConnectionFailure(app, tx, base, { cause, message: run.error ?? '', way })
  if (run.state === 'conflict')
    return recordConnectionFailure(app, tx, base, {
      cause: 'conflict',
      message: run.error ?? '',
      changeRequest: run.changeRequest,
      way: 'import',
    })
  const working = { ...base, ...syncedRevision(run), lastSuccessAt: app.clock.now().toISOString() }
  // If the connection retries exports, a successful import does not clear the failure of an export.
  if (way === 'import' && connection.failure?.way === 'export' && exports) await tx.replace(connections, working)
  else await recordConnectionRecovery(app, tx, working)
}

/**
 * Returns the synchronized revision. After an export, the remote has the content of main. After an import, main may
 * contain more.
 */
const syncedRevision = (run: SyncRunDoc): Partial<ConnectionDoc> => {
  const same = run.direction === 'export' || run.result === 'adopted'
  return same && run.revision !== undefined ? { lastRevision: run.revision } : {}
}
