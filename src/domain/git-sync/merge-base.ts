// Finds the merge base of main and a remote head. Git's own merge base is not enough, because an export has main's
// content but not its history. The sync log states which remote commits are integrated, by history or by content.
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { equalCommits, type EquivalentCommit } from './equal-commits.js'
import { containedInExports, isWithin, withoutSuperseded } from './inferred-ancestors.js'
import { type DroppedExports, droppedExports } from './dropped-exports.js'
import { type Entry, isExport, isKnown, isWhole, type SyncLog } from './log-entries.js'
import { type ReintroducedPart, reintroducedParts } from './reintroduced-commits.js'
import { squashedExports } from './squashed-exports.js'

/** Maximum number of the remote's newest new commits that are compared with integrated commits. */
const MAX_NEW_COMMITS = 2_000

/** A merge base: a newest commit that both sides contain. */
interface Base {
  /** The remote commit. */
  theirs: CommitId
  /** The local commit with the same content. */
  local: CommitId
  /** The integrated commits that it contains through exports, beyond its own ancestors. */
  viaExports: CommitId[]
  /** The commits in `viaExports` that a merge needs as additional parents. */
  extraParents: CommitId[]
}

/**
 * The common part of a remote head and main. It decides whether they are up to date, and on which base they are merged.
 */
export interface MergeBaseResult {
  /** Whether main contains the head, and the head has everything that its ref had when it was last seen. */
  upToDate: boolean
  /** The newest remote commits that main contains. Their ancestors are integrated too. None contains another. */
  integrated: CommitId[]
  /** The inferred ancestors of the head: the commits that it dropped, and exports that were squashed into it. */
  inferredAncestors: CommitId[]
  /** Integrated commits that the head contains through exports, beyond all these. */
  viaExports: CommitId[]
  /** The merge bases, most recently recorded first; empty if the two have nothing in common. */
  bases: Base[]
  /** Sync points that the remote dropped. They must be forgotten when the head is imported. */
  dropped: Entry[]
  /** The head last seen at the ref, if the ref has lost it; otherwise null. */
  droppedHead: CommitId | null
  /** Commits that a branch dropped earlier and that the head reintroduces. They must not be in a merge base. */
  reintroduced: ReintroducedPart[]
  /** New commits of the head that repeat integrated ones. */
  equivalents: EquivalentCommit[]
  /** The same result without the exports that were recognized by their changes; null if there are none. */
  certain: MergeBaseResult | null
  /**
   * The dropped commits that were written here, and the same result as if the head had dropped nothing; null if there
   * are none.
   */
  ownDropped: (DroppedExports & { mergeBase: MergeBaseResult }) | null
}

/** The result for two histories that share no commit. */
export const NO_MERGE_BASE: MergeBaseResult = {
  upToDate: false,
  integrated: [],
  inferredAncestors: [],
  viaExports: [],
  bases: [],
  dropped: [],
  droppedHead: null,
  reintroduced: [],
  equivalents: [],
  certain: null,
  ownDropped: null,
}

/**
 * Finds the merge base of main and the remote head `theirs` (mapped to its folder, if only a folder is synced). A
 * remote commit is integrated if
 *
 * - the log has it, for any ref
 * - main's own history contains it (a Git user merged it), unless it was dropped later
 * - it has the same content as a sync point
 *
 * If the ref was reset or rewritten by a force push, the head counts as a descendant of the last seen head that removed
 * the missing part.
 */
export async function findMergeBase(
  repo: Repository,
  log: SyncLog,
  { main, theirs }: { main: CommitId; theirs: CommitId },
): Promise<MergeBaseResult> {
  const known = [
    ...new Set([
      ...log.syncPoints.map((syncPoint) => syncPoint.theirs),
      ...(await mergedByGitUsers(repo, log, main, theirs)),
    ]),
  ]
  const news = await newCommits(repo, log, theirs, known)
  const recorded = await recordedIn(repo, log, theirs)
  const squashed = await squashedExports(repo, log, [theirs, ...recorded], news)
  const equal = await equalCommits(repo, log, news, squashed)
  const droppedHead = await outstandingHead(
    repo,
    log,
    theirs,
    new Set([...equal.map(({ syncPoint }) => syncPoint.theirs), ...recorded]),
  )
  const left = await remaindersIn(repo, log, theirs, known)
  const evidence = { theirs, known, equal, left, droppedHead }
  const mergeBase: MergeBaseResult = {
    ...(await mergeBaseFor(repo, log, evidence, squashed)),
    dropped: droppedHead === null ? [] : await droppedPairs(repo, log, theirs, droppedHead),
    droppedHead,
    reintroduced: await reintroducedParts(repo, log, theirs),
    equivalents: [...squashed, ...equal],
    certain: null,
    ownDropped: null,
  }
  const past = [theirs, ...recorded, ...mergeBase.equivalents.map(({ syncPoint }) => syncPoint.theirs)]
  const own = droppedHead === null ? null : await droppedExports(repo, log, { main, droppedHead }, past)
  return {
    ...mergeBase,
    certain: squashed.length === 0 ? null : { ...mergeBase, ...(await mergeBaseFor(repo, log, evidence, [])) },
    ownDropped: own && {
      ...own,
      mergeBase: { ...mergeBase, ...(await mergeBaseFor(repo, log, { ...evidence, droppedHead: null }, squashed)) },
    },
  }
}

