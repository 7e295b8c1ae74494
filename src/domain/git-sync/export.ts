/** An export from start to end: imports what is new on the remote, commits on top of it, pushes, and retries if it moved. */
import { RemoteError } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { findCommonGround } from './common-ground.js'
import { settleConflict } from './conflict.js'
import { localCommit } from './directory.js'
import { exportCommit, type ExportBase } from './export-commit.js'
import { SyncFailure } from './failure.js'
import type { Entry, SyncLog } from './log-entries.js'
import { firstExportBase, type BranchHead, findOtherBranches } from './new-branch.js'
import { describeRemote, type SyncRemote } from './remote.js'
import { checkStillAsked } from './request.js'
import { fetchHead, type LockedSync, type Outcome, type Sync } from './sync.js'
import { logMoves, readSyncLog } from './sync-log.js'
import { requireMain, applyArrival } from './apply-arrival.js'

const ATTEMPTS = 5

/**
 * Runs an export: pushes one commit on top of the remote's head. Changes of the remote are imported first, unless the export is forced. Running it
 * again after a crash is harmless. Throws `SyncFailure`, `RemoteError`.
 */
export async function runExport(sync: Sync): Promise<Outcome> {
  for (let tries = 1; tries <= ATTEMPTS; tries++) {
    const outcome = await attempt(sync)
    if (outcome !== 'remote moved') return outcome
  }
  throw new SyncFailure(
    `${describeRemote(sync.remote)} changed during each of ${ATTEMPTS} attempts to export. Nothing was overwritten; start the export again.`,
  )
}

async function attempt(sync: Sync): Promise<Outcome | 'remote moved'> {
  const { app, remote, run } = sync
  const { repo } = sync.space
  await sync.enter('connecting')
  let head = await repo.remoteHead(sync.connection, remote.ref)
  let imported: Outcome | null = null
  if (head !== null) {
    const known = (await readSyncLog(repo, remote, requireMain(sync))).last?.remote === head && (await repo.hasCommit(head))
    if (!known) head = await fetchHead(sync)
    imported = run.force || run.oneWay || known ? null : await importFirst(sync, head)
    if (imported?.result === 'conflict') return imported
  }
  const found: readonly BranchHead[] = head === null ? await findOtherBranches(sync) : []
  const prepared = await app.locks.run(sync.space.doc.id, (lease) => prepare({ ...sync, lease }, head, found))
  if (prepared === 'remote moved') return prepared
  if (!('result' in prepared)) return push(sync, prepared)
  // A run of a connection is both ways: what it took from the remote is what it did.
  return run.connection !== undefined && (imported?.result === 'adopted' || imported?.result === 'merged') ? imported : prepared
}

/** Imports the remote's changes. Null if the remote does not have the folder yet. */
async function importFirst(sync: Sync, head: CommitId): Promise<Outcome | null> {
  const { repo } = sync.space
  const local = await localCommit(repo, await readSyncLog(repo, sync.remote, requireMain(sync)), sync.remote.directory, head)
  return local === null ? null : applyArrival(sync, head, { force: false, forExport: true })
}

interface Prepared {
  /** The log entry of the commit to push. */
  entry: Omit<Entry, 'kind'>
  /** The head that the remote must have for the push; null = the branch must not exist. */
  expected: CommitId | null
  /** The revision of main that the remote had before. */
  before?: CommitId
}

