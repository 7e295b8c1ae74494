// Heads of the remote that cannot be merged: they wait in one change request per remote, until somebody resolves the conflict there.
import type { RefMove, Repository } from '../../git/index.js'
import type { IdOverrides } from '../../content/identity.js'
import type { CommitId } from '../../kernel/ids.js'
import { type ChangeRequestDoc, changeRequests } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { createChangeRequest, changeDocument } from '../change-requests/change-requests.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import { findCollisions } from '../commits/merge/path-collisions.js'
import { overridesAt } from '../revisions/identity.js'
import { notifyAuthors } from './notify-authors.js'
import { changeRequestRef, incomingRef } from '../context/refs.js'
import { type CommonGround, entriesOf, findCommonGround } from './merge-base.js'
import { firstBase, laterBase } from './conflict-base.js'
import { entriesWithoutDropped } from './dropped-commits.js'
import { commonCommit, mergeArrival } from './merge-arrival.js'
import type { Arrival, ArrivalPlan } from './plan-arrival.js'
import { describeRemote } from './remote.js'
import type { Outcome, LockedSync, Sync } from './sync.js'
import { readSyncLog } from './sync-log.js'
import { logMoves } from './log-moves.js'

const isLive = (doc: ChangeRequestDoc): boolean => doc.status === 'open' || doc.status === 'draft'

/** The open change request of a remote's conflict, or null. */
export async function findConflict(
  sync: Pick<Sync, 'app' | 'space' | 'remote'>,
): Promise<Document<ChangeRequestDoc> | null> {
  const found = await sync.app.store.find(changeRequests, 'remote', `${sync.space.doc.id}/${sync.remote.key}`)
  return found.find(isLive) ?? null
}

type ConflictPlan = ArrivalPlan & { kind: 'conflict' }

/**
 * Puts a head that cannot be merged into the remote's conflict change request; main stays as it is. The branch begins at the remote's head. Later
 * heads are merged into it if that is clean, else they wait. It is never reset, so no resolution is lost. The log entries of these heads have
 * commits of the branch as anchors, so they count once main contains the branch.
 */
export async function holdConflict(sync: LockedSync, arrival: Arrival, plan: ConflictPlan): Promise<Outcome> {
  const paths = [...new Set(plan.conflicts.map((one) => one.path))]
  const listed = paths.slice(0, 10).join(', ') + (paths.length > 10 ? ` and ${paths.length - 10} more` : '')
  const existing = await findConflict(sync)
  const { doc, note } = existing
    ? { doc: existing, note: await addLaterHead(sync, existing, arrival, plan) }
    : { doc: await openConflict(sync, arrival, plan), note: '' }
  const authors = plan.contested ? (plan.ground.ownDropped?.authors ?? []) : []
  if (authors.length > 0) await notifyAuthors(sync, doc, authors)
  return {
    result: 'conflict',
    revision: arrival.main,
    remoteRevision: arrival.head,
    changeRequest: doc.id,
    error: `Changes here and in ${describeRemote(sync.remote)} conflict in ${listed}. Resolve them in change request #${doc.number} and merge it; the main content stays as it is until then.${writtenBy(authors)}${note}`,
  }
}

/** States whose text the remote dropped. */
const writtenBy = (authors: readonly string[]): string => {
  const names = authors.slice(0, 10).map((author) => author.replace(/ <[^<>]*>$/, ''))
  return authors.length === 0
    ? ''
    : ` The remote was reset and no longer has text that was written here by ${names.join(', ')}.`
}

async function openConflict(
  sync: LockedSync,
  arrival: Arrival,
  plan: ConflictPlan,
): Promise<Document<ChangeRequestDoc>> {
  const { app, space, remote } = sync
  const head = await firstHead(sync, arrival, plan)
  await space.repo.move(
    [...holdMoves(sync, arrival), ...(await recordMoves(sync, arrival, plan.ground, head))],
    'hold a conflict',
    sync.lease,
  )
  const subject = [...`Remote changes from ${describeRemote(remote)}`].slice(0, 100).join('')
  const { doc } = await createChangeRequest(
    app,
    sync.actor,
    space,
    { subject },
    { lease: sync.lease, status: 'open', head, remoteKey: remote.key },
  )
  return doc
}

/** The ref move that notes which head is waiting. */
function holdMoves({ space, remote }: Sync, { theirs }: Arrival): RefMove[] {
  const ref = incomingRef(remote.key)
  const before = space.repo.head(ref)
  return before === theirs ? [] : [{ ref, from: before, to: theirs }]
}

