/**
 * Determines how a pull request was merged into its base branch: as a merge commit, as one squashed commit, or as
 * rebased commits.
 */
import { required } from '../../kernel/defined.js'
import type { MergedCommits } from '../types.js'

/** Maximum number of commits of a pull request that are compared. GitHub lists no more. */
export const MAX_COMMITS = 250

/**
 * The members of a commit that are compared. `author` and `date` are as the host writes them, and a rebase keeps them.
 */
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
 * Determines the merge method, which no host reports. With two parents, it is a merge commit. Otherwise, if the last
 * commits of the base branch equal those of the pull request, it was a rebase (or a fast-forward); else it was a
 * squash. With more than `MAX_COMMITS`, only a merge commit is detected reliably.
 * @param tip the merge commit that the host reports
 * @param own commits of the pull request, oldest first
 * @param history returns the last commits of the base branch from `tip` on, newest first, at most `most`
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
    [...picked].reverse().every((commit, index) => same(commit, required(recent[index])))
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
