/** An export from start to end: imports what is new on the remote, commits on top of it, pushes, and retries if it moved. */
import { RemoteError } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { findCommonGround } from './merge-base.js'
import { settleConflict } from './conflict.js'
import { folderCommit } from './directory.js'
import { exportCommit, type ExportBase } from './export-commit.js'
import { type ExportRow, exportRow } from './commit-series.js'
import { SyncFailure } from './failure.js'
import { hasSeenBranch, noBranch } from './import.js'
import type { Entry, SyncLog } from './log-entries.js'
import { firstExportBase, type BranchHead, findOtherBranches } from './new-branch.js'
import { findOffered } from './unconfirmed-push.js'
import { presumedHead } from './expected-head.js'
import { describeRemote, type SyncRemote } from './remote.js'
import { onRemoteSide, type Sided } from './remote-side.js'
import { checkStillAsked } from './request.js'
import { during, type LockedSync, type Outcome, type Sync } from './sync.js'
import { readSyncLog } from './sync-log.js'
import { logMoves } from './log-moves.js'
import { requireMain, applyArrival } from './apply-arrival.js'
import { defined } from '../../kernel/defined.js'

const ATTEMPTS = 5

/**
 * Runs an export: pushes one commit on top of the remote's head. Changes of the remote are imported first, unless the export is forced. Running it
 * again after a crash is harmless. Throws `SyncFailure`, `RemoteError`.
 */
export const runExport = (sync: Sync): Promise<Outcome> => onRemoteSide(sync, exportTo)

async function exportTo(sync: Sided<Sync>): Promise<Outcome> {
  const presumed = await presumedHead(sync)
  let outcome = presumed === null ? 'remote moved' : await attempt(sync, presumed)
  for (let tries = 1; outcome === 'remote moved' && tries <= ATTEMPTS; tries++) outcome = await attempt(sync, null)
  if (outcome !== 'remote moved') return outcome
  throw new SyncFailure(
    `${describeRemote(sync.remote)} changed during each of ${ATTEMPTS} attempts to export. Nothing was overwritten; start the export again.`,
  )
}

/** @param presumed a known head that the remote has, unless it moved; null if it is to be asked */
async function attempt(sync: Sided<Sync>, presumed: CommitId | null): Promise<Outcome | 'remote moved'> {
  const { app, remote, run } = sync
  const { repo } = sync.space
  if (presumed === null) await sync.enter('connecting')
  let head = presumed ?? (await repo.remoteHead(sync.connection, remote.ref))
  if (head === null && !run.force && (await hasSeenBranch(sync))) throw await noBranch(sync, true)
  let imported: Outcome | null = null
  if (presumed === null && head !== null) {
    const known =
      (await readSyncLog(repo, remote, requireMain(sync))).last?.remote === head &&
      (await sync.side.commits.hasCommit(head))
    if (!known) head = await sync.side.fetch(remote.ref)
    imported = run.force || run.oneWay || known ? null : await importFirst(sync, head)
    if (imported?.result === 'conflict') return imported
  }
  const found: readonly BranchHead[] = head === null ? await findOtherBranches(sync) : []
  const planned = run.exportMode === 'commits' ? await planRow(sync, head, found) : null
  const prepared = await app.locks.run(sync.space.doc.id, (lease) =>
    prepare({ ...sync, lease }, { head, found, planned, presumed: presumed !== null }),
  )
  if (prepared === 'remote moved') return prepared
  if (!('result' in prepared)) return push(sync, prepared)
  // A run of a connection is both ways: what it took from the remote is what it did.
  return run.connection !== undefined && (imported?.result === 'adopted' || imported?.result === 'merged')
    ? imported
    : prepared
}

/** Imports the remote's changes. Null if the remote does not have the folder yet. */
async function importFirst(sync: Sided<Sync>, head: CommitId): Promise<Outcome | null> {
  const local = await sync.side.local(await readSyncLog(sync.space.repo, sync.remote, requireMain(sync)), head)
  return local === null ? null : applyArrival(sync, { head, theirs: local }, { force: false, forExport: true })
}

/** An export commit by commit, made ready without the lock of the space: it may have many commits. */
interface PlannedRow {
  /** Main's head when it was planned: this is what is exported. */
  main: CommitId
  /** Null if there is nothing to export, or it cannot be exported commit by commit. */
  made: ExportRow | null
}

