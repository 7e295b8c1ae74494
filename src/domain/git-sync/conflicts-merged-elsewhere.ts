// Finds conflicts that end because their remote head was merged into another branch of the remote and arrives with that
// branch. Their change requests are still open.
import { remoteKey } from '../../git/index.js'
import type { CommitId, RefName, TreeId } from '../../kernel/ids.js'
import { spaces } from '../../model/index.js'
import { type Identify, openSide } from '../commits/merge/side.js'
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
 * yet, unless the arriving head has merged it with the dropped commits, and main gets the result.
 * @param result the tree that main has after the arrival
 */
async function conflictsMergedElsewhere(
  sync: Pick<Contact, 'app' | 'space' | 'remote'>,
  { theirs, main, log }: Pick<Arrival, 'theirs' | 'main' | 'log'>,
  result: TreeId,
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
      (await followsDrop(sync, log, entry, { had, theirs, main, result }))
    )
      continue
    const key = remoteKey(remote.url, entry.ref, remote.directory)
    const doc = await findConflict({ app, space, remote: { ...remote, ref: entry.ref as RefName, key } })
    const branch = doc === null ? null : repo.refs.head(changeRequestRef(doc.number))
    if (branch !== null && (await repo.history.isAncestor(entry.anchor, branch))) found.push(entry.anchor)
  }
  return found
}

/** An arriving head of another branch, the commits that it contains, and what main has after it. */
interface Elsewhere {
  had: readonly CommitId[]
  theirs: CommitId
  main: CommitId
  result: TreeId
}

/**
 * Whether the branch of a conflict, up to the entry's anchor, follows a force push: its head is the older head to which
 * its ref was reset, or is based on it. Main must still drop the dropped commits. Another branch settles that only if
 * it has merged both, and main gets its version of each file that the force push changed.
 */
async function followsDrop(
  contact: Pick<Contact, 'app' | 'space'>,
  { entries, counting }: SyncLog,
  { theirs, anchor, ref }: Entry,
  elsewhere: Elsewhere,
): Promise<boolean> {
  const { repo } = contact.space
  for (const one of entries) {
    if (one.kind !== 'dropped' || one.ref !== ref || counting.includes(one)) continue
    if (!(await repo.history.isAncestor(one.anchor, anchor))) continue
    if ((await repo.history.isAncestor(theirs, one.theirs)) || !(await isWithin(repo, one.theirs, elsewhere.had)))
      return true
    if (!(await isTaken(contact, { from: one.theirs, to: theirs }, elsewhere))) return true
  }
  return false
}

/** Whether main gets the arriving version of each file that a force push changed. Files are compared by ID. */
async function isTaken(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  forced: { from: CommitId; to: CommitId },
  { theirs, main, result }: Elsewhere,
): Promise<boolean> {
  const { repo } = space
  const idsIn = async (commit: CommitId): Promise<Identify> => (await openSide(app, space, commit)).ids()
  const changed = new Set<string>()
  const [was, is] = [await idsIn(forced.from), await idsIn(forced.to)]
  for (const { path, before, after } of await repo.trees.diff(forced.from, forced.to)) {
    if (before) changed.add(was(path))
    if (after) changed.add(is(path))
  }
  const [arriving, mine] = [await idsIn(theirs), await idsIn(main)]
  const open = await repo.trees.diff((await repo.objects.commit(theirs)).tree, result)
  return !open.some(
    ({ path, before, after }) => (before && changed.has(arriving(path))) || (after && changed.has(mine(path))),
  )
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
  const { tree } = await contact.space.repo.objects.commit(arrival.main)
  const result = plan.kind === 'merge' ? plan.tree : plan.kind === 'same' ? tree : null
  const settled = result === null ? [] : await conflictsMergedElsewhere(contact, arrival, result)
  if (plan.kind !== 'same' || settled.length === 0 || (await isLocked(contact))) return { plan, settled }
  return {
    plan: { mergeBase: plan.mergeBase, kind: 'merge', tree },
    settled,
  }
}

export const isLocked = async ({ app, space }: Pick<Contact, 'app' | 'space'>): Promise<boolean> =>
  (await app.store.get(spaces, space.doc.id))?.editMode === 'locked'
