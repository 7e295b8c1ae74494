// Opens, updates and closes the conflict change request of a remote, which holds the heads that conflict with main.
import type { RefMove, Repository } from '../../git/index.js'
import type { IdOverrides } from '../../content/identity.js'
import { defined } from '../../kernel/defined.js'
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
import { type MergeBaseResult, entriesOf, findMergeBase } from './merge-base.js'
import { baseForFirstHead, baseForLaterHead } from './conflict-base.js'
import { entriesWithoutDropped } from './dropped-commits.js'
import { commonCommit, mergeArrival } from './merge-arrival.js'
import { withFollowersThere } from './merges-there.js'
import type { Arrival, ArrivalPlan } from './plan-arrival.js'
import { describeRemote } from './remote.js'
import type { Outcome, LockedSync, Sync } from './sync.js'
import { readSyncLog } from './sync-log.js'
import { logMoves } from './log-moves.js'

const isLive = (doc: ChangeRequestDoc): boolean => doc.status === 'open' || doc.status === 'draft'

/** Returns the open conflict change request of a remote, or null. */
export async function findConflict(
  sync: Pick<Sync, 'app' | 'space' | 'remote'>,
): Promise<Document<ChangeRequestDoc> | null> {
  const found = await sync.app.store.find(changeRequests, 'remote', `${sync.space.doc.id}/${sync.remote.key}`)
  return found.find(isLive) ?? null
}

type ConflictPlan = ArrivalPlan & { kind: 'conflict' }

/**
 * Puts a head that conflicts with main into the remote's conflict change request. Main stays as it is. The branch
 * starts at the remote head. Later heads are merged into it if the merge is clean; otherwise they wait. The branch is
 * never reset, so no resolution is lost. The anchors of the log entries are commits of the branch, so the entries count
 * once main contains the branch.
 */
export async function putIntoConflict(sync: LockedSync, arrival: Arrival, plan: ConflictPlan): Promise<Outcome> {
  const paths = [...new Set(plan.conflicts.map((one) => one.path))]
  const listed = paths.slice(0, 10).join(', ') + (paths.length > 10 ? ` and ${paths.length - 10} more` : '')
  const existing = await findConflict(sync)
  const { doc, note } = existing
    ? { doc: existing, note: await addLaterHead(sync, existing, arrival, plan) }
    : { doc: await openConflict(sync, arrival, plan), note: '' }
  const authors = plan.contested ? (plan.mergeBase.ownDropped?.authors ?? []) : []
  if (authors.length > 0) await notifyAuthors(sync, doc, authors)
  return {
    result: 'conflict',
    revision: arrival.main,
    remoteRevision: arrival.head,
    changeRequest: doc.id,
    error: `Changes here and in ${describeRemote(sync.remote)} conflict in ${listed}. Resolve them in change request #${doc.number} and merge it. The main content stays as it is until then.${writtenBy(authors)}${note}`,
  }
}