/**
 * Makes the commits of an export commit by commit. They are one commit if the remote has nothing in common with the space yet, or if it is
 * overwritten by force.
 */
async function planRow(sync: Sided<Sync>, head: CommitId | null, found: readonly BranchHead[]): Promise<PlannedRow> {
  const { repo } = sync.space
  const main = requireMain(sync)
  const log = await readSyncLog(repo, sync.remote, main)
  const ground = await groundOf(sync, log, main, { head, found })
  // The space's own history goes to an empty repository as it is.
  if (ground.own) return { main, made: { commit: main, theirs: main, row: 1 } }
  if (ground.head === null || ground.local === null) return { main, made: null }
  const equal = (await repo.commit(ground.local)).tree === (await repo.commit(main)).tree
  if (equal || (head !== null && !(await isInStep(sync, log, main, ground.local)))) return { main, made: null }
  const offered = await findOffered(sync, log, main, { ground, inRow: true })
  if (offered?.row !== undefined)
    return { main, made: { commit: offered.remote, theirs: offered.theirs, row: offered.row } }
  return { main, made: await exportRow(sync, log, main, { head: ground.head, local: ground.local }) }
}

/** What an export builds on. */
const groundOf = async (
  sync: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  { head, found }: { head: CommitId | null; found: readonly BranchHead[] },
): Promise<ExportBase> =>
  head === null ? firstExportBase(sync, log, main, found) : { head, local: await sync.side.local(log, head) }

interface Prepared {
  /** The log entry of the commit to push. */
  entry: Omit<Entry, 'kind'>
  /** The head that the remote must have for the push; null = the branch must not exist. */
  expected: CommitId | null
  /** The revision of main that the remote had before. */
  before?: CommitId
}

/** What is known when an export is prepared. */
interface Basis {
  /** The remote's head; null = it has no such branch. */
  head: CommitId | null
  /** Heads of other branches of the remote, if it has no such branch. */
  found: readonly BranchHead[]
  planned: PlannedRow | null
  /** Whether the remote was not asked for its head: then only a push may follow from it. */
  presumed: boolean
}

/** Makes the commit and records it in the log before it is pushed: after a crash, the next import must not take it for a change of the remote. */
async function prepare(
  sync: Sided<LockedSync>,
  { head, found, planned, presumed }: Basis,
): Promise<Outcome | Prepared | 'remote moved'> {
  const { remote } = sync
  const { repo } = sync.space
  const newest = requireMain(sync)
  const main = planned?.main ?? newest
  // Somebody has set main back.
  if (!(await repo.isAncestor(main, newest))) return 'remote moved'
  const log = await readSyncLog(repo, remote, newest)
  const ground = await groundOf(sync, log, main, { head, found })
  if (head !== null && !sync.run.force && !(await isInStep(sync, log, main, ground.local))) {
    if (sync.run.oneWay && !presumed) throw othersCommitted(remote)
    return 'remote moved'
  }
  const record = { local: main, anchor: main, ref: remote.ref }
  if (
    ground.head !== null &&
    ground.local !== null &&
    (await repo.commit(ground.local)).tree === (await repo.commit(main)).tree
  ) {
    const entry = { ...record, remote: ground.head, theirs: ground.local }
    // A new branch with content that the remote has already needs no commit.
    if (head === null && (!ground.own || planned))
      return { entry: planned?.made ? { ...entry, row: planned.made.row } : entry, expected: null }
    if (head !== null) return presumed ? 'remote moved' : unchanged(sync, log, entry)
  }
  const last = log.last?.local ?? ground.local
  const before = last === null ? {} : { before: last }
  const again = planned?.made ? null : await findOffered(sync, log, main, { ground, inRow: false })
  if (again) return { entry: { ...record, remote: again.remote, theirs: again.theirs }, expected: head, ...before }
  const commit = planned?.made?.commit ?? (await exportCommit(sync, log, main, ground))
  const theirs = planned?.made?.theirs ?? (await mapped(sync, log, main, ground, commit))
  const entry = { ...record, remote: commit, theirs, ...(planned?.made ? { row: planned.made.row } : {}) }
  if (!isOffered(log, entry)) {
    const moves = await logMoves(repo, log, newest, { added: [{ ...entry, kind: 'offered' }] })
    await repo.move(moves, `export to ${describeRemote(remote)}`, sync.lease)
  }
  return { entry, expected: head, ...before }
}

