import { RemoteError } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { MAIN, syncRef } from '../refs.js'
import { settleConflict } from './conflict.js'
import { localCommit } from './directory.js'
import { exportCommit, firstGround, type Ground } from './export-commit.js'
import { SyncFailure } from './failure.js'
import { describeRemote } from './remote.js'
import { fetchHead, type Outcome, type Sync } from './sync.js'
import { readSyncState, recordMoves } from './sync-refs.js'
import { takeUp } from './take-up.js'

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
    const known = (await readSyncState(repo, remote.key)).last?.remote === head && (await repo.hasCommit(head))
    if (!known) head = await fetchHead(sync)
    const imported = run.force || known ? null : await importFirst(sync, head)
    if (imported?.result === 'conflict') return imported
  }
  return app.locks.run(sync.space.doc.id, () => prepare(sync, head)).then((prepared) => ('result' in prepared ? prepared : push(sync, prepared)))
}

/** Brings the remote's changes in; a folder that the remote does not have yet is nothing to bring in. */
async function importFirst(sync: Sync, head: CommitId): Promise<Outcome | null> {
  const { repo } = sync.space
  const local = await localCommit(repo, await readSyncState(repo, sync.remote.key), sync.remote.directory, head)
  return local === null ? null : takeUp(sync, head, { force: false, forExport: true })
}

interface Prepared {
  main: CommitId
  commit: CommitId
  expected: CommitId | null
}

/** Makes the commit, and records what it equals before anybody can see it: a crash after the push must not be news. */
async function prepare(sync: Sync, head: CommitId | null): Promise<Outcome | Prepared> {
  const { remote } = sync
  const { repo } = sync.space
  const state = await readSyncState(repo, remote.key)
  const main = repo.head(MAIN)
  if (main === null) throw new SyncFailure('The branch main of the space is missing; an administrator removed it.')
  const ground: Ground = head === null ? await firstGround(sync, main) : { head, local: await localCommit(repo, state, remote.directory, head) }
  if (head !== null && ground.local !== null && (await repo.commit(ground.local)).tree === (await repo.commit(main)).tree) {
    const moves = recordMoves(repo, state, head, ground.local)
    if (moves.length > 0) await repo.move(moves, `in step with ${describeRemote(remote)}`)
    await settleConflict(sync, 'The remote has the same content as the space.')
    return { result: 'unchanged', revision: main, remoteRevision: head }
  }
  const commit = await exportCommit(sync, state, main, ground)
  const recorded = state.equals.get(commit) ?? null
  if (recorded !== main) await repo.move([{ ref: syncRef(remote.key, commit), from: recorded, to: main }], `export to ${describeRemote(remote)}`)
  return { main, commit, expected: head }
}

async function push(sync: Sync, { main, commit, expected }: Prepared): Promise<Outcome | 'remote moved'> {
  const { app, remote } = sync
  const { repo } = sync.space
  await sync.enter('pushing')
  try {
    await repo.push(sync.connection, remote.ref, commit, expected)
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    // Refused for certain: the record of what was never pushed goes. After a broken connection nobody knows, so it stays.
    if (error.kind === 'stale' || error.kind === 'rejected' || error.kind === 'unauthorized') {
      await repo.move([{ ref: syncRef(remote.key, commit), from: main, to: null }], 'export refused')
    }
    if (error.kind === 'stale') return 'remote moved'
    throw error
  }
  return app.locks.run(sync.space.doc.id, async () => {
    await repo.move(recordMoves(repo, await readSyncState(repo, remote.key), commit, main), `exported to ${describeRemote(remote)}`)
    await settleConflict(sync, 'An export brought the remote in step with the main content.')
    return { result: 'exported', revision: main, remoteRevision: commit }
  })
}
