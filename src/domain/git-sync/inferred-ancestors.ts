// Finds out what a remote has by an export, although its own history does not say so.
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type Entry, isWhole } from './log-entries.js'

/**
 * The known commits that these commits of the remote contain by exports, beyond their own ancestors. An export has the whole content of main, with
 * all that main had imported by then, from any branch. But its only parent is the head of the branch that it was pushed to; the log has the others.
 */
export async function containedInExports(
  repo: Repository,
  pairs: readonly Entry[],
  commits: readonly CommitId[],
): Promise<CommitId[]> {
  const exported: Entry[] = []
  for (const pair of pairs) if (isWhole(pair) && (await isWithin(repo, pair.theirs, commits))) exported.push(pair)
  const anchors = exported.map((pair) => pair.anchor)
  const held = new Set<CommitId>()
  for (const { theirs, anchor } of pairs)
    if ((await isWithin(repo, anchor, anchors)) && !(await isWithin(repo, theirs, commits))) held.add(theirs)
  return [...held]
}

/**
 * For several merge bases, the commits in `held` that a merge needs as further parents (`beside`). Not those that a newer export contains which all
 * bases have: Git does not know that the export contains them, and would take both for merge bases when it joins the bases.
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
        if (
          newer.theirs !== commit &&
          newer.anchor !== pair.anchor &&
          (await repo.isAncestor(pair.anchor, newer.anchor))
        )
          return true
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

/** Whether a commit is one of `others` or an ancestor of one. */
export async function isWithin(repo: Repository, commit: CommitId, others: readonly CommitId[]): Promise<boolean> {
  for (const other of others) if (await repo.isAncestor(commit, other)) return true
  return false
}