/** The facts about a head before inferences about exports. */
interface Evidence {
  theirs: CommitId
  known: readonly CommitId[]
  equal: readonly EquivalentCommit[]
  left: readonly Entry[]
  droppedHead: CommitId | null
}

/** Finds the merge bases and inferred ancestors of a head that counts as containing some exports. */
async function mergeBaseFor(
  repo: Repository,
  log: SyncLog,
  { theirs, known, equal, left, droppedHead }: Evidence,
  squashed: readonly EquivalentCommit[],
): Promise<Pick<MergeBaseResult, 'upToDate' | 'integrated' | 'inferredAncestors' | 'viaExports' | 'bases'>> {
  const inferredAncestors = new Set<CommitId>([...equal, ...squashed].map(({ syncPoint }) => syncPoint.theirs))
  for (const rest of left) inferredAncestors.add(rest.theirs)
  if (droppedHead !== null) inferredAncestors.add(droppedHead)
  const allKnown = await newest(repo, [
    ...known,
    ...equal.map(({ commit }) => commit),
    ...left.map((rest) => rest.theirs),
    ...(droppedHead === null ? [] : [droppedHead]),
  ])
  const viaExports = await containedInExports(repo, log.syncPoints, [theirs, ...inferredAncestors])
  const past = [theirs, ...inferredAncestors, ...viaExports]
  return {
    upToDate: droppedHead === null && (await isWithin(repo, theirs, allKnown)),
    integrated: allKnown,
    inferredAncestors: await newest(repo, [...inferredAncestors]),
    viaExports: await newest(repo, viaExports),
    // An export also contains the remainder of a head that main had by then. As separate bases, the two would be merged
    // into a base with content that main had deleted.
    bases: await basesOf(repo, { ...log, syncPoints: [...log.syncPoints, ...left] }, allKnown, past, equal),
  }
}

/** Returns the exports that the log records as repeated by commits in the history of `theirs`. */
async function recordedIn(repo: Repository, log: SyncLog, theirs: CommitId): Promise<CommitId[]> {
  const found: CommitId[] = []
  for (const entry of log.inferred) if (await repo.history.isAncestor(entry.local, theirs)) found.push(entry.theirs)
  return found
}

/** Returns the head's newest commits that are not integrated. */
async function newCommits(
  repo: Repository,
  log: SyncLog,
  theirs: CommitId,
  known: readonly CommitId[],
): Promise<CommitInfo[]> {
  if (log.syncPoints.length === 0 || (await isWithin(repo, theirs, known))) return []
  // A reintroduced commit is new, even if an export to another branch has the same content.
  const dropped = log.counting.flatMap((entry) => (entry.kind === 'dropped' ? [entry.theirs] : []))
  return repo.history.log({ from: theirs, not: [...new Set([...known, ...dropped])], limit: MAX_NEW_COMMITS })
}

/**
 * For heads that `theirs` contains and from which another ref dropped a part, returns sync points for their remainders.
 */
async function remaindersIn(
  repo: Repository,
  log: SyncLog,
  theirs: CommitId,
  known: readonly CommitId[],
): Promise<Entry[]> {
  const left: Entry[] = []
  for (const entry of log.left)
    if ((await repo.history.isAncestor(entry.theirs, theirs)) && !(await isWithin(repo, entry.theirs, known)))
      left.push({ ...entry, theirs: entry.local })
  return left
}

/** Returns the commits that no other one contains. */
async function newest(repo: Repository, commits: readonly CommitId[]): Promise<CommitId[]> {
  const kept: CommitId[] = []
  const distinct = [...new Set(commits)]
  for (const commit of distinct) {
    const others = distinct.filter((other) => other !== commit)
    if (!(await isWithin(repo, commit, others))) kept.push(commit)
  }
  return kept
}

/**
 * Returns the remote commits that main's own history contains because a Git user merged them, unless main dropped them
 * later.
 */
async function mergedByGitUsers(repo: Repository, log: SyncLog, main: CommitId, theirs: CommitId): Promise<CommitId[]> {
  const common = await repo.history.mergeBase(main, theirs)
  if (common === null) return []
  for (const drop of log.counting.filter(({ kind }) => kind === 'dropped')) {
    if ((await repo.history.isAncestor(common, drop.theirs)) && (await repo.history.isAncestor(common, drop.anchor)))
      return []
  }
  return [common]
}