/** Whether the same export was begun before, and nobody knows whether it arrived. */
const isOffered = (log: SyncLog, { remote, anchor, ref }: Omit<Entry, 'kind'>): boolean =>
  log.pairs.some((one) => one.kind === 'offered' && one.remote === remote && one.anchor === anchor && one.ref === ref)

const othersCommitted = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} has changes that the space does not have, and the connection only exports. Nothing was overwritten. Set its direction to both, or run it with force to put the content of the space on top.`,
  )

/** Whether main still contains the remote's changes: somebody may have set it back since they were imported. */
async function isInStep(
  { space: { repo } }: Sync,
  log: SyncLog,
  main: CommitId,
  theirs: CommitId | null,
): Promise<boolean> {
  if (theirs === null || (await repo.commit(theirs)).tree === (await repo.commit(main)).tree) return true
  return (await findCommonGround(repo, log, { main, theirs })).inStep
}

/** The commit here that the pushed one will be mapped to when it is imported. */
async function mapped(
  { side, space: { repo } }: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  ground: ExportBase,
  commit: CommitId,
): Promise<CommitId> {
  const before = ground.head === null || ground.local === null ? [] : [{ remote: ground.head, theirs: ground.local }]
  const local = await side.local({ ...log, entries: [...log.entries, ...before] as Entry[] }, commit)
  if (local !== null || !side.beside) return local ?? commit
  // There is neither a folder there nor a file here.
  const info = await side.commits.commit(commit)
  return repo.write(folderCommit(info, [], (await repo.commit(main)).tree))
}

async function unchanged(sync: LockedSync, log: SyncLog, entry: Omit<Entry, 'kind'>): Promise<Outcome> {
  const same = log.last?.remote === entry.remote
  const moves = same ? [] : await logMoves(sync.space.repo, log, entry.anchor, { added: [{ ...entry, kind: 'known' }] })
  if (moves.length > 0) await sync.space.repo.move(moves, `in step with ${describeRemote(sync.remote)}`, sync.lease)
  await settleConflict(sync, 'The remote has the same content as the space.')
  return { result: 'unchanged', revision: entry.local, remoteRevision: entry.remote }
}

async function push(sync: Sided<Sync>, { entry, expected, before }: Prepared): Promise<Outcome | 'remote moved'> {
  const { app, remote } = sync
  const { repo } = sync.space
  await checkStillAsked(app.store, sync.run)
  const inLog = <T>(work: (log: SyncLog, main: CommitId, lease: Lease) => Promise<T>): Promise<T> =>
    app.locks.run(sync.space.doc.id, async (lease) => {
      const main = requireMain(sync)
      return work(await readSyncLog(repo, remote, main), main, lease)
    })
  try {
    await during(sync.enter('pushing'), () =>
      sync.side.commits.push(sync.connection, remote.ref, entry.remote, expected),
    )
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    // The remote refused the push for certain, so its log entry is removed. After a broken connection the push may have arrived: the entry stays.
    if (error.kind === 'stale' || error.kind === 'rejected' || error.kind === 'unauthorized') {
      await inLog(async (log, main, lease) => {
        const offered = log.entries.filter(
          (one) => one.kind === 'offered' && one.remote === entry.remote && one.ref === entry.ref,
        )
        await repo.move(await logMoves(repo, log, main, { removed: offered }), 'export refused', lease)
      })
    }
    if (error.kind === 'stale') return 'remote moved'
    throw error
  }
  return inLog(async (log, main, lease) => {
    await repo.move(
      await logMoves(repo, log, main, { added: [{ ...entry, kind: 'known' }] }),
      `exported to ${describeRemote(remote)}`,
      lease,
    )
    await settleConflict({ ...sync, lease }, 'An export brought the remote in step with the main content.')
    return {
      result: 'exported',
      revision: entry.local,
      remoteRevision: entry.remote,
      ...defined({ baseRevision: before }),
    }
  })
}