/** The ref moves that record the head in the log, with `anchor`, a commit of the branch. */
const recordMoves = async (
  sync: Sync,
  arrival: Arrival,
  ground: CommonGround,
  anchor: CommitId,
  seen = arrival.log,
): Promise<RefMove[]> => {
  const { head, theirs, main, log } = arrival
  const taken = entriesOf(ground, { remote: head, theirs, local: theirs, anchor, ref: sync.remote.ref }, log)
  const left = await entriesWithoutDropped(sync, ground, { theirs, log: seen })
  return logMoves(sync.space.repo, log, main, { added: [...taken, ...left.map((one) => ({ ...one, anchor }))] })
}

/**
 * The commit where the branch begins: the remote's head, or if Git would choose another merge base than the import did, a commit on it with the
 * same tree. That commit has the import's merge base as a parent and states it in a header, so that the change request has the same conflicts
 * as the import.
 */
async function firstHead(sync: Sync, arrival: Arrival, { ground, base, contested }: ConflictPlan): Promise<CommitId> {
  const { app, space, actor } = sync
  const { repo } = space
  const { main, theirs } = arrival
  const related = contested ? await standingAlone(sync, theirs) : await relatedHead(sync, arrival, ground)
  const own = await repo.commit(related)
  const [on = theirs, ...others] = related === theirs ? [theirs] : own.parents
  const stated = await firstBase(sync, { main, head: related, base, on })
  if (stated === null) return related
  return makeCommit(app, space, {
    parents: [on, ...others, stated.common],
    changes: [],
    tree: own.tree,
    message: relationMessage(sync),
    headers: stated.headers,
    author: actor.user,
    overrides: await overridesAt(app, space, related),
  })
}

const relationMessage = ({ remote }: Sync): string =>
  commitMessage(`Relate remote changes from ${describeRemote(remote)} to the content here`)

/**
 * A commit on the remote's head. If it had main's commits as parents, it would count as a later revision of main that only removes text, without conflicts:
 * the stated merge base alone makes both sides collide.
 */
const standingAlone = async (sync: Sync, theirs: CommitId): Promise<CommitId> =>
  makeCommit(sync.app, sync.space, {
    parents: [theirs],
    changes: [],
    tree: (await sync.space.repo.commit(theirs)).tree,
    message: relationMessage(sync),
    author: sync.actor.user,
    overrides: await overridesAt(sync.app, sync.space, theirs),
  })

/**
 * The remote's head, or a commit with the same tree if Git would not find the right common ground from it (after an export, or if history was
 * rewritten), or if its page IDs have to be stated.
 */
async function relatedHead(sync: Sync, { main, theirs }: Arrival, ground: CommonGround): Promise<CommitId> {
  const { app, space } = sync
  const { repo } = space
  const [base] = ground.bases
  const common = await commonCommit(sync, ground)
  if (base === undefined || common === null) return theirs
  // What was worked out for the merge: whether the head's own history says the same is not known, except where no page has moved.
  const overrides = await overridesAt(app, space, theirs)
  const versions = await Promise.all([common, main].map((commit) => overridesAt(app, space, commit)))
  const isPlain = [overrides, ...versions].every(({ size }) => size === 0)
  const natural = await repo.mergeBase(main, theirs)
  const related = ground.bases.length === 1 && (natural === base.theirs || natural === base.local) && natural !== theirs
  if (related && isPlain) return theirs
  return makeCommit(app, space, {
    parents: related ? [theirs] : await relationParents(sync, ground, { main, theirs, natural }),
    changes: [],
    tree: (await repo.commit(theirs)).tree,
    message: relationMessage(sync),
    author: sync.actor.user,
    overrides,
  })
}

/**
 * The parents by which Git finds the common ground when the branch is merged. The head itself is not among them if main's history contains more of it
 * than counts as known.
 */
async function relationParents(
  { space: { repo } }: Sync,
  ground: CommonGround,
  { main, theirs, natural }: { main: CommitId; theirs: CommitId; natural: CommitId | null },
): Promise<CommitId[]> {
  const locals: CommitId[] = []
  for (const { local } of ground.bases)
    if (!locals.includes(local) && (await repo.isAncestor(local, main))) locals.push(local)
  const within = await Promise.all(locals.map((local) => natural === null || repo.isAncestor(natural, local)))
  return locals.length > 0 && !within.includes(true) ? locals : [theirs, ...locals]
}

