/** Makes commits in which what was dropped from a branch is undone. */
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { resolveConflicts } from '../change-requests/conflicts.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { withIds } from '../commits/merge/base-despite-conflicts.js'
import { mergedOverrides, overridesAt } from '../revisions/identity.js'
import { changesAlsoIn, type FileChanges } from './repeated-changes.js'
import type { Contact } from './sync.js'

/** A part of a branch that it dropped when it was set back: what leads from `to` to `from`. */
export interface DroppedPart {
  from: CommitId
  to: CommitId
}

/**
 * What a branch dropped when it was set back, or rewritten, from `from` to `at`: all since the newest commit that both contain, but for the files that `at`
 * has as `from` has them, by commits of its own. Null if the two have nothing in common.
 */
export async function droppedPart(
  contact: Pick<Contact, 'app' | 'space' | 'actor'>,
  { from, at }: { from: CommitId; at: CommitId },
): Promise<DroppedPart | null> {
  const to = await contact.space.repo.mergeBase(from, at)
  return to === null ? null : partNotIn(contact, { from, to }, at)
}

/** A part of a branch without the files that `at` has as `from` has them. */
export async function partNotIn(
  contact: Pick<Contact, 'app' | 'space' | 'actor'>,
  { from, to }: DroppedPart,
  at: CommitId,
): Promise<DroppedPart> {
  const kept = await changesAlsoIn(contact.app, contact.space, { from: to, to: from }, at)
  return {
    from,
    to:
      kept.changes.length === 0
        ? to
        : await changedCommit(contact, to, { ...kept, message: `What ${at} has of ${from}` }),
  }
}

/** A commit, on `known`, with some files otherwise. `ids`: those of files that it gets at new places, as overrides. */
export const changedCommit = async (
  { app, space, actor }: Pick<Contact, 'app' | 'space' | 'actor'>,
  known: CommitId,
  { changes, ids = [], message }: Partial<FileChanges> & Pick<FileChanges, 'changes'> & { message: string },
): Promise<CommitId> =>
  makeCommit(app, space, {
    parents: [known],
    changes,
    message: commitMessage(message),
    author: actor.user,
    overrides: withIds(await overridesAt(app, space, known), ids),
  })

/**
 * A commit with the content of `head` in which the changes from `to` to `from` are undone. A file in which later changes rest on these stays as it is in
 * `head`: it goes on to be known as a whole. Null if two such files want one place.
 */
export async function commitWithout(
  { app, space, actor }: Pick<Contact, 'app' | 'space' | 'actor'>,
  head: CommitId,
  { from, to }: DroppedPart,
  parents: readonly CommitId[],
): Promise<CommitId | null> {
  const tree = await treeWithout({ app, space }, head, { from, to })
  if (tree === null) return null
  return makeCommit(app, space, {
    parents,
    changes: [],
    tree,
    message: commitMessage(`What is left of ${head}`),
    author: actor.user,
    overrides: await mergedOverrides(app, space, { bases: [from], ours: head, theirs: to, tree }),
  })
}

async function treeWithout(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  head: CommitId,
  { from, to }: DroppedPart,
): Promise<TreeId | null> {
  const merged = await mergeCommits(app, space, { base: from, ours: head, theirs: to })
  if (merged.clean) return merged.tree
  const paths = new Set(merged.conflicts.map(({ path }) => path))
  try {
    return (
      await resolveConflicts(
        app,
        space,
        merged,
        [...paths].map((path) => ({ path, take: 'change-request' as const })),
      )
    ).tree
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}
