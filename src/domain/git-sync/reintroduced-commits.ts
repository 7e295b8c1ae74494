/**
 * Finds commits that a force push dropped from a branch and that the branch now contains again. They count as new, even
 * if other branches contain them.
 */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { isWithin } from './inferred-ancestors.js'
import { isKnown, type SyncLog } from './log-entries.js'

/** Dropped and reintroduced commits: the dropped head `from`, and the head `at` to which the branch was reset. */
export interface ReintroducedPart {
  from: CommitId
  at: CommitId
}

/**
 * Returns the drops that `theirs` has undone, unless main has recorded that already. The log has the dropped heads
 * under the anchor of the head to which their branch was reset. If the log no longer has the entry of that head, the
 * drop is unknown.
 */
export async function reintroducedParts(repo: Repository, log: SyncLog, theirs: CommitId): Promise<ReintroducedPart[]> {
  const found: ReintroducedPart[] = []
  for (const [at, target] of log.counting.entries()) {
    if (!isKnown(target)) continue
    const since = log.syncPoints
      .filter((syncPoint) => log.counting.indexOf(syncPoint) >= at)
      .map((syncPoint) => syncPoint.theirs)
    const heads = log.counting.filter(
      (one) => one.kind === 'dropped' && one.anchor === target.anchor && one.ref === target.ref,
    )
    // Newest first: if heads follow each other, the last reintroduced one contains the others.
    for (const { theirs: from } of heads.reverse()) {
      const back =
        (await repo.history.isAncestor(from, theirs)) &&
        !(await isWithin(repo, from, [...since, ...found.map((one) => one.from)]))
      if (back) found.push({ from, at: target.theirs })
    }
  }
  return found
}
