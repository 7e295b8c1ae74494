import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type Entry, isWhole, type SyncLog } from './log-entries.js'

/** A commit of the remote that stands for a pair: it has the same content, or made the same change. */
export interface StandIn {
  commit: CommitId
  pair: Entry
}

/**
 * The remote's unknown commits with the content of a pair: a squash of what was exported, say. Not where the commit holds
 * something known beyond that pair: it then took that back, and is news.
 * @param news unknown commits, newest first
 * @param reapplied exports whose change was made again by one of these
 */
export async function equalTrees(repo: Repository, log: SyncLog, news: readonly CommitInfo[], reapplied: readonly StandIn[]): Promise<StandIn[]> {
  if (news.length === 0 || log.pairs.length === 0) return []
  const byTree = new Map<string, Entry>()
  for (const pair of log.pairs) byTree.set((await repo.commit(pair.local)).tree, pair)
  const found: StandIn[] = []
  for (const { id, tree } of [...news].reverse()) {
    const pair = byTree.get(tree)
    if (pair !== undefined && !(await takesBack(repo, { commit: id, pair }, [...log.pairs.map(itself), ...reapplied, ...found])))
      found.push({ commit: id, pair })
  }
  return found
}

const itself = (pair: Entry): StandIn => ({ commit: pair.theirs, pair })

/** What a commit holds of a pair: known is a pair with all that it contains, so a ref that was set back may hold a part of it. */
async function partIn(repo: Repository, commit: CommitId, one: StandIn): Promise<CommitId | null> {
  if (await repo.isAncestor(one.commit, commit)) return one.pair.theirs
  return one.commit === one.pair.theirs ? repo.mergeBase(one.commit, commit) : null
}

async function takesBack(repo: Repository, { commit, pair }: StandIn, held: readonly StandIn[]): Promise<boolean> {
  for (const one of held) {
    if (one.pair.theirs === pair.theirs) continue
    const part = await partIn(repo, commit, one)
    if (part === null || (await repo.isAncestor(part, pair.theirs))) continue
    // Main, exported as a whole, had what it had taken up by then.
    if (isWhole(pair) && (await repo.isAncestor(one.pair.anchor, pair.anchor))) continue
    return true
  }
  return false
}
