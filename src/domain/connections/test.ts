/**
 * Tests a connection and reports in plain language what works and what is missing. Moves no refs, locally or at the
 * remote.
 */
import { type Remote, RemoteError, type Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { ServiceError } from '../../kernel/errors.js'
import type { ConnectionDoc, ConnectionTest, RemoteBranches } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { SyncFailure } from '../git-sync/failure.js'
import { describeRemote, withCredential } from '../git-sync/remote.js'
import { gitCredentialOf } from './credential.js'
import { testHost } from './test-host.js'

/** Maximum number of branches that a message names. */
const MAX_NAMED_BRANCHES = 5

/** A repository that responded, and its branches. */
interface HostCheck {
  remote: Remote
  found: BranchList
}

type BranchList = Awaited<ReturnType<Repository['remote']['branches']>>

type Check = ConnectionTest['checks'][number]

/** Returns the message of an error of the remote. Other errors are thrown. */
function messageOf(error: unknown): string {
  if (error instanceof RemoteError || error instanceof SyncFailure) return error.message
  throw error
}

/** Tests a connection with its stored settings. Throws 503 if too many remotes are being read. */
export const testConnection = (
  app: App,
  actor: Actor,
  space: LoadedSpace,
  connection: ConnectionDoc,
): Promise<ConnectionTest> =>
  app.previews.run({ user: actor.user.id, organization: space.doc.organization }, async () => {
    const repository = await tryRepository(app, space, connection)
    if (!('remote' in repository))
      return { ok: false, checks: [{ check: 'repository', ok: false, message: repository.message }] }
    const { remote, found } = repository
    const head =
      found.branches.find(({ ref }) => ref === connection.ref)?.head ??
      (await space.repo.remote.head(remote, connection.ref))
    const checks: Check[] = [
      { check: 'repository', ok: true, message: 'The repository can be read.' },
      branchCheck(connection, head, found),
    ]
    if (connection.direction !== 'import') checks.push(await tryPush(space, connection, remote))
    checks.push(...(await testHost(app, connection)))
    return { ok: checks.every(({ ok }) => ok), checks, ...(head === null ? {} : { head }) }
  })

async function tryRepository(
  app: App,
  space: LoadedSpace,
  connection: ConnectionDoc,
): Promise<HostCheck | { message: string }> {
  try {
    const remote = withCredential(connection, await gitCredentialOf(app, connection))
    return { remote, found: await space.repo.remote.branches(remote) }
  } catch (error) {
    return { message: messageOf(error) }
  }
}

function branchCheck(connection: ConnectionDoc, head: CommitId | null, found: BranchList): Check {
  const name = describeRemote({ ...connection, ref: connection.ref })
  if (head !== null) return { check: 'branch', ok: true, message: `${name} exists.` }
  if (connection.direction !== 'import')
    return { check: 'branch', ok: true, message: `${name} does not exist yet. The first export creates it.` }
  const names = found.branches.slice(0, MAX_NAMED_BRANCHES).map(({ ref }) => ref)
  const others =
    names.length === 0
      ? 'The repository is empty.'
      : `The repository has ${names.join(', ')}${found.branches.length > MAX_NAMED_BRANCHES ? ' and more' : ''}.`
  return { check: 'branch', ok: false, message: `${name} does not exist. ${others} Correct \`ref\`.` }
}

async function tryPush(space: LoadedSpace, connection: ConnectionDoc, remote: Remote): Promise<Check> {
  const main = space.repo.refs.head(MAIN)
  if (main === null)
    return {
      check: 'push',
      ok: false,
      message: 'The branch main of the space is missing. Ask a server administrator to restore it.',
    }
  try {
    await space.repo.remote.tryPush(remote, connection.ref, main)
    return { check: 'push', ok: true, message: 'The credential may push to the repository.' }
  } catch (error) {
    return { check: 'push', ok: false, message: `The credential may not push to the repository: ${messageOf(error)}` }
  }
}

/**
 * Lists the branches of a connection's repository. Throws 409 with the reason if it cannot be read, and 503 if too many
 * remotes are being read.
 */
export const listRemoteBranches = (
  app: App,
  actor: Actor,
  space: LoadedSpace,
  connection: ConnectionDoc,
): Promise<RemoteBranches> =>
  app.previews.run({ user: actor.user.id, organization: space.doc.organization }, async () => {
    const repository = await tryRepository(app, space, connection)
    if (!('remote' in repository))
      throw new ServiceError('conflict', `The repository cannot be read: ${repository.message}`)
    const { default: defaultBranch, branches, truncated } = repository.found
    return { defaultBranch, branches, truncated }
  })
