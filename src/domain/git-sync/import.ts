/** Runs an import: fetches a remote branch, and brings it into main or keeps it as a separate revision. */
import { RemoteError } from '../../git/index.js'
import { connections } from '../../model/index.js'
import { incomingRef, keepRef } from '../context/refs.js'
import { noFolder } from './directory.js'
import { SyncFailure } from './failure.js'
import { describeRemote } from './remote.js'
import { type FetchedHead, fetchArrival } from './folder-arrival.js'
import type { Contact, FetchHints, Outcome, Sync } from './sync.js'
import { openState } from './sync-log.js'
import { applyArrival } from './apply-arrival.js'
import { isUnrelated } from './plan-arrival.js'

/**
 * Returns the error of a run whose branch is missing on the remote.
 * @param wasThere whether the run's connection has seen the branch before. Such a branch is not created again without a
 * decision
 */
export async function noBranch({ space, remote, connection }: Contact, wasThere = false): Promise<SyncFailure> {
  const { default: branch, branches } = await space.repo.remote.branches(connection)
  const empty = branches.length === 0
  const remedy = wasThere
    ? `Restore it${empty ? '' : ', or set ref to another branch'}. To create it from the content of the space, run the connection with force.`
    : empty
      ? 'Export first.'
      : 'Correct ref, or export first.'
  const what = empty ? 'the repository is empty' : 'the branch was renamed or deleted'
  const instead = branch === null ? '' : ` The repository's default branch is ${branch}.`
  const message = `${describeRemote(remote)} does not exist: ${what}. Neither the content of the space nor the repository was changed. ${remedy}${instead}`
  return new SyncFailure(message, { cause: new RemoteError('missing-ref', message) })
}

/**
 * Whether the run belongs to a connection that has seen the run's branch before. A direct export request is a decision
 * to create the branch.
 */
export async function hasSeenBranch({ app, run }: Pick<Sync, 'app' | 'run'>): Promise<boolean> {
  if (run.connection === undefined || run.trigger === undefined) return false
  const connection = await app.store.get(connections, run.connection)
  return connection?.key === run.key && connection.lastSeenHead !== undefined
}

/** Runs an import. Running it again after a crash is harmless. Throws `SyncFailure`, `RemoteError`. */
export async function runImport(sync: Sync): Promise<Outcome> {
  const { remote, run } = sync
  const { repo } = sync.space
  const { main, log } = await openState(sync)
  if (run.standalone) return await importStandalone(sync)
  const { last } = log
  const known = run.force || repo.refs.head(incomingRef(remote.key)) !== null ? undefined : last?.remote
  // The fetch itself reads the remote head. A separate request would only add a round trip.
  const { head, theirs } = await fetchExisting(sync, { known, unrelated: await isUnrelated(sync, main, log) })
  // A webhook event about our own export ends here, because the fetch found nothing new.
  if (head === known) return { result: 'unchanged', revision: main, remoteRevision: head }
  return await applyArrival(sync, { head, theirs }, { force: run.force, forExport: false })
}

/** Fetches the head of a branch that may not exist. Throws `SyncFailure` if it does not exist, `RemoteError`. */
async function fetchExisting(sync: Sync, hints: FetchHints = {}): Promise<FetchedHead> {
  try {
    return await fetchArrival(sync, hints)
  } catch (error) {
    if (error instanceof RemoteError && error.kind === 'missing-ref')
      throw await noBranch(sync, await hasSeenBranch(sync))
    throw error
  }
}

/** Makes the remote head a revision that clients can read by its ID. Main stays as it is. */
async function importStandalone(sync: Sync): Promise<Outcome> {
  const { remote } = sync
  const { repo } = sync.space
  const { head, theirs: revision } = await fetchExisting(sync)
  if (revision === null) throw noFolder(remote)
  const keep = (): Promise<void> =>
    sync.app.locks.run(sync.space.doc.id, async (lease) => {
      if (repo.refs.head(keepRef(revision)) === null)
        await repo.refs.move([{ ref: keepRef(revision), from: null, to: revision }], 'standalone import', lease)
    })
  await sync.within('checking', keep)
  return { result: 'standalone', revision, remoteRevision: head }
}
