/** Finds the LFS server of a remote and its access data. */
import { readBounded } from '../../content/read-file.js'
import { ObjectTooLarge, type Remote, RemoteError, type Repository } from '../../git/index.js'
import {
  accessBy,
  endpointOf,
  isAskedOfHost,
  LfsError,
  type LfsServer,
  MAX_CONFIG_BYTES,
  readAccess,
} from '../../lfs/index.js'
import { type ConnectionDoc, connections, spaces, type LfsOrder } from '../../model/index.js'
import type { App } from '../context/app.js'
import { MAIN } from '../context/refs.js'
import { gitCredentialOf } from '../connections/credential.js'
import { SyncFailure } from '../git-sync/failure.js'
import { type Credential, withCredential } from '../git-sync/remote.js'
import { isMissing } from '../revisions/revisions.js'

const CONFIG = '.lfsconfig'

/** A server and the expiry of its access (milliseconds since 1970). Null if no expiry is known. */
export interface OpenedServer {
  server: LfsServer
  expiresAt: number | null
}

/**
 * Returns the LFS server of an order's remote. For an ssh remote, its host names the server. Throws `LfsError`, also if
 * its connection is gone, paused, or now points elsewhere.
 * @param job job whose request credential is in memory
 */
export async function serverOf(
  app: App,
  job: string,
  order: LfsOrder,
  repo: Repository,
  signal: AbortSignal,
): Promise<OpenedServer> {
  const connection = await connectionOf(app, order)
  const given = app.credentials.get(job) ?? (connection ? await credentialOf(app, connection) : undefined)
  const remote = withCredential(order.remote, given, signal)
  const config = (await rootConfigOf(app, order, repo, remote)) ?? (await configOf(repo, order))
  const common = { http: app.http, signal, now: () => app.clock.now() }
  if (isAskedOfHost(order.remote.url, config)) {
    const response = await repo.remote.lfsAccess(remote).catch((error: unknown) => {
      throw asLfsError(error)
    })
    const { endpoint, headers, expiresAt } = readAccess(response, {
      now: app.clock.now(),
      insecure: app.settings.connectionProtocols.includes('http'),
    })
    return { server: { ...common, endpoint, access: headers }, expiresAt }
  }
  const { username, password } = given ?? {}
  const basic =
    username === undefined && password === undefined ? null : { username: username ?? '', password: password ?? '' }
  return {
    server: { ...common, endpoint: endpointOf(order.remote.url, config), access: accessBy(basic) },
    expiresAt: null,
  }
}

async function connectionOf(app: App, { remote }: LfsOrder): Promise<ConnectionDoc | null> {
  if (remote.connection === undefined) return null
  const connection = await app.store.get(connections, remote.connection)
  if (connection?.key !== remote.key)
    throw new LfsError(
      'refused',
      'The connection to its repository was removed or now points elsewhere. Connect the repository, or import from it.',
    )
  if (connection.paused) throw new LfsError('passing', 'The connection to its repository is paused.')
  return connection
}

async function credentialOf(app: App, connection: ConnectionDoc): Promise<Credential | undefined> {
  try {
    return await gitCredentialOf(app, connection)
  } catch (error) {
    throw error instanceof SyncFailure ? new LfsError('refused', error.message) : asLfsError(error)
  }
}

/**
 * Reads `.lfsconfig` from the root of the remote branch, for a space that is synced with a folder. Null if there is
 * none. Called only if objects are missing.
 */
async function rootConfigOf(
  app: App,
  { space, remote: { ref, directory } }: LfsOrder,
  repo: Repository,
  remote: Remote,
): Promise<string | null> {
  if (directory === undefined || /^file:/i.test(remote.url)) return null
  const owner = (await app.store.get(spaces, space))?.organization
  if (owner === undefined) return null
  const { maxBlobBytes, maxPackBytes, maxTreeEntries: maxEntries, remoteTimeoutMs: timeoutMs } = app.settings
  try {
    return await repo.remote.rootFile(remote, ref, {
      name: CONFIG,
      maxBytes: MAX_CONFIG_BYTES,
      owner,
      maxBlobBytes,
      maxPackBytes,
      maxEntries,
      timeoutMs,
    })
  } catch (error) {
    throw error instanceof ObjectTooLarge ? tooLong() : asLfsError(error)
  }
}

/** Kinds of remote failures that are often temporary. */
const TEMPORARY: ReadonlySet<RemoteError['kind']> = new Set(['unreachable', 'timeout', 'cancelled'])

/** Converts a failure to reach the remote to an LFS error. Other errors are returned unchanged. */
const asLfsError = (error: unknown): unknown =>
  error instanceof RemoteError ? new LfsError(TEMPORARY.has(error.kind) ? 'passing' : 'refused', error.message) : error

const tooLong = (): LfsError =>
  new LfsError('refused', `${CONFIG} has more than ${MAX_CONFIG_BYTES} bytes, so nothing is fetched. Make it shorter.`)

/** Reads `.lfsconfig` from the last imported head of the remote, otherwise from main. */
async function configOf(repo: Repository, { remote }: LfsOrder): Promise<string | null> {
  for (const commit of [remote.head, repo.refs.head(MAIN)]) {
    if (commit === undefined || commit === null || !(await repo.objects.hasCommit(commit))) continue
    try {
      const snapshot = await repo.objects.snapshot(commit)
      const entry = await snapshot.entry(CONFIG)
      if (!entry) continue
      const bytes = await readBounded(snapshot, entry.oid, MAX_CONFIG_BYTES)
      if (bytes === null) throw tooLong()
      return Buffer.from(bytes).toString('utf8')
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  return null
}
