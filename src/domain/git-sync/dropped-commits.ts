/**
 * Excludes commits that a force push dropped from one ref from the integrated commits, although other refs contain
 * them.
 */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { commitWithout, droppedPart } from './remainder-commit.js'
import { type MergeBaseResult, commonCommits } from './merge-base.js'
import { type Entry, isKnown, isWrittenAfter, type SyncLog } from './log-entries.js'
import type { Arrival } from './plan-arrival.js'
import type { Contact } from './sync.js'

/**
 * Returns the `left` entries for heads of other refs that contain dropped commits.
 *
 * A force push removed commits from one ref, but other refs of the remote may still contain them. If they return
 * through such a ref, they are new; the rest of that ref's head is not. So each head that contains a dropped commit is
 * replaced by its remainder: the head with the dropped changes undone. If that has conflicts, the whole head is
 * forgotten.
 *
 * The commit that follows the drop becomes the anchor of the entries. If it is a merge, it has `local` as a parent, so
 * Git's history gives the same result when a change request is merged later.
 */
export async function entriesWithoutDropped(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  mergeBase: MergeBaseResult,
  { theirs, log }: Pick<Arrival, 'theirs' | 'log'>,
): Promise<Omit<Entry, 'anchor'>[]> {
  const { repo } = contact.space
  const from = mergeBase.droppedHead
  if (mergeBase.dropped.length === 0 || from === null) return []
  const part = await droppedPart(contact, { from, at: theirs })
  if (part === null) return []
  const remaining = log.syncPoints
    .filter((syncPoint) => !mergeBase.dropped.includes(syncPoint))
    .map((syncPoint) => syncPoint.theirs)
  const found: Omit<Entry, 'anchor'>[] = []
  const leave = async (entry: Entry, ref: string, below: readonly CommitId[] = []): Promise<CommitId[]> => {
    const content = entry.kind === 'left' ? entry.local : entry.theirs
    const local = await commitWithout(contact, content, part, [
      ...(await commonCommits(repo, remaining, [entry.theirs])),
      ...below,
    ])
    if (local === null) return [...below]
    found.push({ ...entry, kind: 'left', local, ref })
    return [local]
  }
  for (const entry of remainingLeftEntries(contact.remote.ref, mergeBase, log)) await leave(entry, entry.ref)
  for (const head of lastHeadsOfOtherRefs(contact.remote.ref, mergeBase, log.syncPoints)) {
    let below = await leave(head, head.ref)
    for (const push of await pushesOnto(repo, head, mergeBase)) below = await leave(push, '', below)
  }
  return found
}

/**
 * Returns the `left` entries that still count. If another head of their ref was seen later, they lose the ref because
 * they are no longer its last seen head.
 */
function remainingLeftEntries(ref: string, { dropped }: MergeBaseResult, log: SyncLog): Entry[] {
  const isLast = (one: Entry): boolean => {
    const seen = log.counting.findLast((other) => isKnown(other) && other.ref === one.ref)
    return (
      one.ref !== ref && (!seen || (isWrittenAfter(log.counting, one, seen) && isWrittenAfter(log.entries, one, seen)))
    )
  }
  return log.left.filter((one) => !dropped.includes(one)).map((one) => (isLast(one) ? one : { ...one, ref: '' }))
}

/**
 * Returns the unconfirmed pushes onto a head, each onto the one before it. If one has arrived, the ref has everything
 * that main had at that time. If not, its remainder must not count as the last seen head, so it names no ref.
 */
async function pushesOnto(repo: Repository, head: Entry, { dropped }: MergeBaseResult): Promise<Entry[]> {
  const pushes: Entry[] = []
  for (const one of dropped.slice(dropped.indexOf(head) + 1)) {
    const below = (pushes.at(-1) ?? head).theirs
    if (
      one.kind === 'offered' &&
      one.ref === head.ref &&
      one.theirs !== below &&
      (await repo.history.isAncestor(below, one.theirs))
    )
      pushes.push(one)
  }
  return pushes
}

/** Returns the last known heads of other refs that contain dropped commits. */
function lastHeadsOfOtherRefs(ref: string, { dropped }: MergeBaseResult, syncPoints: readonly Entry[]): Entry[] {
  const last = new Map(
    syncPoints
      .filter((syncPoint) => isKnown(syncPoint) && syncPoint.ref !== '' && syncPoint.ref !== ref)
      .map((syncPoint) => [syncPoint.ref, syncPoint]),
  )
  return [...last.values()].filter((syncPoint) => dropped.includes(syncPoint))
}
