// Brings a remote head into main: adopts it, merges it, or puts it into a conflict change request.
import { type RefMove, type Staging, StaleRef } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import { takenOverrides } from '../revisions/identity.js'
import { guardMain } from '../commits/guards.js'
import { moveGuarded } from '../commits/move-branch.js'
import { ADOPTED, keepRef, MAIN } from '../context/refs.js'
import { type MergeBaseResult, entriesOf } from './merge-base.js'
import { putIntoConflict, settleConflict } from './conflict.js'
import { noFolder } from './directory.js'
import type { Entry } from './log-entries.js'
import { entriesWithoutDropped } from './dropped-commits.js'
import { rememberTheirs } from './merge-arrival.js'
import { isLocked, planWithSettledConflicts } from './conflicts-merged-elsewhere.js'
import type { Arrival, ArrivalPlan } from './plan-arrival.js'
import { describeRemote, isLinkTo } from './remote.js'
import { checkStillValid } from './request.js'
import type { Contact, Outcome, LockedSync, Sync } from './sync.js'
import { openState } from './sync-log.js'
import { logMoves } from './log-moves.js'

const ATTEMPTS = 8

/**
 * Brings the remote head into main. The move of main is the commit point: the anchor of the log entries is the commit
 * that main moves to, so they count once main contains it. Throws `SyncFailure` or `ServiceError` if the head must not
 * be imported.
 */
export async function applyArrival(
  sync: Sync,
  { head, theirs }: { head: CommitId; theirs: CommitId | null },
  options: { force: boolean; forExport: boolean },
): Promise<Outcome> {
  const { app, space, remote } = sync
  if (theirs === null) throw noFolder(remote)
  const merged = (): Promise<Outcome> =>
    app.locks.run(space.doc.id, async (lease) => {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt({ ...sync, lease }, { head, theirs }, options)
        } catch (error) {
          if (!(error instanceof StaleRef) || tries >= ATTEMPTS) throw error
        }
      }
    })
  return sync.within('checking', () => sync.within('merging', merged))
}

async function attempt(
  sync: LockedSync,
  arrived: Pick<Arrival, 'head' | 'theirs'>,
  options: { force: boolean; forExport: boolean },
): Promise<Outcome> {
  const { remote } = sync
  const { repo } = sync.space
  const arrival: Arrival = { ...arrived, ...(await openState(sync)) }
  const { main } = arrival
  const { plan, settled } = await planWithSettledConflicts(sync, arrival, options)
  if (plan.kind === 'same' || (await addsNothing(sync, arrival, plan))) {
    await repo.refs.move(
      await recordMoves(sync, arrival, plan.mergeBase, {
        local: plan.kind === 'same' ? plan.local : arrival.theirs,
        anchor: main,
        left: await entriesWithoutDropped(sync, plan.mergeBase, arrival),
      }),
      `up to date with ${describeRemote(remote)}`,
      sync.lease,
    )
    await settleConflict(sync, 'The remote and the main content are up to date.')
    return { result: 'unchanged', revision: main, remoteRevision: arrived.head }
  }
  const guard = guardMain(sync.app, sync.space, {
    by: 'import',
    known: ({ git }) => (sync.run.connection !== undefined || isLinkTo(git, remote.key)) && arrival.log.last !== null,
  })
  const check = async (moves?: readonly RefMove[]) => {
    await guard.check(moves)
    await checkStillValid(sync.app.store, sync.run)
  }
  const move = { repo, guard: { ...guard, check }, lease: sync.lease }
  if (plan.kind === 'adopt')
    return moveGuarded({ ...move, reason: `adopt ${describeRemote(remote)}` }, () =>
      adopt(sync, arrival, plan.mergeBase),
    )
  const outcome = await moveGuarded({ ...move, reason: `merge ${describeRemote(remote)}` }, async () =>
    plan.kind === 'conflict'
      ? { moves: [], result: await putIntoConflict(sync, arrival, plan) }
      : merge(sync, arrival, { ...plan, settled }, options.force && sync.run.direction === 'import'),
  )
  if (outcome.result === 'merged')
    await settleConflict(
      sync,
      options.force
        ? 'A forced import replaced the main content with that of the remote.'
        : 'A later import was merged cleanly.',
    )
  return outcome
}

