import { incomingRef, keepRef } from '../context/refs.js'
import { localCommit, noFolder } from './directory.js'
import { SyncFailure } from './failure.js'
import { describeRemote } from './remote.js'
import { type Contact, fetchHead, type Outcome, type Sync } from './sync.js'
import { readSyncLog } from './sync-log.js'
import { requireMain, takeUp } from './take-up.js'

/** What ends an import of a ref that the remote does not have. */
export async function noBranch({ space, remote, connection }: Contact): Promise<SyncFailure> {
  const branch = await space.repo.remoteDefault(connection)
  const instead =
    branch === null
      ? 'the repository is empty. The content of the space was left alone. Export first.'
      : `the branch was renamed or deleted. The content of the space was left alone. Correct ref, or export first; the repository's default branch is ${branch}.`
  return new SyncFailure(`${describeRemote(remote)} does not exist: ${instead}`)
}

/** Runs an import. Doing it again changes nothing more. Throws `SyncFailure`, `RemoteError`. */
export async function runImport(sync: Sync): Promise<Outcome> {
  const { remote, run } = sync
  const { repo } = sync.space
  const main = requireMain(sync)
  const { last } = await readSyncLog(repo, remote, main)
  // Of a remote that was never in step everything has to come: that need not wait for the name of its head.
  const early = last === null && !run.standalone ? fetchHead(sync) : null
  early?.catch(() => {})
  try {
    const named = await repo.remoteHead(sync.connection, remote.ref)
    if (named === null) throw await noBranch(sync)
    if (run.standalone) return await importStandalone(sync)
    // A webhook that fires for our own export ends here, without a fetch.
    if (!run.force && last?.remote === named && repo.head(incomingRef(remote.key)) === null) {
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
  const revision = await localCommit(repo, await readSyncLog(repo, remote, requireMain(sync)), remote.directory, head)
  if (revision === null) throw noFolder(remote)
  await sync.app.locks.run(sync.space.doc.id, async (lease) => {
    if (repo.head(keepRef(revision)) === null) await repo.move([{ ref: keepRef(revision), from: null, to: revision }], 'standalone import', lease)
  })
  return { result: 'standalone', revision, remoteRevision: head }
}
