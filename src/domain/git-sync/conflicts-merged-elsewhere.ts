// A head of the remote that conflicts here waits in a change request. Somebody may merge that head into another branch of the remote, so that it comes
// in by that branch. The conflict is then over, although its change request is still open.
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
 * The first commits of conflict branches whose remote head is contained in the arriving one (`theirs`). If main did not contain such a commit, merging
 * the change request later would apply the remote's changes again, over what was decided here since. Returns only commits with exactly the
 * remote's content: what people wrote on the branch still has to come by the change request. A head that follows a force of its ref is not
 * returned either, unless the arriving one has merged it with what was dropped: that is not dropped here yet.
 */
async function conflictsMergedElsewhere(
  sync: Pick<Contact, 'app' | 'space' | 'remote'>,
  { theirs, main, log }: Pick<Arrival, 'theirs' | 'main' | 'log'>,
): Promise<CommitId[]> {
  const { app, space, remote } = sync
  const { repo } = space
  const found: CommitId[] = []
  const had = [theirs, ...(await containedInExports(repo, log.pairs, [theirs]))]
  for (const entry of log.entries) {
    if (
      !isKnown(entry) ||
      entry.ref === '' ||
      entry.ref === remote.ref ||
      log.counting.includes(entry) ||
      found.includes(entry.anchor)
    )
      continue
    if (!(await repo.hasCommit(entry.anchor)) || !(await repo.hasCommit(entry.theirs))) continue
    if (
      !(await repo.isAncestor(entry.theirs, theirs)) ||
      (await repo.isAncestor(entry.anchor, theirs)) ||
      (await repo.isAncestor(entry.anchor, main))
    )
      continue
    if (
      (await repo.commit(entry.anchor)).tree !== (await repo.commit(entry.theirs)).tree ||
      (await followsDrop(repo, log, entry, had))
    )
      continue
    const key = remoteKey(remote.url, entry.ref, remote.directory)
    const doc = await findConflict({ app, space, remote: { ...remote, ref: entry.ref as RefName, key } })
    const branch = doc === null ? null : repo.head(changeRequestRef(doc.number))
    if (branch !== null && (await repo.isAncestor(entry.anchor, branch))) found.push(entry.anchor)
  }
  return found
}

/**
 * Whether the branch of a conflict follows a force, up to the entry's anchor: its head is an older one to which its ref was set back, or stands on such a
 * one. What the force dropped is still to be dropped here, which another branch tells only if it has merged the two (`had`: what it contains).
 */
async function followsDrop(
  repo: Repository,
  { entries, counting }: SyncLog,
  { theirs, anchor, ref }: Entry,
  had: readonly CommitId[],
): Promise<boolean> {
  for (const one of entries) {
    if (one.kind !== 'dropped' || one.ref !== ref || counting.includes(one)) continue
    if (!(await repo.isAncestor(one.anchor, anchor))) continue
    if ((await repo.isAncestor(theirs, one.theirs)) || !(await isWithin(repo, one.theirs, had))) return true
  }
  return false
}

/**
 * Like `planArrival`, with the first commits of the conflicts that the arrival settles. If there are any, main gets a merge commit even if nothing
 * else is to be done, unless the space is locked.
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
    plan: { ground: plan.ground, kind: 'merge', tree: (await contact.space.repo.commit(arrival.main)).tree },
    settled,
  }
}

export const isLocked = async ({ app, space }: Pick<Contact, 'app' | 'space'>): Promise<boolean> =>
  (await app.store.get(spaces, space.doc.id))?.editMode === 'locked'
