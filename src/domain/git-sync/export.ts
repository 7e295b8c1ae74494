import { RemoteError } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { findCommonGround } from './common-ground.js'
import { settleConflict } from './conflict.js'
import { localCommit } from './directory.js'
import { exportCommit, type Ground } from './export-commit.js'
import { SyncFailure } from './failure.js'
import type { Entry, SyncLog } from './log-entries.js'
import { firstGround, type Foundation, findFoundations } from './new-branch.js'
import { describeRemote } from './remote.js'
import { checkStillAsked } from './request.js'
import { fetchHead, type LockedSync, type Outcome, type Sync } from './sync.js'
import { logMoves, readSyncLog } from './sync-log.js'
import { requireMain, takeUp } from './take-up.js'

const ATTEMPTS = 5

/**
 * Runs an export: one commit on the remote's head. What the remote has and we have not is imported first, unless forced.
 * Doing it again after a crash changes nothing more. Throws `SyncFailure`, `RemoteError`.
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
  if (head !== null) {
    const known = (await readSyncLog(repo, remote, requireMain(sync))).last?.remote === head && (await repo.hasCommit(head))
    if (!known) head = await fetchHead(sync)
    const imported = run.force || known ? null : await importFirst(sync, head)
    if (imported?.result === 'conflict') return imported
  }
  const found: readonly Foundation[] = head === null ? await findFoundations(sync) : []
  const prepared = await app.locks.run(sync.space.doc.id, (lease) => prepare({ ...sync, lease }, head, found))
  return prepared === 'remote moved' || 'result' in prepared ? prepared : push(sync, prepared)
}

/** Brings the remote's changes in; a folder that the remote does not have yet is nothing to bring in. */
async function importFirst(sync: Sync, head: CommitId): Promise<Outcome | null> {
  const { repo } = sync.space
  const local = await localCommit(repo, await readSyncLog(repo, sync.remote, requireMain(sync)), sync.remote.directory, head)
  return local === null ? null : takeUp(sync, head, { force: false, forExport: true })
}

interface Prepared {
  /** What the pushed commit is to this space. */
  entry: Omit<Entry, 'kind'>
  expected: CommitId | null
}

/** Makes the commit, and records what it equals before anybody can see it: a crash after the push must not be news. */
async function prepare(sync: LockedSync, head: CommitId | null, found: readonly Foundation[]): Promise<Outcome | Prepared | 'remote moved'> {
  const { remote } = sync
  const { repo } = sync.space
  const main = requireMain(sync)
  const log = await readSyncLog(repo, remote, main)
  const ground: Ground = head === null ? await firstGround(sync, log, main, found) : { head, local: await localCommit(repo, log, remote.directory, head) }
  if (head !== null && !sync.run.force && !(await isInStep(sync, log, main, ground.local))) return 'remote moved'
  const record = { local: main, anchor: main, ref: remote.ref }
  if (ground.head !== null && ground.local !== null && (await repo.commit(ground.local)).tree === (await repo.commit(main)).tree) {
    const entry = { ...record, remote: ground.head, theirs: ground.local }
    // A new branch of what the remote has already: no commit is needed for it.
    if (head === null && !ground.own) return { entry, expected: null }
    if (head !== null) return unchanged(sync, log, entry)
  }
  const commit = await exportCommit(sync, log, main, ground)
  const theirs = await mapped(sync, log, ground, commit)
  const entry = { ...record, remote: commit, theirs }
  const moves = await logMoves(repo, log, main, [{ ...entry, kind: 'offered' }])
  await repo.move(moves, `export to ${describeRemote(remote)}`, sync.lease)
  return { entry, expected: head }
}

/** Main may have been set back since the remote's changes were brought in. A folder that is not there yet holds nothing of them. */
async function isInStep({ space: { repo } }: Sync, log: SyncLog, main: CommitId, theirs: CommitId | null): Promise<boolean> {
  if (theirs === null || (await repo.commit(theirs)).tree === (await repo.commit(main)).tree) return true
  return (await findCommonGround(repo, log, { main, theirs })).inStep
}

/** What the commit to be pushed will be here when it comes back. */
async function mapped({ space: { repo }, remote }: Sync, log: SyncLog, ground: Ground, commit: CommitId): Promise<CommitId> {
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

async function push(sync: Sync, { entry, expected }: Prepared): Promise<Outcome | 'remote moved'> {
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
    // Refused for certain: the record of what was never pushed goes. After a broken connection nobody knows, so it stays.
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
    return { result: 'exported', revision: entry.local, remoteRevision: entry.remote }
  })
}
