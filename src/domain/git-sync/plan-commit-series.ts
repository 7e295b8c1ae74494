/** Finds the commits of main that an export pushes as a commit series, and which of them can be pushed unchanged. */
import { required } from '../../kernel/defined.js'
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { findMergeBase } from './merge-base.js'
import { isWithin } from './inferred-ancestors.js'
import { isWhole, type SyncLog, dropAnchors } from './log-entries.js'

/** Maximum number of commits in one export. Older ones become one commit. */
const MAX_COMMITS = 2_000
/**
 * Maximum number of commits from before the remote's last change that are put on top of it one by one. Older ones are
 * combined with the commit that follows.
 */
const MAX_REPLAYED = 200

/**
 * The commits of main's first-parent history that the remote does not have, oldest first. The last one is main. There
 * is at least one.
 */
export interface SeriesPlan {
  commits: CommitId[]
  /**
   * The commit before the first one, whose content the remote head has. Null if the two sides had no sync point before.
   */
  before: CommitId | null
  /**
   * From this index on, the commits contain everything that the remote head has, and nothing that was dropped from the
   * remote.
   */
  whole: number
  /**
   * From this index up to `whole`, commits may be merged onto the remote head. Earlier ones get no separate commit.
   */
  replayed: number
}

/**
 * Plans the series. `main` contains the remote head, which is `theirs` here.
 *
 * Commits that were dropped from a remote must never return to it, not even in a commit that a later one reverts.
 * Commits from before main followed a drop are not pushed separately, and imported commits are not replayed.
 */
export async function planCommitSeries(
  repo: Repository,
  log: SyncLog,
  main: CommitId,
  theirs: CommitId,
): Promise<SeriesPlan> {
  const line = await repo.history.firstParents(main)
  const places = new Map(line.map((commit, at) => [commit, at]))
  const mergeBase = await findMergeBase(repo, log, { main, theirs })
  const past = [theirs, ...mergeBase.inferredAncestors, ...mergeBase.viaExports]
  let begin = line.length
  for (const syncPoint of log.syncPoints) {
    const at = places.get(syncPoint.anchor)
    if (at !== undefined && at < begin && isWhole(syncPoint) && (await isWithin(repo, syncPoint.theirs, past)))
      begin = at
  }
  // The head may lack commits of main that it once had, because they were dropped there.
  const hasSyncPoint = begin > 0 && begin < line.length
  const arrivedAt = Math.min(await indexOfOldest(repo, line, await importAnchorOf(repo, log, theirs)), line.length - 1)
  const dropped = Math.min(
    ...(await Promise.all((await dropAnchors(repo, main)).map((anchor) => indexOfOldest(repo, line, anchor)))),
    line.length,
  )
  // Indexes count from main downwards.
  const oldest = Math.min(hasSyncPoint ? begin - 1 : begin === 0 ? 0 : arrivedAt, MAX_COMMITS - 1)
  const whole = Math.max(0, oldest - Math.min(arrivedAt, dropped))
  const first = dropped <= arrivedAt ? whole : Math.max(0, whole - MAX_REPLAYED, oldest - dropped + 1)
  return {
    commits: line.slice(0, oldest + 1).reverse(),
    before: hasSyncPoint && oldest === begin - 1 ? required(line[begin]) : null,
    whole,
    replayed: hasSyncPoint ? first : whole,
  }
}

/**
 * Returns the commit that brought a remote head into main: the anchor of its newest entry. If there is none, it is the
 * anchor of the oldest entry that contains it, or the head itself.
 */
async function importAnchorOf(repo: Repository, log: SyncLog, theirs: CommitId): Promise<CommitId> {
  const named = log.syncPoints.findLast((syncPoint) => syncPoint.theirs === theirs)
  if (named) return named.anchor
  for (const syncPoint of log.syncPoints)
    if (await repo.history.isAncestor(theirs, syncPoint.theirs)) return syncPoint.anchor
  return theirs
}

/**
 * Returns the index of the oldest commit of a first-parent history that contains `commit`, or its length if none does.
 */
async function indexOfOldest(repo: Repository, line: readonly CommitId[], commit: CommitId): Promise<number> {
  let [low, high] = [-1, line.length]
  // All commits up to `low` contain the commit. Those from `high` on do not.
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (await repo.history.isAncestor(commit, required(line[middle]))) low = middle
    else high = middle
  }
  return low < 0 ? line.length : low
}