/** Makes the commit and records it in the log before it is pushed: after a crash, the next import must not take it for a change of the remote. */
async function prepare(sync: LockedSync, head: CommitId | null, found: readonly BranchHead[]): Promise<Outcome | Prepared | 'remote moved'> {
  const { remote } = sync
  const { repo } = sync.space
  const main = requireMain(sync)
  const log = await readSyncLog(repo, remote, main)
  const ground: ExportBase =
    head === null ? await firstExportBase(sync, log, main, found) : { head, local: await localCommit(repo, log, remote.directory, head) }
  if (head !== null && !sync.run.force && !(await isInStep(sync, log, main, ground.local))) {
    if (sync.run.oneWay) throw othersCommitted(remote)
    return 'remote moved'
  }
  const record = { local: main, anchor: main, ref: remote.ref }
  if (ground.head !== null && ground.local !== null && (await repo.commit(ground.local)).tree === (await repo.commit(main)).tree) {
    const entry = { ...record, remote: ground.head, theirs: ground.local }
    // A new branch with content that the remote has already needs no commit.
    if (head === null && !ground.own) return { entry, expected: null }
    if (head !== null) return unchanged(sync, log, entry)
  }
  const commit = await exportCommit(sync, log, main, ground)
  const theirs = await mapped(sync, log, ground, commit)
  const entry = { ...record, remote: commit, theirs }
  const moves = await logMoves(repo, log, main, [{ ...entry, kind: 'offered' }])
  await repo.move(moves, `export to ${describeRemote(remote)}`, sync.lease)
  const before = log.last?.local ?? ground.local
  return { entry, expected: head, ...(before === null ? {} : { before }) }
}

const othersCommitted = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} has changes that the space does not have, and the connection only exports. Nothing was overwritten. Set its direction to both, or run it with force to put the content of the space on top.`,
  )

/** Whether main still contains the remote's changes: somebody may have set it back since they were imported. */
async function isInStep({ space: { repo } }: Sync, log: SyncLog, main: CommitId, theirs: CommitId | null): Promise<boolean> {
  if (theirs === null || (await repo.commit(theirs)).tree === (await repo.commit(main)).tree) return true
  return (await findCommonGround(repo, log, { main, theirs })).inStep
}

/** The commit here that the pushed one will be mapped to when it is imported. */
async function mapped({ space: { repo }, remote }: Sync, log: SyncLog, ground: ExportBase, commit: CommitId): Promise<CommitId> {
  const before = ground.head === null || ground.local === null ? [] : [{ remote: ground.head, theirs: ground.local }]
  return (await localCommit(repo, { ...log, entries: [...log.entries, ...before] as Entry[] }, remote.directory, commit)) ?? commit
}

async function unchanged(sync: LockedSync, log: SyncLog, entry: Omit<Entry, 'kind'>): Promise<Outcome> {
  const same = log.last?.remote === entry.remote
  const moves = same ? [] : await logMoves(sync.space.repo, log, entry.anchor, [{ ...entry, kind: 'known' }])
  if (moves.length > 0) await sync.space.repo.move(moves, `in step with ${describeRemote(sync.remote)}`, sync.lease)
  await settleConflict(sync, 'The remote has the same content as the space.')
  return { result: 'unchanged', revision: entry.local, remoteRevision: entry.remote }
}

async function push(sync: Sync, { entry, expected, before }: Prepared): Promise<Outcome | 'remote moved'> {
  const { app, remote } = sync
  const { repo } = sync.space
  await sync.enter('pushing')
  await checkStillAsked(app.store, sync.run)
  const inLog = <T>(work: (log: SyncLog, main: CommitId, lease: Lease) => Promise<T>): Promise<T> =>
    app.locks.run(sync.space.doc.id, async (lease) => {
      const main = requireMain(sync)
      return work(await readSyncLog(repo, remote, main), main, lease)
    })
  try {
    await repo.push(sync.connection, remote.ref, entry.remote, expected)
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    // The remote refused the push for certain, so its log entry is removed. After a broken connection the push may have arrived: the entry stays.
    if (error.kind === 'stale' || error.kind === 'rejected' || error.kind === 'unauthorized') {
      await inLog(async (log, main, lease) => {
        const offered = log.entries.filter((one) => one.kind === 'offered' && one.remote === entry.remote && one.ref === entry.ref)
        await repo.move(await logMoves(repo, log, main, [], offered), 'export refused', lease)
      })
    }
    if (error.kind === 'stale') return 'remote moved'
    throw error
  }
  return inLog(async (log, main, lease) => {
    await repo.move(await logMoves(repo, log, main, [{ ...entry, kind: 'known' }]), `exported to ${describeRemote(remote)}`, lease)
    await settleConflict({ ...sync, lease }, 'An export brought the remote in step with the main content.')
    return { result: 'exported', revision: entry.local, remoteRevision: entry.remote, ...(before === undefined ? {} : { baseRevision: before }) }
  })
}
