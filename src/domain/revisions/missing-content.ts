/** Whether a branch lacks something of main. */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { isComputed } from './revision-type.js'

/** Computed revisions on top of main that are looked at. */
const MOST = 1_000

/** Whether main has changes that the branch's head does not have. Computed revisions have none: nobody has to catch up with them. */
export async function lacksContent(repo: Repository, main: CommitId, head: CommitId): Promise<boolean> {
  let at: CommitId | undefined = main
  for (let looked = 0; at !== undefined && looked < MOST; looked++) {
    if (await repo.isAncestor(at, head)) return false
    const info = await repo.commit(at)
    if (!isComputed(info)) return true
    at = info.parents[0]
  }
  return true
}
