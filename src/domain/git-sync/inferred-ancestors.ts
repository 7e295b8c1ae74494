// Finds the commits that a remote head contains through exports, although its own history does not contain them.
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type Entry, isWhole } from './log-entries.js'

/**
 * Returns the integrated commits that the given remote commits contain through exports, beyond their own ancestors. An
 * export has the whole content of main, with everything that main had imported by then from any branch. Its only parent
 * is the head of the branch that it was pushed to. The log has the other commits.
 */
export async function containedInExports(
  repo: Repository,
  syncPoints: readonly Entry[],
  commits: readonly CommitId[],
): Promise<CommitId[]> {
  const exported: Entry[] = []
  for (const syncPoint of syncPoints)
    if (isWhole(syncPoint) && (await isWithin(repo, syncPoint.theirs, commits))) exported.push(syncPoint)
  const anchors = exported.map((syncPoint) => syncPoint.anchor)
  const viaExports = new Set<CommitId>()
  for (const { theirs, anchor } of syncPoints)
    if ((await isWithin(repo, anchor, anchors)) && !(await isWithin(repo, theirs, commits))) viaExports.add(theirs)
  return [...viaExports]
}

/**
 * For several merge bases, returns the commits in `viaExports` that a merge needs as additional parents
 * (`extraParents`). Skips commits in a newer export that all bases have. Git does not know that the export contains
 * them, and would use both as merge bases for the virtual merge base.
 */
export async function withoutSuperseded<Base extends { theirs: CommitId; viaExports: CommitId[] }>(
  repo: Repository,
  syncPoints: readonly Entry[],
  bases: readonly Base[],
): Promise<(Base & { extraParents: CommitId[] })[]> {
  const shared: Entry[] = []
  for (const syncPoint of bases.length > 1 ? syncPoints.filter(isWhole) : []) {
    const having = await Promise.all(
      bases.map(({ theirs, viaExports }) => isWithin(repo, syncPoint.theirs, [theirs, ...viaExports])),
    )
    if (!having.includes(false)) shared.push(syncPoint)
  }
  const isSuperseded = async (commit: CommitId): Promise<boolean> => {
    for (const syncPoint of syncPoints)
      for (const newer of syncPoint.theirs === commit ? shared : [])
        if (
          newer.theirs !== commit &&
          newer.anchor !== syncPoint.anchor &&
          (await repo.history.isAncestor(syncPoint.anchor, newer.anchor))
        )
          return true
    return false
  }
  return Promise.all(
    bases.map(async (base) => {
      const extraParents: CommitId[] = []
      for (const commit of base.viaExports) if (!(await isSuperseded(commit))) extraParents.push(commit)
      return { ...base, extraParents }
    }),
  )
}

/** Whether a commit is one of `others` or an ancestor of one. */
export async function isWithin(repo: Repository, commit: CommitId, others: readonly CommitId[]): Promise<boolean> {
  for (const other of others) if (await repo.history.isAncestor(commit, other)) return true
  return false
}
