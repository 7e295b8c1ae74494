import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type Entry, isWhole } from './log-entries.js'

/**
 * The known commits that these commits of the remote contain by exports, beyond their own ancestors. An export has the whole content of main, with
 * all that main had imported by then, from any branch. But its only parent is the head of the branch that it was pushed to; the log has the others.
 */
export async function containedInExports(repo: Repository, pairs: readonly Entry[], commits: readonly CommitId[]): Promise<CommitId[]> {
  const exported: Entry[] = []
  for (const pair of pairs) if (isWhole(pair) && (await isWithin(repo, pair.theirs, commits))) exported.push(pair)
  const anchors = exported.map((pair) => pair.anchor)
  const held = new Set<CommitId>()
  for (const { theirs, anchor } of pairs) if ((await isWithin(repo, anchor, anchors)) && !(await isWithin(repo, theirs, commits))) held.add(theirs)
  return [...held]
}

/** Whether a commit is one of `others` or an ancestor of one. */
export async function isWithin(repo: Repository, commit: CommitId, others: readonly CommitId[]): Promise<boolean> {
  for (const other of others) if (await repo.isAncestor(commit, other)) return true
  return false
}
