import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Entry } from './log-entries.js'
import type { SyncLog } from './sync-log.js'

/**
 * The newest of the remote's unknown commits with the content of a pair: a squash of what was exported, say. Not where
 * the commit builds on something newer than the pair: it then took that back, and is news.
 * @param news unknown commits, newest first
 */
export async function equalTrees(repo: Repository, log: SyncLog, news: readonly CommitInfo[]): Promise<{ commit: CommitId; pair: Entry }[]> {
  if (news.length === 0 || log.pairs.length === 0) return []
  const byTree = new Map<string, Entry>()
  for (const pair of log.pairs) byTree.set((await repo.commit(pair.local)).tree, pair)
  const found: { commit: CommitId; pair: Entry }[] = []
  for (const { id, tree } of news) {
    const pair = byTree.get(tree)
    if (pair === undefined || (await takesBack(repo, log, id, pair))) continue
    const inside = await Promise.all(found.map((newer) => repo.isAncestor(id, newer.commit)))
    if (!inside.includes(true)) found.push({ commit: id, pair })
  }
  return found
}

async function takesBack(repo: Repository, log: SyncLog, commit: CommitId, pair: Entry): Promise<boolean> {
  for (const other of log.pairs) {
    if (other.anchor === pair.anchor || !(await repo.isAncestor(pair.anchor, other.anchor))) continue
    if (await repo.isAncestor(other.theirs, commit)) return true
  }
  return false
}