/** Returns the head last seen at the ref, as main has it, if the ref has lost it; null if it is still there. */
async function outstandingHead(
  repo: Repository,
  log: SyncLog,
  theirs: CommitId,
  inferredAncestors: ReadonlySet<CommitId>,
): Promise<CommitId | null> {
  if (log.lastLeft !== null)
    return (await isOutstanding(repo, log, log.lastLeft, theirs, inferredAncestors)) ? log.lastLeft.local : null
  return log.last !== null && (await isOutstanding(repo, log, log.last, theirs, inferredAncestors))
    ? log.last.theirs
    : null
}

/** Whether a head that was seen at the ref, and its content, are gone from it. */
async function isOutstanding(
  repo: Repository,
  log: SyncLog,
  last: Entry,
  theirs: CommitId,
  inferredAncestors: ReadonlySet<CommitId>,
): Promise<boolean> {
  if (inferredAncestors.has(last.theirs) || (await repo.history.isAncestor(last.theirs, theirs))) return false
  if ((await repo.objects.commit(last.local)).tree === (await repo.objects.commit(theirs)).tree) return false
  // An export made after the last head has the whole content of main. A head that contains the export dropped nothing.
  for (const syncPoint of log.syncPoints) {
    const later =
      isWhole(syncPoint) &&
      syncPoint !== last &&
      (await repo.history.isAncestor(last.anchor, syncPoint.anchor)) &&
      syncPoint.anchor !== last.anchor
    if (later && (await repo.history.isAncestor(syncPoint.theirs, theirs))) return false
  }
  return true
}

/** Returns the sync points of any ref that contain a part of what the ref dropped. */
async function droppedPairs(repo: Repository, log: SyncLog, theirs: CommitId, head: CommitId): Promise<Entry[]> {
  const dropped: Entry[] = log.left.filter(({ local }) => local === head)
  for (const syncPoint of log.syncPoints) {
    if (await repo.history.isAncestor(syncPoint.theirs, theirs)) continue
    const shared = await repo.history.mergeBase(syncPoint.theirs, head)
    if (shared !== null && !(await repo.history.isAncestor(shared, theirs))) dropped.push(syncPoint)
  }
  return dropped
}

/** Returns the newest commits that are ancestors of a commit in `known` and of one in `past`. */
export async function commonCommits(
  repo: Repository,
  known: readonly CommitId[],
  past: readonly CommitId[],
): Promise<CommitId[]> {
  const common: CommitId[] = []
  for (const one of known)
    for (const other of past) {
      const base = await repo.history.mergeBase(one, other)
      if (base !== null) common.push(base)
    }
  return newest(repo, common)
}

async function basesOf(
  repo: Repository,
  log: SyncLog,
  known: readonly CommitId[],
  past: readonly CommitId[],
  equal: readonly EquivalentCommit[],
): Promise<Base[]> {
  const countsAs = (commit: CommitId): CommitId =>
    equal.find((one) => one.commit === commit)?.syncPoint.theirs ?? commit
  const local = (commit: CommitId): CommitId =>
    log.syncPoints.findLast((syncPoint) => syncPoint.theirs === countsAs(commit))?.local ?? commit
  const age = (commit: CommitId): number =>
    log.counting.findLastIndex((entry) => (entry.kind === 'left' ? entry.local : entry.theirs) === countsAs(commit))
  const common = (await commonCommits(repo, known, past)).sort((a, b) => age(b) - age(a))
  const bases: Omit<Base, 'extraParents'>[] = []
  for (const theirs of common) {
    if (await isContainedIn(repo, theirs, bases)) continue
    bases.push({ theirs, local: local(theirs), viaExports: await containedInExports(repo, log.syncPoints, [theirs]) })
  }
  return withoutSuperseded(repo, log.syncPoints, bases)
}

const isContainedIn = (
  repo: Repository,
  commit: CommitId,
  bases: readonly Pick<Base, 'viaExports'>[],
): Promise<boolean> =>
  isWithin(
    repo,
    commit,
    bases.flatMap(({ viaExports }) => viaExports),
  )

/**
 * Returns the log entries for a head that is imported with the commit `anchor`: for the head, the dropped commits and
 * the inferences.
 */
export function entriesOf(mergeBase: MergeBaseResult, taken: Omit<Entry, 'kind'>, log: SyncLog): Entry[] {
  const { last } = log
  const { anchor, ref } = taken
  const same =
    last !== null &&
    isKnown(last) &&
    last.remote === taken.remote &&
    last.theirs === taken.theirs &&
    mergeBase.dropped.length === 0
  if (same) return []
  const dropped = mergeBase.dropped.map((syncPoint): Entry => ({ ...syncPoint, kind: 'dropped', anchor }))
  const exports = mergeBase.equivalents.filter(({ syncPoint }) => isExport(syncPoint))
  const inferred = exports.map(
    ({ commit, syncPoint: { remote, theirs } }): Entry => ({
      kind: 'inferred',
      remote,
      theirs,
      local: commit,
      anchor,
      ref,
    }),
  )
  return [...dropped, ...inferred, { ...taken, kind: 'known' }]
}
