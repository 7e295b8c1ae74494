import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type Entry, isWhole } from './log-entries.js'

/**
 * What commits of the remote hold beyond their own ancestors: an export is main as a whole, with all that main had taken up by then, though its
 * one parent tells of the branch alone that it went to. Git knows a merge of two branches by its parents; an export is one that has them in the log.
 */
export async function heldByExports(repo: Repository, pairs: readonly Entry[], commits: readonly CommitId[]): Promise<CommitId[]> {
  const exported: Entry[] = []
  for (const pair of pairs) if (isWhole(pair) && (await isWithin(repo, pair.theirs, commits))) exported.push(pair)
  const anchors = exported.map((pair) => pair.anchor)
  const held = new Set<CommitId>()
  for (const { theirs, anchor } of pairs) if ((await isWithin(repo, anchor, anchors)) && !(await isWithin(repo, theirs, commits))) held.add(theirs)
  return [...held]
}

/**
 * Of several bases' holdings what a merge of these bases needs to know: not what an export holds that all of them have. Git, which does not
 * know that, would take both for newest common commits, and the older one for news where they are joined.
 */
export async function withoutSuperseded<Base extends { theirs: CommitId; held: CommitId[] }>(
  repo: Repository,
  pairs: readonly Entry[],
  bases: readonly Base[],
): Promise<(Base & { beside: CommitId[] })[]> {
  const shared: Entry[] = []
  for (const pair of bases.length > 1 ? pairs.filter(isWhole) : []) {
    const having = await Promise.all(bases.map(({ theirs, held }) => isWithin(repo, pair.theirs, [theirs, ...held])))
    if (!having.includes(false)) shared.push(pair)
  }
  const isSuperseded = async (commit: CommitId): Promise<boolean> => {
    for (const pair of pairs)
      for (const newer of pair.theirs === commit ? shared : [])
        if (newer.theirs !== commit && newer.anchor !== pair.anchor && (await repo.isAncestor(pair.anchor, newer.anchor))) return true
    return false
  }
  return Promise.all(
    bases.map(async (base) => {
      const beside: CommitId[] = []
      for (const commit of base.held) if (!(await isSuperseded(commit))) beside.push(commit)
      return { ...base, beside }
    }),
  )
}

/** Whether a commit is one of `others`, or an ancestor of one. */
export async function isWithin(repo: Repository, commit: CommitId, others: readonly CommitId[]): Promise<boolean> {
  for (const other of others) if (await repo.isAncestor(commit, other)) return true
  return false
}
