/** Makes a commit in which some changes are undone. */
import type { CommitId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { mergedOverrides } from '../revisions/identity.js'
import type { Contact } from './sync.js'

/** A commit with the content of `head` in which the changes from `to` to `from` are undone; null if that has conflicts. */
export async function commitWithout(
  { app, space, actor }: Pick<Contact, 'app' | 'space' | 'actor'>,
  head: CommitId,
  { from, to }: { from: CommitId; to: CommitId },
  parents: readonly CommitId[],
): Promise<CommitId | null> {
  const merged = await mergeCommits(app, space, { base: from, ours: head, theirs: to })
  if (!merged.clean) return null
  return makeCommit(app, space, {
    parents,
    changes: [],
    tree: merged.tree,
    message: commitMessage(`What is left of ${head}`),
    author: actor.user,
    overrides: await mergedOverrides(app, space, { bases: [from], ours: head, theirs: to, tree: merged.tree }),
  })
}
