import { type RefMove, StaleRef } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../writing/commits.js'
import { arrivingOverrides } from '../content/arriving-identity.js'
import { mergedOverrides, rememberOverrides } from '../content/identity.js'
import { guardMain } from '../main-guard.js'
import { ADOPTED, keepRef, MAIN } from '../refs.js'
import { holdConflict, settleConflict } from './conflict.js'
import { localCommit, noFolder } from './directory.js'
import { SyncFailure } from './failure.js'
import { type Arrival, type Plan, planArrival } from './plan-arrival.js'
import { describeRemote, isLinkTo } from './remote.js'
import type { Contact, Outcome, Sync } from './sync.js'
import { readSyncState, recordMoves, type SyncState } from './sync-refs.js'

const ATTEMPTS = 8

/**
 * Brings the remote's head into main: adopts it, merges it, or holds it in a conflict change request. The move of main
 * is the commit point. Throws `SyncFailure` or `ServiceError` where it must not come in.
 */
export async function takeUp(sync: Sync, head: CommitId, options: { force: boolean; forExport: boolean }): Promise<Outcome> {
  const { app, space, remote } = sync
  await sync.enter('checking')
  const theirs = await localCommit(space.repo, await readSyncState(space.repo, remote.key), remote.directory, head)
  if (theirs === null) throw noFolder(remote)
  await sync.enter('merging')
  return app.locks.run(space.doc.id, async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(sync, { head, theirs }, options)
      } catch (error) {
        if (!(error instanceof StaleRef) || tries >= ATTEMPTS) throw error
      }
    }
  })
}

async function attempt(sync: Sync, arrival: Pick<Arrival, 'head' | 'theirs'>, options: { force: boolean; forExport: boolean }): Promise<Outcome> {
  const { app, remote } = sync
  const { repo } = sync.space
  const { head, theirs } = arrival
  const state = await readSyncState(repo, remote.key)
  const main = repo.head(MAIN)
  if (main === null) throw new SyncFailure('The branch main of the space is missing; an administrator removed it.')
  const plan = await planArrival(sync, { ...arrival, main, state }, options)
  if (plan.kind === 'same') {
    const moves = plan.equals === null ? [] : recordMoves(repo, state, head, plan.equals)
    if (moves.length > 0) await repo.move(moves, `in step with ${describeRemote(remote)}`)
    await settleConflict(sync, 'The remote and the main content are in step.')
    return { result: 'unchanged', revision: main, remoteRevision: head }
  }
  const guard = guardMain(app, sync.space, { by: 'import', known: ({ git }) => isLinkTo(git, remote.key) && state.last !== null })
  await guard.check()
  if (plan.kind === 'adopt') return adopt(sync, state, main, arrival)
  if (plan.kind === 'conflict') return holdConflict(sync, { ...arrival, main, base: plan.base, conflicts: plan.conflicts })
  const taken = options.force && sync.run.direction === 'import'
  const commit = await mergeCommit(sync, main, theirs, plan, taken ? 'Take' : 'Merge')
  await guard.check()
  await repo.move([...recordMoves(repo, state, head, theirs), { ref: MAIN, from: main, to: commit }], `merge ${describeRemote(remote)}`)
  await settleConflict(sync, options.force ? 'A forced import took the content of the remote.' : 'A later import could be merged cleanly.')
  return { result: 'merged', revision: commit, remoteRevision: head }
}

/** The commit that a planned merge puts on main. Moves no ref. */
export async function mergeCommit(
  contact: Contact,
  main: CommitId,
  theirs: CommitId,
  { base: { base }, tree }: Plan & { kind: 'merge' },
  verb: 'Take' | 'Merge',
): Promise<CommitId> {
  const { app, space, remote } = contact
  await rememberTheirs(contact, base, theirs)
  return makeCommit(app, space.doc.id, space.repo, {
    parents: [main, theirs],
    changes: [],
    tree,
    message: commitMessage(`${verb} remote changes from ${describeRemote(remote)}`),
    author: contact.actor.user,
    overrides: await mergedOverrides(app, space.doc.id, space.repo, base, main, theirs, tree),
  })
}

/** The IDs of what arrives follow from those of the commit here that it is based on. */
async function rememberTheirs({ app, space }: Contact, base: CommitId | null, theirs: CommitId): Promise<void> {
  if (base === null) return
  rememberOverrides(app, space.doc.id, theirs, await arrivingOverrides(app, space.doc.id, space.repo, base, theirs))
}

/** Main becomes the remote's history as it is. */
async function adopt(sync: Sync, state: SyncState, main: CommitId, { head, theirs }: Pick<Arrival, 'head' | 'theirs'>): Promise<Outcome> {
  const { repo } = sync.space
  const moves: RefMove[] = [
    ...(repo.head(keepRef(main)) === null ? [{ ref: keepRef(main), from: null, to: main }] : []),
    ...recordMoves(repo, state, head, theirs),
    { ref: ADOPTED, from: null, to: theirs },
    { ref: MAIN, from: main, to: theirs },
  ]
  await repo.move(moves, `adopt ${describeRemote(sync.remote)}`)
  return { result: 'adopted', revision: theirs, remoteRevision: head }
}
