/** Runs an export: imports new remote commits, commits on top of them, pushes, and retries if the remote has moved. */
import { RemoteError } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { incomingRef } from '../context/refs.js'
import { findMergeBase } from './merge-base.js'
import { settleConflict } from './conflict.js'
import { folderCommit } from './directory.js'
import { exportCommit, type ExportBase, findUnconfirmedPush } from './export-commit.js'
import { type CommitSeries, makeCommitSeries } from './commit-series.js'
import { SyncFailure } from './failure.js'
import { hasSeenBranch, noBranch } from './import.js'
import type { Entry, SyncLog } from './log-entries.js'
import { firstExportBase, type BranchHead, findOtherBranches } from './new-branch.js'
import { describeRemote, type SyncRemote } from './remote.js'
import { onRemoteSide, type Sided } from './remote-side.js'
import { checkStillValid } from './request.js'
import type { LockedSync, Outcome, Sync } from './sync.js'
import { openState } from './sync-log.js'
import { logMoves } from './log-moves.js'
import { applyArrival } from './apply-arrival.js'
import { defined } from '../../kernel/defined.js'

const ATTEMPTS = 5

/**
 * Runs an export: pushes one commit or a commit series on top of the remote head. Changes of the remote are imported
 * first, unless the export is forced. Running it again after a crash is harmless. Throws `SyncFailure`, `RemoteError`.
 */
export const runExport = (sync: Sync): Promise<Outcome> => onRemoteSide(sync, exportTo)

async function exportTo(sync: Sided<Sync>): Promise<Outcome> {
  const expected = await findExpectedHead(sync)
  let outcome = expected === null ? 'remote moved' : await attempt(sync, expected)
  for (let tries = 1; outcome === 'remote moved' && tries <= ATTEMPTS; tries++) outcome = await attempt(sync, null)
  if (outcome !== 'remote moved') return outcome
  throw new SyncFailure(
    `${describeRemote(sync.remote)} changed during each of ${ATTEMPTS} attempts to export. Nothing was overwritten. Start the export again.`,
  )
}

/** @param expected the head that the remote has unless it moved; null to ask the remote */
async function attempt(sync: Sided<Sync>, expected: CommitId | null): Promise<Outcome | 'remote moved'> {
  const { app, remote, run } = sync
  const { repo } = sync.space
  let head = expected ?? (await sync.within('connecting', () => repo.remote.head(sync.connection, remote.ref)))
  if (head === null && !run.force && (await hasSeenBranch(sync))) throw await noBranch(sync, true)
  let imported: Outcome | null = null
  if (expected === null && head !== null) {
    const known = (await openState(sync)).log.last?.remote === head && (await sync.side.commits.objects.hasCommit(head))
    if (!known) head = await sync.side.fetch(remote.ref)
    imported = run.force || run.oneWay || known ? null : await importFirst(sync, head)
    if (imported?.result === 'conflict') return imported
  }
  const found: readonly BranchHead[] = head === null ? await findOtherBranches(sync) : []
  const planned = run.exportMode === 'commits' ? await planSeries(sync, head, found) : null
  const prepared = await app.locks.run(sync.space.doc.id, (lease) =>
    prepare({ ...sync, lease }, { head, found, planned, isExpected: expected !== null }),
  )
  if (prepared === 'remote moved') return prepared
  if (!('result' in prepared)) return push(sync, prepared)
  // A connection's run goes both ways. If it imported something, that is its result.
  return run.connection !== undefined && (imported?.result === 'adopted' || imported?.result === 'merged')
    ? imported
    : prepared
}

/** Imports the remote's changes. Returns null if the remote does not have the folder yet. */
async function importFirst(sync: Sided<Sync>, head: CommitId): Promise<Outcome | null> {
  const local = await sync.side.local((await openState(sync)).log, head)
  return local === null ? null : applyArrival(sync, { head, theirs: local }, { force: false, forExport: true })
}

/** A commit series that is prepared without the space's lock, because it may have many commits. */
interface PlannedSeries {
  /** The exported head of main: the one at the time of planning. */
  main: CommitId
  /** Null if there is nothing to export, or if the content cannot be exported as a series. */
  series: CommitSeries | null
}

/**
 * Plans the commit series of an export. The export is a single commit if the remote has no merge base with the space
 * yet, or if it is overwritten by force.
 */
