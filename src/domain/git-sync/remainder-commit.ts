/** Makes commits in which the dropped commits of a branch are undone. */
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { resolveConflicts } from '../change-requests/conflicts.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { withIds } from '../commits/merge/base-despite-conflicts.js'
import { mergedOverrides, overridesAt } from '../revisions/identity.js'
import { changesAlsoIn, type FileChanges } from './repeated-changes.js'
import type { Contact } from './sync.js'

/** The part of a branch that a reset dropped: the changes from `to` to `from`. */
export interface DroppedPart {
  from: CommitId
  to: CommitId
}

/**
 * Returns the part that a branch dropped when it was reset or rewritten from `from` to `at`: everything since the
 * newest commit that both contain. Files that `at` has unchanged from `from` through its own commits are not included.
 * Returns null if the two have nothing in common.
 */
export async function droppedPart(
  contact: Pick<Contact, 'app' | 'space' | 'actor'>,
  { from, at }: { from: CommitId; at: CommitId },
): Promise<DroppedPart | null> {
  const to = await contact.space.repo.history.mergeBase(from, at)
  return to === null ? null : partNotIn(contact, { from, to }, at)
}

/** Returns a part of a branch without the files that `at` has exactly as in `from`. */
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
        : await changedCommit(contact, to, { ...kept, message: `Part of ${from} that ${at} contains` }),
  }
}

/** Makes a commit on `known` with changes to some files. `ids`: the ID overrides of files at new paths. */
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
 * Makes a commit with the content of `head` in which the changes from `to` to `from` are undone. If later changes in a
 * file build on these changes, the file stays as in `head` and remains integrated as a whole. Returns null if two such
 * files need the same path.
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
    message: commitMessage(`Remainder of ${head}`),
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
