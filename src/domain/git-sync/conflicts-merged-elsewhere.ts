// Finds conflicts that end because their remote head was merged into another branch of the remote and arrives with that
// branch. Their change requests are still open.
import { type Repository, remoteKey } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { spaces } from '../../model/index.js'
import { changeRequestRef } from '../context/refs.js'
import { findConflict } from './conflict.js'
import { containedInExports, isWithin } from './inferred-ancestors.js'
import { type Entry, isKnown, type SyncLog } from './log-entries.js'
import { type Arrival, type ArrivalPlan, planArrival } from './plan-arrival.js'
import type { Contact } from './sync.js'

/**
 * Returns the first commits of conflict branches whose remote head is contained in the arriving one (`theirs`). If main
 * did not contain such a commit, merging the change request later would apply the remote's changes again and override
 * newer decisions.
 *
 * Returns only commits with exactly the remote's content, because text that was written on the branch must still come
 * through the change request. A head that follows a force push is skipped because main has not dropped those commits
 * yet, unless the arriving head has merged it with the dropped commits.
 */
async function conflictsMergedElsewhere(
  sync: Pick<Contact, 'app' | 'space' | 'remote'>,
  { theirs, main, log }: Pick<Arrival, 'theirs' | 'main' | 'log'>,
): Promise<CommitId[]> {
  const { app, space, remote } = sync
  const { repo } = space
  const found: CommitId[] = []
  const had = [theirs, ...(await containedInExports(repo, log.syncPoints, [theirs]))]
  for (const entry of log.entries) {
    if (
      !isKnown(entry) ||
      entry.ref === '' ||
      entry.ref === remote.ref ||
      log.counting.includes(entry) ||
      found.includes(entry.anchor)
    )
      continue
    if (!(await repo.objects.hasCommit(entry.anchor)) || !(await repo.objects.hasCommit(entry.theirs))) continue
    if (
      !(await repo.history.isAncestor(entry.theirs, theirs)) ||
      (await repo.history.isAncestor(entry.anchor, theirs)) ||
      (await repo.history.isAncestor(entry.anchor, main))
    )
      continue
    if (
      (await repo.objects.commit(entry.anchor)).tree !== (await repo.objects.commit(entry.theirs)).tree ||
      (await followsDrop(repo, log, entry, had))
    )
      continue
    const key = remoteKey(remote.url, entry.ref, remote.directory)
    const doc = await findConflict({ app, space, remote: { ...remote, ref: entry.ref as RefName, key } })
    const branch = doc === null ? null : repo.refs.head(changeRequestRef(doc.number))
    if (branch !== null && (await repo.history.isAncestor(entry.anchor, branch))) found.push(entry.anchor)
  }
  return found
}

/**
 * Whether the branch of a conflict, up to the entry's anchor, follows a force push: its head is the older head to which
 * its ref was reset, or is based on it. Main must still drop the dropped commits. Another branch settles that only if
 * it has merged both.
 * @param had the commits that the other branch contains
 */
async function followsDrop(
  repo: Repository,
  { entries, counting }: SyncLog,
  { theirs, anchor, ref }: Entry,
  had: readonly CommitId[],
): Promise<boolean> {
  for (const one of entries) {
    if (one.kind !== 'dropped' || one.ref !== ref || counting.includes(one)) continue
    if (!(await repo.history.isAncestor(one.anchor, anchor))) continue
    if ((await repo.history.isAncestor(theirs, one.theirs)) || !(await isWithin(repo, one.theirs, had))) return true
  }
  return false
}

/**
 * Extends `planArrival` with the first commits of the conflicts that the arrival settles. If there are any, main gets a
 * merge commit even if nothing else has to be done, unless the space is locked.
 */
export async function planWithSettledConflicts(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  arrival: Arrival,
  options: { force: boolean; forExport: boolean },
): Promise<{ plan: ArrivalPlan; settled: CommitId[] }> {
  const plan = await planArrival(contact, arrival, options)
  const settled = plan.kind === 'same' || plan.kind === 'merge' ? await conflictsMergedElsewhere(contact, arrival) : []
  if (plan.kind !== 'same' || settled.length === 0 || (await isLocked(contact))) return { plan, settled }
  return {
    plan: {
      mergeBase: plan.mergeBase,
      kind: 'merge',
      tree: (await contact.space.repo.objects.commit(arrival.main)).tree,
    },
    settled,
  }
}

export const isLocked = async ({ app, space }: Pick<Contact, 'app' | 'space'>): Promise<boolean> =>
  (await app.store.get(spaces, space.doc.id))?.editMode === 'locked'
