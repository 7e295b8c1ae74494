/** Keeps what a forced push dropped from one ref of a remote from counting as known because of other refs. */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { commitWithout, droppedPart } from './remainder-commit.js'
import { type CommonGround, commonCommits } from './merge-base.js'
import { type Entry, isKnown, isWrittenAfter, type SyncLog } from './log-entries.js'
import type { Arrival } from './plan-arrival.js'
import type { Contact } from './sync.js'

/**
 * A forced push removed commits from one ref, but other refs of the remote may still contain them. If they come back by such a ref, they are news; the
 * rest of that ref's head is not. So each head that contains a dropped commit stays known as a commit without it: the head with the dropped
 * changes undone. If that has conflicts, the head is forgotten as a whole.
 *
 * Returns the `left` entries of these commits. The commit that follows the drop becomes their anchor; if it is a merge, it has `local` as a parent,
 * so that Git's history says the same when a change request is merged later.
 */
export async function entriesWithoutDropped(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  ground: CommonGround,
  { theirs, log }: Pick<Arrival, 'theirs' | 'log'>,
): Promise<Omit<Entry, 'anchor'>[]> {
  const { repo } = contact.space
  const from = ground.droppedHead
  if (ground.dropped.length === 0 || from === null) return []
  const part = await droppedPart(contact, { from, at: theirs })
  if (part === null) return []
  const remaining = log.pairs.filter((pair) => !ground.dropped.includes(pair)).map((pair) => pair.theirs)
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
  for (const entry of olderLeft(contact.remote.ref, ground, log)) await leave(entry, entry.ref)
  for (const head of lastOfOthers(contact.remote.ref, ground, log.pairs)) {
    let below = await leave(head, head.ref)
    for (const push of await pushesOnto(repo, head, ground)) below = await leave(push, '', below)
  }
  return found
}

/** The `left` entries that go on to count. If their ref was seen at another head since, they are no longer what was seen there last. */
function olderLeft(ref: string, { dropped }: CommonGround, log: SyncLog): Entry[] {
  const isLast = (one: Entry): boolean => {
    const seen = log.counting.findLast((other) => isKnown(other) && other.ref === one.ref)
    return (
      one.ref !== ref && (!seen || (isWrittenAfter(log.counting, one, seen) && isWrittenAfter(log.entries, one, seen)))
    )
  }
  return log.left.filter((one) => !dropped.includes(one)).map((one) => (isLast(one) ? one : { ...one, ref: '' }))
}

/**
 * Pushes onto a head that got no response, each onto the one before it. If one has arrived, the ref has all that main had by then. If not, what is left of it
 * stands for nothing: it names no ref, so it never counts as what was seen there last.
 */
async function pushesOnto(repo: Repository, head: Entry, { dropped }: CommonGround): Promise<Entry[]> {
  const pushes: Entry[] = []
  for (const one of dropped.slice(dropped.indexOf(head) + 1)) {
    const below = (pushes.at(-1) ?? head).theirs
    if (
      one.kind === 'offered' &&
      one.ref === head.ref &&
      one.theirs !== below &&
      (await repo.isAncestor(below, one.theirs))
    )
      pushes.push(one)
  }
  return pushes
}

/** The last known heads of other refs that contain something dropped. */
function lastOfOthers(ref: string, { dropped }: CommonGround, pairs: readonly Entry[]): Entry[] {
  const last = new Map(
    pairs.filter((pair) => isKnown(pair) && pair.ref !== '' && pair.ref !== ref).map((pair) => [pair.ref, pair]),
  )
  return [...last.values()].filter((pair) => dropped.includes(pair))
}
