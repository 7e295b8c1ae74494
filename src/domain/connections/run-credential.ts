/** The credential of a run: that of its connection, or the one that its request brought. */
import { connections, type SyncRunDoc } from '../../model/index.js'
import type { App } from '../context/app.js'
import { SyncFailure } from '../git-sync/failure.js'
import type { Credential } from '../git-sync/remote.js'
import { gitCredentialOf } from './credential.js'

/** What Git needs for the run. A credential that was sent with the request counts before that of the connection. Throws `SyncFailure`. */
export async function credentialOfRun(app: App, run: SyncRunDoc): Promise<Credential | undefined> {
  const sent = app.credentials.get(run.id)
  if (sent || run.connection === undefined) return sent
  const connection = await app.store.get(connections, run.connection)
  if (connection?.key !== run.key) throw new SyncFailure('The connection was deleted, or leads elsewhere now.')
  return gitCredentialOf(app, connection)
}
