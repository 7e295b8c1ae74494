/** Finds the LFS server of a remote and what opens it. */
import { readBounded } from '../../content/read-file.js'
import type { Repository } from '../../git/index.js'
import { RemoteError } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { endpointOf, type LfsCredential, LfsError, type LfsServer, MAX_CONFIG_BYTES } from '../../lfs/index.js'
import { type ConnectionDoc, connections } from '../../model/index.js'
import type { App } from '../context/app.js'
import { MAIN } from '../context/refs.js'
import { gitCredentialOf } from '../connections/credential.js'
import { SyncFailure } from '../git-sync/failure.js'
import { isMissing } from '../revisions/revisions.js'
import type { LfsOrder } from './queue.js'

const CONFIG = '.lfsconfig'

/**
 * The server of an order's remote. Throws `LfsError`, also if its connection is gone, paused, or leads elsewhere now.
 * @param job whose credential, of a request, is in memory
 */
export async function serverOf(app: App, job: string, order: LfsOrder, repo: Repository, signal: AbortSignal): Promise<LfsServer> {
  const connection = await connectionOf(app, order)
  const endpoint = endpointOf(order.remote.url, await configOf(repo, order))
  const given = app.credentials.get(job) ?? (connection ? await credentialOf(app, connection) : undefined)
  return { http: app.http, endpoint, credential: given ?? null, signal, now: () => app.clock.now() } as LfsServer & { credential: LfsCredential | null }
}

async function connectionOf(app: App, { remote }: LfsOrder): Promise<ConnectionDoc | null> {
  if (remote.connection === undefined) return null
  const connection = await app.store.get(connections, remote.connection)
  if (connection?.key !== remote.key)
    throw new LfsError('refused', 'The connection to its repository was removed, or leads elsewhere now. Connect the repository, or import from it.')
  if (connection.paused) throw new LfsError('passing', 'The connection to its repository is paused.')
  return connection
}

async function credentialOf(app: App, connection: ConnectionDoc): Promise<LfsCredential | undefined> {
  try {
    const { username, password } = (await gitCredentialOf(app, connection)) ?? {}
    return username === undefined && password === undefined ? undefined : { username: username ?? '', password: password ?? '' }
  } catch (error) {
    if (error instanceof RemoteError) throw new LfsError(error.kind === 'unreachable' ? 'passing' : 'refused', error.message)
    if (error instanceof SyncFailure) throw new LfsError('refused', error.message)
    throw error
  }
}

/** The text of `.lfsconfig`: that of the remote's head, since the space may be a folder of it, else that of main. */
async function configOf(repo: Repository, { remote }: LfsOrder): Promise<string | null> {
  for (const commit of [remote.head as CommitId | undefined, repo.head(MAIN)]) {
    if (commit === undefined || commit === null || !(await repo.hasCommit(commit))) continue
    try {
      const snapshot = await repo.at(commit)
      const entry = await snapshot.entry(CONFIG)
      if (!entry) continue
      const bytes = await readBounded(snapshot, entry.oid, MAX_CONFIG_BYTES)
      if (bytes === null) throw new LfsError('refused', `${CONFIG} has more than ${MAX_CONFIG_BYTES} bytes, so nothing is fetched. Make it shorter.`)
      return Buffer.from(bytes).toString('utf8')
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  return null
}