/** Names the authors whose text the remote dropped. */
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
  await space.repo.refs.move(
    [...recordWaitingHead(sync, arrival), ...(await recordMoves(sync, arrival, plan.mergeBase, head))],
    'record a conflict',
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

/** Returns the ref move that records the waiting head. */
function recordWaitingHead({ space, remote }: Sync, { theirs }: Arrival): RefMove[] {
  const ref = incomingRef(remote.key)
  const before = space.repo.refs.head(ref)
  return before === theirs ? [] : [{ ref, from: before, to: theirs }]
}

/** Returns the ref moves that record the head in the log. `anchor` is a commit of the branch. */
const recordMoves = async (
  sync: Sync,
  arrival: Arrival,
  mergeBase: MergeBaseResult,
  anchor: CommitId,
  seen = arrival.log,
): Promise<RefMove[]> => {
  const { head, theirs, main, log } = arrival
  const taken = entriesOf(mergeBase, { remote: head, theirs, local: theirs, anchor, ref: sync.remote.ref }, log)
  const left = await entriesWithoutDropped(sync, mergeBase, { theirs, log: seen })
  return logMoves(sync.space.repo, log, main, { added: [...taken, ...left.map((one) => ({ ...one, anchor }))] })
}

/**
 * Returns the first commit of the branch: the remote head or, if Git would choose another merge base than the import
 * did, a commit on top of it with the same tree. That commit has the import's merge base as a parent and states it in a
 * header, so the change request has the same conflicts as the import. Files that merges on the remote left outside a
 * moved root follow it.
 */
async function firstHead(
  sync: Sync,
  arrival: Arrival,
  { mergeBase, base, contested }: ConflictPlan,
): Promise<CommitId> {
  const { app, space, actor } = sync
  const { repo } = space
  const { main, theirs } = arrival
  const related = contested ? await unrelatedHead(sync, theirs) : await relatedHead(sync, arrival, mergeBase)
  const own = await repo.objects.commit(related)
  const [on = theirs, ...others] = related === theirs ? [theirs] : own.parents
  const stated = await baseForFirstHead(sync, { main, head: related, base, on })
  const tree = await withFollowersThere(sync, arrival, mergeBase, own.tree)
  if (stated === null && tree === own.tree) return related
  return makeCommit(app, space, {
    parents: stated === null ? [related] : [on, ...others, stated.common],
    changes: [],
    tree,
    message: relationMessage(sync),
    ...defined({ headers: stated?.headers }),
    author: actor.user,
    overrides: await overridesAt(app, space, related),
  })
}

const relationMessage = ({ remote }: Sync): string =>
  commitMessage(`Relate remote changes from ${describeRemote(remote)} to this space`)

/**
 * Makes a commit on the remote head. With main's commits as parents, it would count as a later revision of main that
 * only removes text, without conflicts. Only the stated merge base makes both sides conflict.
 */
const unrelatedHead = async (sync: Sync, theirs: CommitId): Promise<CommitId> =>
  makeCommit(sync.app, sync.space, {
    parents: [theirs],
    changes: [],
    tree: (await sync.space.repo.objects.commit(theirs)).tree,
    message: relationMessage(sync),
    author: sync.actor.user,
    overrides: await overridesAt(sync.app, sync.space, theirs),
  })

/**
 * Returns the remote head or a commit with the same tree. The latter is needed if its page IDs must be stated, or if
 * Git would not find the right merge base from the head (after an export, or if history was rewritten).
 */
async function relatedHead(sync: Sync, { main, theirs }: Arrival, mergeBase: MergeBaseResult): Promise<CommitId> {
  const { app, space } = sync
  const { repo } = space
  const [base] = mergeBase.bases
  const common = await commonCommit(sync, mergeBase)
  if (base === undefined || common === null) return theirs
  // The page IDs were computed for the merge. The head's own history gives the same IDs for certain only if no page has
  // moved.
  const overrides = await overridesAt(app, space, theirs)
  const versions = await Promise.all([common, main].map((commit) => overridesAt(app, space, commit)))
  const isPlain = [overrides, ...versions].every(({ size }) => size === 0)
  const natural = await repo.history.mergeBase(main, theirs)
  const related =
    mergeBase.bases.length === 1 && (natural === base.theirs || natural === base.local) && natural !== theirs
  if (related && isPlain) return theirs
  return makeCommit(app, space, {
    parents: related ? [theirs] : await relationParents(sync, mergeBase, { main, theirs, natural }),
    changes: [],
    tree: (await repo.objects.commit(theirs)).tree,
    message: relationMessage(sync),
    author: sync.actor.user,
    overrides,
  })
}

/**
 * Returns the parents from which Git finds the merge base when the branch is merged. The head is not included if main's
 * history contains more of it than the integrated commits do.
 */
async function relationParents(
  { space: { repo } }: Sync,
  mergeBase: MergeBaseResult,
  { main, theirs, natural }: { main: CommitId; theirs: CommitId; natural: CommitId | null },
): Promise<CommitId[]> {
  const locals: CommitId[] = []
  for (const { local } of mergeBase.bases)
    if (!locals.includes(local) && (await repo.history.isAncestor(local, main))) locals.push(local)
  const within = await Promise.all(locals.map((local) => natural === null || repo.history.isAncestor(natural, local)))
  return locals.length > 0 && !within.includes(true) ? locals : [theirs, ...locals]
}

/** Adds a later head to the branch of an open conflict. Returns the text to append to the message of the run. */
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
  const branch = repo.refs.head(ref)
  const moves: RefMove[] = recordWaitingHead(sync, arrival)
  // The branch is missing, or main already contains it (after a crash, or because a user moved it with Git). Start a
  // new branch.
  if (branch === null || (await repo.history.isAncestor(branch, main))) {
    const head = await firstHead(sync, arrival, plan)
    await repo.refs.move(
      [...moves, ...(await recordMoves(sync, arrival, plan.mergeBase, head)), { ref, from: branch, to: head }],
      'record a conflict',
      sync.lease,
    )
    return ''
  }
  const seenFromMain = await overridesAt(sync.app, space, theirs)
  const log = await readSyncLog(repo, remote, main, branch)
  const mergeBase = await findMergeBase(repo, log, { main: branch, theirs })
  if (mergeBase.upToDate) {
    if (moves.length > 0) await repo.refs.move(moves, 'record a conflict', sync.lease)
    return ''
  }
  const joined = await headAsParent(repo, plan.mergeBase, { main, branch, theirs })
  const stated = await baseForLaterHead(sync, { ...arrival, branch, base: plan.base }, joined)
  const parents = [...joined, ...(stated ? [stated.common] : [])]
  const commit = await mergeLaterHead(
    sync,
    doc,
    mergeBase,
    { branch, theirs, seenFromMain },
    { parents, headers: stated?.headers ?? {} },
  )
  if (commit !== null)
    moves.push(...(await recordMoves(sync, arrival, mergeBase, commit, log)), { ref, from: branch, to: commit })
  if (moves.length > 0) await repo.refs.move(moves, 'record a conflict', sync.lease)
  return commit !== null
    ? ''
    : ` The remote's newest commit ${theirs.slice(0, 12)} conflicts with that branch. It is imported when the change request is merged.`
}

