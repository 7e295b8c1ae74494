import type { CommitId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../writing/commits.js'
import { mergedOverrides } from '../content/identity.js'
import { mergeCommits } from '../writing/merge.js'
import { type CommonGround, commonCommits } from './common-ground.js'
import type { Entry } from './log-entries.js'
import { isKnown } from './log-pruning.js'
import type { Arrival } from './plan-arrival.js'
import type { Contact } from './sync.js'

/**
 * What a ref drops may still be at another one, and is news if it comes from there. The rest of what that other ref holds is none: each of
 * its heads that has a part of what was dropped goes on to be known as that head with the part taken out. Where
 * taking it out is not clean, the head is forgotten as a whole. What takes up the drop becomes the anchor of these entries, and has `local` as
 * a parent where it is a merge: so Git knows the same when a change request is merged.
 */
export async function leftEntries(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  ground: CommonGround,
  { theirs, log }: Pick<Arrival, 'theirs' | 'log'>,
): Promise<Omit<Entry, 'anchor'>[]> {
  const { repo } = contact.space
  const from = ground.droppedHead
  if (ground.dropped.length === 0 || from === null) return []
  const to = await repo.mergeBase(from, theirs)
  if (to === null) return []
  const kept = log.pairs.filter((pair) => !ground.dropped.includes(pair)).map((pair) => pair.theirs)
  const found: Omit<Entry, 'anchor'>[] = []
  for (const entry of [...lastOfOthers(contact.remote.ref, ground, log.pairs), ...log.left.filter((one) => !ground.dropped.includes(one))]) {
    const content = entry.kind === 'left' ? entry.local : entry.theirs
    const local = await without(contact, content, { from, to }, await commonCommits(repo, kept, [entry.theirs]))
    if (local !== null) found.push({ ...entry, kind: 'left', local })
  }
  return found
}

/** The heads last seen at other refs, where they are dropped too. */
function lastOfOthers(ref: string, { dropped }: CommonGround, pairs: readonly Entry[]): Entry[] {
  const last = new Map(pairs.filter((pair) => isKnown(pair) && pair.ref !== '' && pair.ref !== ref).map((pair) => [pair.ref, pair]))
  return [...last.values()].filter((pair) => dropped.includes(pair))
}

/** A commit of the content of `head` with all undone that leads to `from` from `to`; null where that is not clean. */
async function without(
  { app, space, actor }: Pick<Contact, 'app' | 'space' | 'actor'>,
  head: CommitId,
  { from, to }: { from: CommitId; to: CommitId },
  parents: readonly CommitId[],
): Promise<CommitId | null> {
  const { doc, repo } = space
  const merged = await mergeCommits(app, space, { base: from, ours: head, theirs: to })
  if (!merged.clean) return null
  return makeCommit(app, doc.id, repo, {
    parents,
    changes: [],
    tree: merged.tree,
    message: commitMessage(`What is left of ${head}`),
    author: actor.user,
    overrides: await mergedOverrides(app, doc.id, repo, { bases: [from], ours: head, theirs: to, tree: merged.tree }),
  })
}
