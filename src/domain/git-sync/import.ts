/** Runs an import: fetches a remote branch, and takes it into main or keeps it as a revision of its own. */
import { RemoteError } from '../../git/index.js'
import { incomingRef, keepRef } from '../context/refs.js'
import { localCommit, noFolder } from './directory.js'
import { SyncFailure } from './failure.js'
import { describeRemote } from './remote.js'
import { type FetchedHead, fetchArrival } from './folder-arrival.js'
import type { Contact, FetchHints, Outcome, Sync } from './sync.js'
import { readSyncLog } from './sync-log.js'
import { requireMain, applyArrival } from './apply-arrival.js'
import { isUnrelated } from './plan-arrival.js'

/** The error of an import from a branch that the remote does not have. */
export async function noBranch({ space, remote, connection }: Contact): Promise<SyncFailure> {
  const branch = await space.repo.remoteDefault(connection)
  const instead =
    branch === null
      ? 'the repository is empty. The content of the space was not changed. Export first.'
      : `the branch was renamed or deleted. The content of the space was not changed. Correct ref, or export first; the repository's default branch is ${branch}.`
  return new SyncFailure(`${describeRemote(remote)} does not exist: ${instead}`)
}

/** Runs an import. Running it again after a crash is harmless. Throws `SyncFailure`, `RemoteError`. */
export async function runImport(sync: Sync): Promise<Outcome> {
  const { remote, run } = sync
  const { repo } = sync.space
  const main = requireMain(sync)
  if (run.standalone) return await importStandalone(sync)
  const log = await readSyncLog(repo, remote, main)
  const { last } = log
  const known = run.force || repo.head(incomingRef(remote.key)) !== null ? undefined : last?.remote
  // The fetch itself asks for the head: to ask before would only cost the remote's answer twice.
  const { head, theirs } = await fetchExisting(sync, { known, unrelated: await isUnrelated(sync, main, log) })
  // A webhook that fires for our own export ends here; the fetch found nothing to bring.
  if (head === known) return { result: 'unchanged', revision: main, remoteRevision: head }
  return await applyArrival(sync, { head, theirs }, { force: run.force, forExport: false })
}

/** Fetches the head of a branch that may not exist. Throws `SyncFailure` if it does not, `RemoteError`. */
async function fetchExisting(sync: Sync, hints: FetchHints = {}): Promise<FetchedHead> {
  try {
    return await fetchArrival(sync, hints)
  } catch (error) {
    if (error instanceof RemoteError && error.kind === 'missing-ref') throw await noBranch(sync)
    throw error
  }
}

/** Makes the remote's head a revision that clients can read by its ID; main stays as it is. */
async function importStandalone(sync: Sync): Promise<Outcome> {
  const { remote } = sync
  const { repo } = sync.space
  const { head, theirs } = await fetchExisting(sync)
  await sync.enter('checking')
  const revision = theirs !== undefined ? theirs : await localCommit(repo, await readSyncLog(repo, remote, requireMain(sync)), remote.directory, head)
  if (revision === null) throw noFolder(remote)
  await sync.app.locks.run(sync.space.doc.id, async (lease) => {
    if (repo.head(keepRef(revision)) === null) await repo.move([{ ref: keepRef(revision), from: null, to: revision }], 'standalone import', lease)
  })
  return { result: 'standalone', revision, remoteRevision: head }
}
