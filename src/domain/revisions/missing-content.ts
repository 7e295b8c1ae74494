/** Checks whether a branch lacks content of main. */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { isComputed } from './revision-type.js'

/** Maximum number of computed revisions on top of main that are checked. */
const MAX_COMPUTED_REVISIONS = 1_000

/**
 * Whether main has changes that the branch's head lacks. Computed revisions contain no changes, so they do not count.
 */
export async function lacksContent(repo: Repository, main: CommitId, head: CommitId): Promise<boolean> {
  let at: CommitId | undefined = main
  for (let checked = 0; at !== undefined && checked < MAX_COMPUTED_REVISIONS; checked++) {
    if (await repo.history.isAncestor(at, head)) return false
    const info = await repo.objects.commit(at)
    if (!isComputed(info)) return true
    at = info.parents[0]
  }
  return true
}