/** Adds a later head to the branch of an open conflict. Returns what to add to the message of the run. */
async function addLaterHead(
  sync: LockedSync,
  doc: Document<ChangeRequestDoc>,
  arrival: Arrival,
  plan: ConflictPlan,
): Promise<string> {
  const { space, remote } = sync
  const { repo } = space
  const { theirs, main } = arrival
  const ref = changeRequestRef(doc.number)
  const branch = repo.head(ref)
  const moves: RefMove[] = holdMoves(sync, arrival)
  // The branch is missing, or main contains it (after a crash, or because somebody moved it with plain Git): it begins again.
  if (branch === null || (await repo.isAncestor(branch, main))) {
    const head = await firstHead(sync, arrival, plan)
    await repo.move(
      [...moves, ...(await recordMoves(sync, arrival, plan.ground, head)), { ref, from: branch, to: head }],
      'hold a conflict',
      sync.lease,
    )
    return ''
  }
  const seenFromMain = await overridesAt(sync.app, space, theirs)
  const log = await readSyncLog(repo, remote, main, branch)
  const ground = await findCommonGround(repo, log, { main: branch, theirs })
  if (ground.inStep) {
    if (moves.length > 0) await repo.move(moves, 'hold a conflict', sync.lease)
    return ''
  }
  const joined = await headAsParent(repo, plan.ground, { main, branch, theirs })
  const stated = await laterBase(sync, { ...arrival, branch, base: plan.base }, joined)
  const parents = [...joined, ...(stated ? [stated.common] : [])]
  const commit = await mergeLaterHead(
    sync,
    doc,
    ground,
    { branch, theirs, seenFromMain },
    { parents, headers: stated?.headers ?? {} },
  )
  if (commit !== null)
    moves.push(...(await recordMoves(sync, arrival, ground, commit, log)), { ref, from: branch, to: commit })
  if (moves.length > 0) await repo.move(moves, 'hold a conflict', sync.lease)
  return commit !== null
    ? ''
    : ` The remote's newest commit ${theirs.slice(0, 12)} conflicts with that branch; it waits and is imported when the change request is merged.`
}

/**
 * The head, as a parent of the commit that merges it into the branch. None if main's history contains more of the head than counts as known (main
 * dropped it, and the remote has it again): Git would take that for common, and merging the branch would not bring it back.
 */
async function headAsParent(
  repo: Repository,
  { known }: CommonGround,
  { main, branch, theirs }: { main: CommitId; branch: CommitId; theirs: CommitId },
): Promise<CommitId[]> {
  for (const common of await repo.mergeBases(main, theirs)) {
    const holders = await Promise.all([branch, ...known].map((one) => repo.isAncestor(common, one)))
    if (!holders.includes(true)) return []
  }
  return [theirs]
}

/** Merges a later head into the branch. Null if there are conflicts, or paths that differ only by case. `parents`: those beside the branch. */
async function mergeLaterHead(
  sync: Sync,
  doc: ChangeRequestDoc,
  ground: CommonGround,
  { branch, theirs, seenFromMain }: { branch: CommitId; theirs: CommitId; seenFromMain: IdOverrides },
  { parents, headers }: { parents: readonly CommitId[]; headers: Record<string, string> },
): Promise<CommitId | null> {
  const { app, space, remote } = sync
  const { merged: outcome } = await mergeArrival(sync, ground, { main: branch, theirs }, seenFromMain)
  if (!outcome.clean || (await findCollisions(space.repo, outcome.tree, branch, theirs)).length > 0) return null
  const message = commitMessage(`Merge later remote changes from ${describeRemote(remote)}`, {
    'Change-Request': String(doc.number),
  })
  const merge = { ours: branch, theirs, bases: ground.bases.map(({ local }) => local), tree: outcome.tree }
  return makeMergeCommit(app, space, merge, {
    parents: [branch, ...parents],
    message,
    author: sync.actor.user,
    headers,
  })
}

/** Archives the change request of a remote's conflict, if there is one, because the conflict is over. Its branch stays. */
export async function settleConflict(sync: LockedSync, why: string): Promise<void> {
  const { app, space, remote } = sync
  const incoming = space.repo.head(incomingRef(remote.key))
  if (incoming !== null)
    await space.repo.move([{ ref: incomingRef(remote.key), from: incoming, to: null }], 'conflict settled', sync.lease)
  const doc = await findConflict(sync)
  if (doc)
    await changeDocument(app, doc.id, (stored) =>
      isLive(stored) ? { ...stored, status: 'archived', note: why, updatedAt: app.clock.now().toISOString() } : stored,
    )
}