async function planSeries(
  sync: Sided<Sync>,
  head: CommitId | null,
  found: readonly BranchHead[],
): Promise<PlannedSeries> {
  const { repo } = sync.space
  const { main, log } = await openState(sync)
  const base = await exportBase(sync, log, main, { head, found })
  // The space's own history is pushed unchanged to an empty repository.
  if (base.own) return { main, series: { commit: main, theirs: main, length: 1 } }
  if (base.head === null || base.local === null) return { main, series: null }
  const equal = (await repo.objects.commit(base.local)).tree === (await repo.objects.commit(main)).tree
  if (equal || (head !== null && !(await isUpToDate(sync, log, main, base.local)))) return { main, series: null }
  const unconfirmed = await findUnconfirmedPush(sync, log, main, { base, asSeries: true })
  if (unconfirmed?.seriesLength !== undefined)
    return {
      main,
      series: { commit: unconfirmed.remote, theirs: unconfirmed.theirs, length: unconfirmed.seriesLength },
    }
  return { main, series: await makeCommitSeries(sync, log, main, { head: base.head, local: base.local }) }
}

/** Returns the commit that the export is based on. */
const exportBase = async (
  sync: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  { head, found }: { head: CommitId | null; found: readonly BranchHead[] },
): Promise<ExportBase> =>
  head === null ? firstExportBase(sync, log, main, found) : { head, local: await sync.side.local(log, head) }

interface Prepared {
  /** The log entry of the commit to push. */
  entry: Omit<Entry, 'kind'>
  /** The head that the remote must have for the push; null if the branch must not exist. */
  expected: CommitId | null
  /** The revision of main that the remote had before. */
  before?: CommitId
}

/** The inputs for preparing an export. */
interface Basis {
  /** The remote head; null if the remote has no such branch. */
  head: CommitId | null
  /** Heads of other branches of the remote, if it has no such branch. */
  found: readonly BranchHead[]
  planned: PlannedSeries | null
  /** Whether the remote was not asked for its head. Then the only possible result is a push. */
  isExpected: boolean
}

/**
 * Makes the commit and records it in the log before it is pushed. After a crash, the next import must not take it for a
 * remote change.
 */
async function prepare(
  sync: Sided<LockedSync>,
  { head, found, planned, isExpected }: Basis,
): Promise<Outcome | Prepared | 'remote moved'> {
  const { remote } = sync
  const { repo } = sync.space
  const { main: newest, log } = await openState(sync)
  const main = planned?.main ?? newest
  // main was reset to an older commit.
  if (!(await repo.history.isAncestor(main, newest))) return 'remote moved'
  const base = await exportBase(sync, log, main, { head, found })
  if (head !== null && !sync.run.force && !(await isUpToDate(sync, log, main, base.local))) {
    if (sync.run.oneWay && !isExpected) throw othersCommitted(remote)
    return 'remote moved'
  }
  const record = { local: main, anchor: main, ref: remote.ref }
  if (
    base.head !== null &&
    base.local !== null &&
    (await repo.objects.commit(base.local)).tree === (await repo.objects.commit(main)).tree
  ) {
    const entry = { ...record, remote: base.head, theirs: base.local }
    // A new branch whose content the remote already has needs no commit.
    if (head === null && (!base.own || planned))
      return { entry: planned?.series ? { ...entry, seriesLength: planned.series.length } : entry, expected: null }
    if (head !== null) return isExpected ? 'remote moved' : unchanged(sync, log, entry)
  }
  const last = log.last?.local ?? base.local
  const before = last === null ? {} : { before: last }
  const again = planned?.series ? null : await findUnconfirmedPush(sync, log, main, { base, asSeries: false })
  if (again) return { entry: { ...record, remote: again.remote, theirs: again.theirs }, expected: head, ...before }
  const commit = planned?.series?.commit ?? (await exportCommit(sync, log, main, base))
  const theirs = planned?.series?.theirs ?? (await mapped(sync, log, main, base, commit))
  const entry = {
    ...record,
    remote: commit,
    theirs,
    ...(planned?.series ? { seriesLength: planned.series.length } : {}),
  }
  if (!isUnconfirmed(log, entry)) {
    const moves = await logMoves(repo, log, newest, { added: [{ ...entry, kind: 'offered' }] })
    await repo.refs.move(moves, `export to ${describeRemote(remote)}`, sync.lease)
  }
  return { entry, expected: head, ...before }
}

/** Whether the log already has an unconfirmed push of the same export. */
const isUnconfirmed = (log: SyncLog, { remote, anchor, ref }: Omit<Entry, 'kind'>): boolean =>
  log.syncPoints.some(
    (one) => one.kind === 'offered' && one.remote === remote && one.anchor === anchor && one.ref === ref,
  )

