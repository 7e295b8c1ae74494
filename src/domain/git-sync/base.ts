import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { SyncState } from './sync-refs.js'

/** How many of the remote's newest commits are compared with what was exported or imported. */
const SEARCH = 2_000

/** What a merge with the remote starts from. */
export interface MergeBase {
  /** The common ground; null = none: the two have nothing in common. */
  base: CommitId | null
  /** Whether Git would not find it by itself: it must be given. */
  given: boolean
}

/**
 * The base of a merge of main with the remote's head `theirs` (`head` as the remote names it), by the rules of
 * ARCHITECTURE.md, "Sync with remotes": the commit here that equals the head last seen, also where the remote's history
 * was rewritten, so that what was dropped there is dropped here; where main has newer commits of the remote (a conflict was
 * resolved), those; for a remote never seen, the newest commit whose tree was exported or imported before.
 */
export async function chooseBase(
  repo: Repository,
  state: SyncState,
  heads: { main: CommitId; head: CommitId; theirs: CommitId },
  everSynced: ReadonlyMap<string, CommitId>,
): Promise<MergeBase> {
  const { main, head, theirs } = heads
  const natural = await repo.mergeBase(main, theirs)
  const { last } = state
  if (last === null) return firstMeeting(repo, natural, theirs, everSynced)
  const continues = await repo.isAncestor(last.remote, head)
  const newer =
    natural !== null &&
    (continues ? (await repo.isAncestor(last.local, natural)) || (await repo.isAncestor(last.remote, natural)) : !(await repo.isAncestor(natural, last.local)))
  return newer ? { base: natural, given: false } : { base: last.local, given: last.local !== natural }
}

async function firstMeeting(repo: Repository, natural: CommitId | null, theirs: CommitId, everSynced: ReadonlyMap<string, CommitId>): Promise<MergeBase> {
  if (everSynced.size === 0) return { base: natural, given: false }
  const byTree = new Map<string, CommitId>()
  for (const local of new Set(everSynced.values())) byTree.set((await repo.commit(local)).tree, local)
  const commits = await repo.history({ from: theirs, limit: SEARCH, ...(natural === null ? {} : { not: [natural] }) })
  for (const commit of commits) {
    const equal = everSynced.get(commit.id) ?? byTree.get(commit.tree)
    if (equal !== undefined) return { base: equal, given: true }
  }
  return { base: natural, given: false }
}
