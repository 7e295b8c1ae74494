// Recognizes commits of a remote that repeat the content or the changes of known ones.
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type Entry, isWhole, type SyncLog } from './log-entries.js'

/** An unknown commit of the remote that counts as a pair of the log, because it has the same content or made the same change. */
export interface StandIn {
  commit: CommitId
  pair: Entry
}

/**
 * The remote's unknown commits with the same tree as a pair, for example a squash of what was exported. Not a commit that also contains known
 * commits newer than that pair: it reverted those, and that is a change to import.
 * @param news unknown commits, newest first
 * @param squashed exports whose change was made again by one of these
 */
export async function equalCommits(
  repo: Repository,
  log: SyncLog,
  news: readonly CommitInfo[],
  squashed: readonly StandIn[],
): Promise<StandIn[]> {
  if (news.length === 0 || log.pairs.length === 0) return []
  const byTree = new Map<string, Entry>()
  for (const pair of log.pairs) byTree.set((await repo.commit(pair.local)).tree, pair)
  const found: StandIn[] = []
  for (const { id, tree } of [...news].reverse()) {
    const pair = byTree.get(tree)
    if (
      pair !== undefined &&
      !(await reverts(repo, { commit: id, pair }, [...log.pairs.map(itself), ...squashed, ...found]))
    )
      found.push({ commit: id, pair })
  }
  return found
}

const itself = (pair: Entry): StandIn => ({ commit: pair.theirs, pair })

/** The newest commit of a pair that `commit` contains; null if none. A ref that was set back contains only a part of what is known. */
async function partIn(repo: Repository, commit: CommitId, one: StandIn): Promise<CommitId | null> {
  if (await repo.isAncestor(one.commit, commit)) return one.pair.theirs
  return one.commit === one.pair.theirs ? repo.mergeBase(one.commit, commit) : null
}

/** Whether a commit that equals a pair has undone something known that the pair does not contain. */
async function reverts(repo: Repository, { commit, pair }: StandIn, held: readonly StandIn[]): Promise<boolean> {
  for (const one of held) {
    if (one.pair.theirs === pair.theirs) continue
    const part = await partIn(repo, commit, one)
    if (part === null || (await repo.isAncestor(part, pair.theirs))) continue
    // An export has the content of all that main had imported by then, although it is not its ancestor.
    if (isWhole(pair) && (await repo.isAncestor(one.pair.anchor, pair.anchor))) continue
    return true
  }
  return false
}