/** The refs that an arrival moves, and its outcome once they have moved. */
interface PreparedArrival {
  moves: readonly RefMove[]
  result: Outcome
}

/** Makes the merge commit of a remote head. The merge and the log become durable together. */
async function merge(
  sync: LockedSync,
  arrival: Arrival,
  plan: { mergeBase: MergeBaseResult; tree: TreeId; settled: readonly CommitId[] },
  taken: boolean,
): Promise<PreparedArrival> {
  const { repo } = sync.space
  const { head, theirs, main } = arrival
  const left = await entriesWithoutDropped(sync, plan.mergeBase, arrival)
  const staging = repo.objects.stage()
  const also = [...plan.settled, ...left.map(({ local }) => local)]
  const commit = await mergeCommit(sync, arrival, plan, { verb: taken ? 'Take' : 'Merge', also, into: staging })
  const entry = { local: theirs, anchor: commit, left }
  const moves = await recordMoves(sync, arrival, plan.mergeBase, entry, staging)
  await staging.settle()
  return {
    moves: [...moves, { ref: MAIN, from: main, to: commit }],
    result: { result: 'merged', revision: commit, remoteRevision: head, baseRevision: main },
  }
}

/** Whether a merge with the remote head would leave main as it is. */
const addsNothing = async (sync: Sync, { main }: Arrival, plan: ArrivalPlan): Promise<boolean> =>
  plan.kind === 'merge' &&
  plan.tree === (await sync.space.repo.objects.commit(main)).tree &&
  // If both sides made the same changes, a merge commit records that. A locked space accepts no merge commit and works
  // without it.
  (await isLocked(sync))

/** Returns the ref moves that record the head in the log. `anchor` is the commit that brings it into main. */
async function recordMoves(
  sync: Sync,
  arrival: Arrival,
  mergeBase: MergeBaseResult,
  { local, anchor, left = [] }: Pick<Entry, 'local' | 'anchor'> & { left?: readonly Omit<Entry, 'anchor'>[] },
  into?: Staging,
): Promise<RefMove[]> {
  const { head, theirs, main, log } = arrival
  const taken = entriesOf(mergeBase, { remote: head, theirs, local, anchor, ref: sync.remote.ref }, log)
  return logMoves(sync.space.repo, log, main, {
    added: [...taken, ...left.map((one) => ({ ...one, anchor }))],
    ...(into && { into }),
  })
}

/**
 * Makes the commit that a planned merge puts on main. Moves no ref. The commit is durable when this resolves or, if
 * `into` is given, when `into` is settled.
 * @param also additional parents: other commits that main contains through this merge
 */
export async function mergeCommit(
  contact: Contact,
  { main, theirs }: Pick<Arrival, 'main' | 'theirs'>,
  { mergeBase, tree }: { mergeBase: MergeBaseResult; tree: TreeId },
  { verb, also = [], into }: { verb: 'Take' | 'Merge'; also?: readonly CommitId[]; into?: Staging },
): Promise<CommitId> {
  const { app, space, remote } = contact
  const bases = mergeBase.bases.map(({ local }) => local)
  await rememberTheirs(contact, mergeBase, { main, theirs })
  const commit = {
    parents: [main, theirs, ...also],
    message: commitMessage(`${verb} remote changes from ${describeRemote(remote)}`),
    author: contact.actor.user,
  }
  if (verb === 'Merge' || bases.length === 0)
    return makeMergeCommit(app, space, { ours: main, theirs, bases, tree }, commit, into)
  const overrides = await takenOverrides(app, space, theirs, main)
  return makeCommit(app, space, { ...commit, changes: [], tree, overrides }, into)
}

/** Makes the remote head, with its history, the head of main. */
async function adopt(sync: LockedSync, arrival: Arrival, mergeBase: MergeBaseResult): Promise<PreparedArrival> {
  const { repo } = sync.space
  const { head, theirs, main } = arrival
  return {
    moves: [
      ...(repo.refs.head(keepRef(main)) === null ? [{ ref: keepRef(main), from: null, to: main }] : []),
      ...(await recordMoves(sync, arrival, mergeBase, { local: theirs, anchor: theirs })),
      { ref: ADOPTED, from: repo.refs.head(ADOPTED), to: theirs },
      { ref: MAIN, from: main, to: theirs },
    ],
    result: { result: 'adopted', revision: theirs, remoteRevision: head, baseRevision: main },
  }
}
