/** Finds what the remote dropped from a branch by a forced push and has on it again, which is news, whatever else contains it. */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { isWithin } from './inferred-ancestors.js'
import { isKnown, type SyncLog } from './log-entries.js'

/** What was dropped from a branch and is back: the head `from`, when the branch was set back to `at`. */
export interface ReturnedDrop {
  from: CommitId
  at: CommitId
}

/**
 * The drops that `theirs` has undone, unless main has learned of that since. The log has the dropped heads under the anchor of the head to which
 * their branch was set back; if the line of that head is no longer in the log, nothing is known of the drop.
 */
export async function returnedDrops(repo: Repository, log: SyncLog, theirs: CommitId): Promise<ReturnedDrop[]> {
  const found: ReturnedDrop[] = []
  for (const [at, target] of log.counting.entries()) {
    if (!isKnown(target)) continue
    const since = log.pairs.filter((pair) => log.counting.indexOf(pair) >= at).map((pair) => pair.theirs)
    const heads = log.counting.filter(
      (one) => one.kind === 'dropped' && one.anchor === target.anchor && one.ref === target.ref,
    )
    // Newest first: of heads that follow each other, the last one that is back has the others.
    for (const { theirs: from } of heads.reverse()) {
      const back =
        (await repo.isAncestor(from, theirs)) &&
        !(await isWithin(repo, from, [...since, ...found.map((one) => one.from)]))
      if (back) found.push({ from, at: target.theirs })
    }
  }
  return found
}
