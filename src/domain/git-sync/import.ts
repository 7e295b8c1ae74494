import { incomingRef, keepRef, MAIN } from '../refs.js'
import { localCommit } from './directory.js'
import { SyncFailure } from './failure.js'
import { describeRemote, type SyncRemote } from './remote.js'
import { fetchHead, type Outcome, type Sync } from './sync.js'
import { readSyncState } from './sync-refs.js'
import { takeUp } from './take-up.js'

/** What ends an import of a ref that the remote does not have. */
export const noBranch = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} does not exist: the branch was renamed or deleted, or the repository is empty. The content of the space was left alone. Correct ref, or export first.`,
  )

/** Runs an import. Doing it again changes nothing more. Throws `SyncFailure`, `RemoteError`. */
export async function runImport(sync: Sync): Promise<Outcome> {
  const { remote, run } = sync
  const { repo } = sync.space
  const state = await readSyncState(repo, remote.key)
  // Of a remote that was never in step everything has to come: that need not wait for the name of its head.
  const early = state.last === null && !run.standalone ? fetchHead(sync) : null
  early?.catch(() => {})
  try {
    const named = await repo.remoteHead(sync.connection, remote.ref)
    if (named === null) throw noBranch(remote)
    if (run.standalone) return await importStandalone(sync)
    const main = repo.head(MAIN)
    // A webhook that fires for our own export ends here, without a fetch.
    if (!run.force && main !== null && state.last?.remote === named && repo.head(incomingRef(remote.key)) === null) {
      return { result: 'unchanged', revision: main, remoteRevision: named }
    }
    return await takeUp(sync, await (early ?? fetchHead(sync)), { force: run.force, forExport: false })
  } finally {
    // Whatever went wrong, nothing of this run goes on after it.
    await early?.catch(() => {})
  }
}

/** Makes a revision of the remote's head that clients may name; main stays. */
async function importStandalone(sync: Sync): Promise<Outcome> {
  const { remote } = sync
  const { repo } = sync.space
  const head = await fetchHead(sync)
  await sync.enter('checking')
  const revision = await localCommit(repo, await readSyncState(repo, remote.key), remote.directory, head)
  if (revision === null) throw new SyncFailure(`${describeRemote(remote)} has no folder ${remote.directory}/. Correct repoProjectDirectory.`)
  if (repo.head(keepRef(revision)) === null) await repo.move([{ ref: keepRef(revision), from: null, to: revision }], 'standalone import')
  return { result: 'standalone', revision, remoteRevision: head }
}