/**
 * Returns the head as a parent of the commit that merges it into the branch. Returns no parent if main's history
 * contains more of the head than the integrated commits do: main dropped it, and it was reintroduced. Git would take
 * that part for common, and merging the branch would not bring it back.
 */
async function headAsParent(
  repo: Repository,
  { integrated }: MergeBaseResult,
  { main, branch, theirs }: { main: CommitId; branch: CommitId; theirs: CommitId },
): Promise<CommitId[]> {
  for (const common of await repo.history.mergeBases(main, theirs)) {
    const holders = await Promise.all([branch, ...integrated].map((one) => repo.history.isAncestor(common, one)))
    if (!holders.includes(true)) return []
  }
  return [theirs]
}

/**
 * Merges a later head into the branch. Returns null if there are conflicts or paths that differ only by case.
 * @param parents the parents other than the branch
 */
async function mergeLaterHead(
  sync: Sync,
  doc: ChangeRequestDoc,
  mergeBase: MergeBaseResult,
  { branch, theirs, seenFromMain }: { branch: CommitId; theirs: CommitId; seenFromMain: IdOverrides },
  { parents, headers }: { parents: readonly CommitId[]; headers: Record<string, string> },
): Promise<CommitId | null> {
  const { app, space, remote } = sync
  const { merged: outcome } = await mergeArrival(sync, mergeBase, { main: branch, theirs }, seenFromMain)
  if (!outcome.clean || (await findCollisions(space.repo, outcome.tree, branch, theirs)).length > 0) return null
  const message = commitMessage(`Merge later remote changes from ${describeRemote(remote)}`, {
    'Change-Request': String(doc.number),
  })
  const merge = { ours: branch, theirs, bases: mergeBase.bases.map(({ local }) => local), tree: outcome.tree }
  return makeMergeCommit(app, space, merge, {
    parents: [branch, ...parents],
    message,
    author: sync.actor.user,
    headers,
  })
}

/**
 * Archives the conflict change request of a remote, if there is one, because the conflict is over. Its branch stays.
 */
export async function settleConflict(sync: LockedSync, why: string): Promise<void> {
  const { app, space, remote } = sync
  const incoming = space.repo.refs.head(incomingRef(remote.key))
  if (incoming !== null)
    await space.repo.refs.move(
      [{ ref: incomingRef(remote.key), from: incoming, to: null }],
      'conflict settled',
      sync.lease,
    )
  const doc = await findConflict(sync)
  if (doc)
    await changeDocument(app, doc.id, (stored) =>
      isLive(stored) ? { ...stored, status: 'archived', note: why, updatedAt: app.clock.now().toISOString() } : stored,
    )
}
