/** Selects the credential of a run: from its request or from its connection. */
import { connections, type SyncRunDoc } from '../../model/index.js'
import type { App } from '../context/app.js'
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
