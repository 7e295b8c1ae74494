/** Makes a commit in which some changes are undone. */
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { ServiceError } from '../../kernel/errors.js'
import { resolveConflicts } from '../change-requests/conflicts.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { mergedOverrides } from '../revisions/identity.js'
import type { Contact } from './sync.js'

/**
 * A commit with the content of `head` in which the changes from `to` to `from` are undone. A file in which later changes rest on these is as it is in
 * `to`, so that all that `head` has of it beyond that counts as news. Null if two such files want one place.
 */
export async function commitWithout(
  { app, space, actor }: Pick<Contact, 'app' | 'space' | 'actor'>,
  head: CommitId,
  { from, to }: { from: CommitId; to: CommitId },
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
  { from, to }: { from: CommitId; to: CommitId },
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
        [...paths].map((path) => ({ path, take: 'main' as const })),
      )
    ).tree
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}