const othersCommitted = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} has changes that the space does not have, and the connection only exports. Nothing was overwritten. Set its direction to both, or run it with force to replace the content of the remote with that of the space.`,
  )

/** Whether main still contains the remote's changes. It does not if it was reset after they were imported. */
async function isUpToDate(
  { space: { repo } }: Sync,
  log: SyncLog,
  main: CommitId,
  theirs: CommitId | null,
): Promise<boolean> {
  if (theirs === null || (await repo.objects.commit(theirs)).tree === (await repo.objects.commit(main)).tree)
    return true
  return (await findMergeBase(repo, log, { main, theirs })).upToDate
}

/** Returns the local commit that the pushed commit maps to when it is imported. */
async function mapped(
  { side, space: { repo } }: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  base: ExportBase,
  commit: CommitId,
): Promise<CommitId> {
  const before = base.head === null || base.local === null ? [] : [{ remote: base.head, theirs: base.local }]
  const local = await side.local({ ...log, entries: [...log.entries, ...before] as Entry[] }, commit)
  if (local !== null || !side.usesScratch) return local ?? commit
  // The remote has no such folder, and the space has no file.
  const info = await side.commits.objects.commit(commit)
  return repo.objects.write(folderCommit(info, [], (await repo.objects.commit(main)).tree))
}

async function unchanged(sync: LockedSync, log: SyncLog, entry: Omit<Entry, 'kind'>): Promise<Outcome> {
  const same = log.last?.remote === entry.remote
  const moves = same ? [] : await logMoves(sync.space.repo, log, entry.anchor, { added: [{ ...entry, kind: 'known' }] })
  if (moves.length > 0)
    await sync.space.repo.refs.move(moves, `up to date with ${describeRemote(sync.remote)}`, sync.lease)
  await settleConflict(sync, 'The remote has the same content as the space.')
  return { result: 'unchanged', revision: entry.local, remoteRevision: entry.remote }
}

async function push(sync: Sided<Sync>, { entry, expected, before }: Prepared): Promise<Outcome | 'remote moved'> {
  const { app, remote } = sync
  const { repo } = sync.space
  await checkStillValid(app.store, sync.run)
  const inLog = <T>(work: (log: SyncLog, main: CommitId, lease: Lease) => Promise<T>): Promise<T> =>
    app.locks.run(sync.space.doc.id, async (lease) => {
      const { main, log } = await openState(sync)
      return work(log, main, lease)
    })
  try {
    await sync.within('pushing', () =>
      sync.side.commits.remote.push(sync.connection, remote.ref, entry.remote, expected),
    )
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    // The remote rejected the push, so the log entry is removed. If the connection broke, the push may have arrived,
    // and the entry stays.
    if (error.kind === 'stale' || error.kind === 'rejected' || error.kind === 'unauthorized') {
      await inLog(async (log, main, lease) => {
        const unconfirmed = log.entries.filter(
          (one) => one.kind === 'offered' && one.remote === entry.remote && one.ref === entry.ref,
        )
        await repo.refs.move(await logMoves(repo, log, main, { removed: unconfirmed }), 'export rejected', lease)
      })
    }
    if (error.kind === 'stale') return 'remote moved'
    throw error
  }
  return inLog(async (log, main, lease) => {
    await repo.refs.move(
      await logMoves(repo, log, main, { added: [{ ...entry, kind: 'known' }] }),
      `exported to ${describeRemote(remote)}`,
      lease,
    )
    await settleConflict({ ...sync, lease }, 'An export updated the remote to the main content.')
    return {
      result: 'exported',
      revision: entry.local,
      remoteRevision: entry.remote,
      ...defined({ baseRevision: before }),
    }
  })
}

/**
 * Returns the last seen head of the remote if an export onto it would have something to push. Returns null if the
 * remote must be asked. The remote rejects the push if its head has changed, so a wrong expectation costs one push and
 * has no other effect.
 */
async function findExpectedHead(sync: Sided<Sync>): Promise<CommitId | null> {
  const { remote, run } = sync
  const { repo } = sync.space
  if (run.force || repo.refs.head(incomingRef(remote.key)) !== null) return null
  const { main, log } = await openState(sync)
  // After an unconfirmed push, the remote head is unknown. The same applies after a head from which another branch
  // dropped a part.
  const newest = log.syncPoints.findLast((syncPoint) => syncPoint.ref === remote.ref)
  if (
    log.last === null ||
    newest !== log.last ||
    log.lastLeft !== null ||
    !(await sync.side.commits.objects.hasCommit(log.last.remote))
  )
    return null
  const local = await sync.side.local(log, log.last.remote)
  if (local === null || (await repo.objects.commit(local)).tree === (await repo.objects.commit(main)).tree) return null
  return log.last.remote
}
