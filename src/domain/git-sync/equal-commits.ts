// Finds remote commits that repeat the content or the changes of integrated commits.
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { isWithin } from './inferred-ancestors.js'
import { type Entry, isExport, isKnown, isWhole, type SyncLog } from './log-entries.js'

/** A new remote commit that counts as a sync point because it has the same content or made the same change. */
export interface EquivalentCommit {
  commit: CommitId
  syncPoint: Entry
}

/**
 * Returns the new remote commits with the same tree as a sync point, for example a squash of an export. Skips a commit
 * that also contains integrated commits newer than that sync point: it reverted them, and that change must be imported.
 * @param news new commits, newest first
 * @param squashed exports whose change one of these commits repeats
 */
export async function equalCommits(
  repo: Repository,
  log: SyncLog,
  news: readonly CommitInfo[],
  squashed: readonly EquivalentCommit[],
): Promise<EquivalentCommit[]> {
  if (news.length === 0 || log.syncPoints.length === 0) return []
  const byTree = new Map<string, Entry[]>()
  for (const syncPoint of log.syncPoints) {
    const { tree } = await repo.objects.commit(syncPoint.local)
    byTree.set(tree, [syncPoint, ...(byTree.get(tree) ?? [])])
  }
  const found: EquivalentCommit[] = []
  for (const { id, tree } of [...news].reverse()) {
    let syncPoint: Entry | undefined
    for (const one of byTree.get(tree) ?? [])
      if (syncPoint === undefined && (await notSeenBefore(repo, log, one, [{ id }])).length > 0) syncPoint = one
    if (
      syncPoint !== undefined &&
      !(await reverts(repo, { commit: id, syncPoint }, [...log.syncPoints.map(asEquivalent), ...squashed, ...found]))
    )
      found.push({ commit: id, syncPoint })
  }
  return found
}

/**
 * Returns the new commits that may repeat a sync point. A commit that was in a conflict with main before an export was
 * made does not repeat that export: the two sides wrote the same independently.
 */
export async function notSeenBefore<News extends { id: CommitId }>(
  repo: Repository,
  log: SyncLog,
  syncPoint: Entry,
  news: readonly News[],
): Promise<readonly News[]> {
  const made = log.entries.findIndex(({ theirs }) => theirs === syncPoint.theirs)
  const inConflict = log.entries
    .slice(0, Math.max(made, 0))
    .filter((one) => isKnown(one) && !log.counting.includes(one))
  if (inConflict.length === 0 || !isExport(syncPoint)) return news
  const heads = inConflict.map(({ theirs }) => theirs)
  const found: News[] = []
  for (const one of news) if (!(await isWithin(repo, one.id, heads))) found.push(one)
  return found
}

const asEquivalent = (syncPoint: Entry): EquivalentCommit => ({ commit: syncPoint.theirs, syncPoint })

/**
 * Returns the newest commit of a sync point that `commit` contains, or null. A ref that was reset contains only a part
 * of the integrated commits.
 */
async function partIn(repo: Repository, commit: CommitId, one: EquivalentCommit): Promise<CommitId | null> {
  if (await repo.history.isAncestor(one.commit, commit)) return one.syncPoint.theirs
  return one.commit === one.syncPoint.theirs ? repo.history.mergeBase(one.commit, commit) : null
}

/** Whether a commit that equals a sync point has reverted integrated commits that the sync point does not contain. */
async function reverts(
  repo: Repository,
  { commit, syncPoint }: EquivalentCommit,
  integrated: readonly EquivalentCommit[],
): Promise<boolean> {
  for (const one of integrated) {
    if (one.syncPoint.theirs === syncPoint.theirs) continue
    const part = await partIn(repo, commit, one)
    if (part === null || (await repo.history.isAncestor(part, syncPoint.theirs))) continue
    // An export has the content of everything that main had imported by then, although that is not in its history.
    if (isWhole(syncPoint) && (await repo.history.isAncestor(one.syncPoint.anchor, syncPoint.anchor))) continue
    return true
  }
  return false
}
