/** Finds out what a merged pull request became on its base branch: a merge commit, one squashed commit, or its commits made anew. */
import type { MergedCommits } from '../types.js'

/** Maximum number of commits of a pull request that are compared. GitHub lists no more. */
export const MAX_COMMITS = 250

/** A commit as far as it is compared. `author` and `date` are as the host writes them, and stay when a commit is rebased. */
export interface HostCommit {
  sha: string
  parents: number
  message: string
  author: string
  date: string
}

const same = (a: HostCommit, b: HostCommit): boolean =>
  a.sha === b.sha ||
  (a.message.trim() === b.message.trim() &&
    a.author === b.author &&
    Date.parse(a.date || '0') === Date.parse(b.date || '0'))

/**
 * No host says how it merged. Two parents: a merge commit. Else, if the last commits of the branch are those of the pull request again, they
 * were rebased (or the branch was moved forward); else they were squashed. With more than `MAX_COMMITS`, only a merge commit is recognized for certain.
 * @param tip the commit that the host names for the merge
 * @param own commits of the pull request, oldest first
 * @param history the last commits of the base branch from `tip` on, newest first, at most as many as asked for
 */
export async function mergedAs(
  tip: string,
  own: readonly HostCommit[],
  history: (most: number) => Promise<HostCommit[]>,
): Promise<MergedCommits> {
  const picked = own.filter((commit) => commit.parents < 2)
  const recent = await history(Math.max(1, picked.length))
  const from = own.map(({ sha }) => sha)
  if ((recent[0]?.parents ?? 0) > 1) return { method: 'merge', commits: [tip], from }
  const rebased =
    picked.length > 0 &&
    recent.length >= picked.length &&
    [...picked].reverse().every((commit, index) => same(commit, recent[index] as HostCommit))
  if (rebased)
    return {
      method: 'rebase',
      commits: recent
        .slice(0, picked.length)
        .map(({ sha }) => sha)
        .reverse(),
      from,
    }
  return { method: 'squash', commits: [tip], from }
}
