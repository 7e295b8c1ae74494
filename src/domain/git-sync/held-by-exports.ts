import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type Entry, isWhole } from './log-entries.js'

/**
 * What commits of the remote hold beyond their own ancestors: an export is main as a whole, with all that main had taken up by then, though its
 * one parent tells of the branch alone that it went to. Git knows a merge of two branches by its parents; an export is one that has them in the log.
 */
export async function heldByExports(repo: Repository, pairs: readonly Entry[], commits: readonly CommitId[]): Promise<CommitId[]> {
  const exported: Entry[] = []
  for (const pair of pairs) if (isWhole(pair) && (await isWithin(repo, pair.theirs, commits))) exported.push(pair)
  const anchors = exported.map((pair) => pair.anchor)
  const held = new Set<CommitId>()
  for (const { theirs, anchor } of pairs) if ((await isWithin(repo, anchor, anchors)) && !(await isWithin(repo, theirs, commits))) held.add(theirs)
  return [...held]
}

/** Whether a commit is one of `others`, or an ancestor of one. */
export async function isWithin(repo: Repository, commit: CommitId, others: readonly CommitId[]): Promise<boolean> {
  for (const other of others) if (await repo.isAncestor(commit, other)) return true
  return false
}
