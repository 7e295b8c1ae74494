// What main and a head of the remote have in common. Git's merge base is not enough: an export has main's content but not its history. So the sync log
// is asked which of the remote's commits are known, that is, contained in main in any way.
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { equalCommits, type StandIn } from './equal-commits.js'
import { containedInExports, isWithin, withoutSuperseded } from './inferred-ancestors.js'
import { type DroppedExports, droppedExports } from './dropped-exports.js'
import { type Entry, isExport, isKnown, isWhole, type SyncLog } from './log-entries.js'
import { type ReturnedDrop, returnedDrops } from './reintroduced-commits.js'
import { squashedExports } from './squashed-exports.js'

/** How many of the remote's newest unknown commits are compared with known ones. */
const SEARCH = 2_000

/** A merge base: a newest commit that both sides contain. */
interface Base {
  /** The remote's commit. */
  theirs: CommitId
  /** The commit here of the same content. */
  local: CommitId
  /** The known commits that it contains by exports, beyond its own ancestors. */
  held: CommitId[]
  /** Of those, the ones that a merge needs as further parents. */
  beside: CommitId[]
}

/** What a head of the remote and main have in common. It decides whether they are in step, and which base they are merged on. */
export interface CommonGround {
  /** Whether main contains the head, and the head lacks nothing that its ref had when it was last seen. */
  inStep: boolean
  /** The newest commits of the remote that main contains; their ancestors are known too. None contains another. */
  known: CommitId[]
  /** Commits that the head counts as having beside its own ancestors: those that it dropped, and exports that were squashed into it. */
  implied: CommitId[]
  /** Known commits that it contains, beyond all these, by the exports in it. */
  held: CommitId[]
  /** The merge bases, most recently recorded first; empty if the two have nothing in common. */
  bases: Base[]
  /** Pairs that the remote dropped: they must be forgotten when the head is imported. */
  dropped: Entry[]
  /** The head last seen at the ref, if the ref has lost it; otherwise null. */
  droppedHead: CommitId | null
  /** What was dropped from a branch earlier, and is back in the head: no merge base may count as having it. */
  returned: ReturnedDrop[]
  /** New commits of the head that repeat known ones. */
  standIns: StandIn[]
  /** The same without the exports that were recognized by their changes; null if there are none. */
  certain: CommonGround | null
  /** The dropped commits that were written here, and the same ground as if the head had dropped nothing; null if there are none. */
  ownDropped: (DroppedExports & { ground: CommonGround }) | null
}

/** The common ground of two histories that share no commit. */
export const NOTHING_IN_COMMON: CommonGround = {
  inStep: false,
  known: [],
  implied: [],
  held: [],
  bases: [],
  dropped: [],
  droppedHead: null,
  returned: [],
  standIns: [],
  certain: null,
  ownDropped: null,
}

/**
 * The common ground of main and the remote's head `theirs` (mapped to its folder, if only a folder is synced). A commit of the remote is known if
 *
 * - the log has it, for any ref;
 * - main's own history contains it (somebody merged it with plain Git), unless it was dropped since;
 * - it has the same content as a pair of the log.
 *
 * If the ref was set back or rewritten (a forced push), the head counts as a descendant of the last seen head that removed what it lacks of that.
 */
export async function findCommonGround(
  repo: Repository,
  log: SyncLog,
  { main, theirs }: { main: CommitId; theirs: CommitId },
): Promise<CommonGround> {
  const known = [
    ...new Set([...log.pairs.map((pair) => pair.theirs), ...(await mergedByHand(repo, log, main, theirs))]),
  ]
  const news = await newsOf(repo, log, theirs, known)
  const recorded = await recordedIn(repo, log, theirs)
  const squashed = await squashedExports(repo, log, [theirs, ...recorded], news)
  const equal = await equalCommits(repo, log, news, squashed)
  const droppedHead = await outstandingHead(
    repo,
    log,
    theirs,
    new Set([...equal.map(({ pair }) => pair.theirs), ...recorded]),
  )
  const left = await leftOf(repo, log, theirs, known)
  const evidence = { theirs, known, equal, left, droppedHead }
  const ground: CommonGround = {
    ...(await groundOn(repo, log, evidence, squashed)),
    dropped: droppedHead === null ? [] : await droppedPairs(repo, log, theirs, droppedHead),
    droppedHead,
    returned: await returnedDrops(repo, log, theirs),
    standIns: [...squashed, ...equal],
    certain: null,
    ownDropped: null,
  }
  const past = [theirs, ...recorded, ...ground.standIns.map(({ pair }) => pair.theirs)]
  const own = droppedHead === null ? null : await droppedExports(repo, log, droppedHead, past)
  return {
    ...ground,
    certain: squashed.length === 0 ? null : { ...ground, ...(await groundOn(repo, log, evidence, [])) },
    ownDropped: own && {
      ...own,
      ground: { ...ground, ...(await groundOn(repo, log, { ...evidence, droppedHead: null }, squashed)) },
    },
  }
}

/** The facts about a head before inferences about exports. */
interface Evidence {
  theirs: CommitId
  known: readonly CommitId[]
  equal: readonly StandIn[]
  left: readonly Entry[]
  droppedHead: CommitId | null
}

/** The merge bases and inferred ancestors of a head that counts as containing some exports. */
async function groundOn(
  repo: Repository,
  log: SyncLog,
  { theirs, known, equal, left, droppedHead }: Evidence,
  squashed: readonly StandIn[],
): Promise<Pick<CommonGround, 'inStep' | 'known' | 'implied' | 'held' | 'bases'>> {
  const implied = new Set<CommitId>([...equal, ...squashed].map(({ pair }) => pair.theirs))
  for (const rest of left) implied.add(rest.theirs)
  if (droppedHead !== null) implied.add(droppedHead)
  const allKnown = await newest(repo, [
    ...known,
    ...equal.map(({ commit }) => commit),
    ...left.map((rest) => rest.theirs),
    ...(droppedHead === null ? [] : [droppedHead]),
  ])
  const held = await containedInExports(repo, log.pairs, [theirs, ...implied])
  const past = [theirs, ...implied, ...held]
  return {
    inStep: droppedHead === null && (await isWithin(repo, theirs, allKnown)),
    known: allKnown,
    implied: await newest(repo, [...implied]),
    held: await newest(repo, held),
    // An export also contains what is left of a head that main had by then. Side by side, the two would be joined into a base with what main had deleted.
    bases: await basesOf(repo, { ...log, pairs: [...log.pairs, ...left] }, allKnown, past, equal),
  }
}

/** The exports that the log records as repeated by commits in the history of `theirs`. */
async function recordedIn(repo: Repository, log: SyncLog, theirs: CommitId): Promise<CommitId[]> {
  const found: CommitId[] = []
  for (const entry of log.inferred) if (await repo.isAncestor(entry.local, theirs)) found.push(entry.theirs)
  return found
}

/** The head's newest unknown commits. */
async function newsOf(
  repo: Repository,
  log: SyncLog,
  theirs: CommitId,
  known: readonly CommitId[],
): Promise<CommitInfo[]> {
  if (log.pairs.length === 0 || (await isWithin(repo, theirs, known))) return []
  // A dropped commit that is back is news, even if an export to another branch has the same content.
  const dropped = log.counting.flatMap((entry) => (entry.kind === 'dropped' ? [entry.theirs] : []))
  return repo.history({ from: theirs, not: [...new Set([...known, ...dropped])], limit: SEARCH })
}

/** For heads that `theirs` contains and of which another ref dropped a part: pairs of the commits that stand for their known rest. */
async function leftOf(repo: Repository, log: SyncLog, theirs: CommitId, known: readonly CommitId[]): Promise<Entry[]> {
  const left: Entry[] = []
  for (const entry of log.left)
    if ((await repo.isAncestor(entry.theirs, theirs)) && !(await isWithin(repo, entry.theirs, known)))
      left.push({ ...entry, theirs: entry.local })
  return left
}

/** The commits that none of the others contains. */
async function newest(repo: Repository, commits: readonly CommitId[]): Promise<CommitId[]> {
  const kept: CommitId[] = []
  const distinct = [...new Set(commits)]
  for (const commit of distinct) {
    const others = distinct.filter((other) => other !== commit)
    if (!(await isWithin(repo, commit, others))) kept.push(commit)
  }
  return kept
}

/** What main's own history contains of the remote (somebody may have merged it with plain Git), unless main dropped it afterwards. */
async function mergedByHand(repo: Repository, log: SyncLog, main: CommitId, theirs: CommitId): Promise<CommitId[]> {
  const common = await repo.mergeBase(main, theirs)
  if (common === null) return []
  for (const drop of log.counting.filter(({ kind }) => kind === 'dropped')) {
    if ((await repo.isAncestor(common, drop.theirs)) && (await repo.isAncestor(common, drop.anchor))) return []
  }
  return [common]
}

/** The head last seen at the ref, as main has it, if the ref has lost it; null if it is still there. */
async function outstandingHead(
  repo: Repository,
  log: SyncLog,
  theirs: CommitId,
  implied: ReadonlySet<CommitId>,
): Promise<CommitId | null> {
  if (log.lastLeft !== null)
    return (await isOutstanding(repo, log, log.lastLeft, theirs, implied)) ? log.lastLeft.local : null
  return log.last !== null && (await isOutstanding(repo, log, log.last, theirs, implied)) ? log.last.theirs : null
}

/** Whether a head that was seen at the ref, and its content, are gone from it. */
async function isOutstanding(
  repo: Repository,
  log: SyncLog,
  last: Entry,
  theirs: CommitId,
  implied: ReadonlySet<CommitId>,
): Promise<boolean> {
  if (implied.has(last.theirs) || (await repo.isAncestor(last.theirs, theirs))) return false
  if ((await repo.commit(last.local)).tree === (await repo.commit(theirs)).tree) return false
  // An export made after the last head has the whole content of main. If the head contains it, it dropped nothing.
  for (const pair of log.pairs) {
    const later =
      isWhole(pair) && pair !== last && (await repo.isAncestor(last.anchor, pair.anchor)) && pair.anchor !== last.anchor
    if (later && (await repo.isAncestor(pair.theirs, theirs))) return false
  }
  return true
}

/** Pairs of any ref that contain something of what the ref dropped. */
async function droppedPairs(repo: Repository, log: SyncLog, theirs: CommitId, head: CommitId): Promise<Entry[]> {
  const dropped: Entry[] = log.left.filter(({ local }) => local === head)
  for (const pair of log.pairs) {
    if (await repo.isAncestor(pair.theirs, theirs)) continue
    const shared = await repo.mergeBase(pair.theirs, head)
    if (shared !== null && !(await repo.isAncestor(shared, theirs))) dropped.push(pair)
  }
  return dropped
}

/** The newest commits that are ancestors of both one of `known` and one of `past`. */
export async function commonCommits(
  repo: Repository,
  known: readonly CommitId[],
  past: readonly CommitId[],
): Promise<CommitId[]> {
  const common: CommitId[] = []
  for (const one of known)
    for (const other of past) {
      const base = await repo.mergeBase(one, other)
      if (base !== null) common.push(base)
    }
  return newest(repo, common)
}

async function basesOf(
  repo: Repository,
  log: SyncLog,
  known: readonly CommitId[],
  past: readonly CommitId[],
  equal: readonly StandIn[],
): Promise<Base[]> {
  const countsAs = (commit: CommitId): CommitId => equal.find((one) => one.commit === commit)?.pair.theirs ?? commit
  const local = (commit: CommitId): CommitId =>
    log.pairs.findLast((pair) => pair.theirs === countsAs(commit))?.local ?? commit
  const age = (commit: CommitId): number =>
    log.counting.findLastIndex((entry) => (entry.kind === 'left' ? entry.local : entry.theirs) === countsAs(commit))
  const common = (await commonCommits(repo, known, past)).sort((a, b) => age(b) - age(a))
  const bases: Omit<Base, 'beside'>[] = []
  for (const theirs of common) {
    if (await isHeld(repo, theirs, bases)) continue
    bases.push({ theirs, local: local(theirs), held: await containedInExports(repo, log.pairs, [theirs]) })
  }
  return withoutSuperseded(repo, log.pairs, bases)
}

const isHeld = (repo: Repository, commit: CommitId, bases: readonly Pick<Base, 'held'>[]): Promise<boolean> =>
  isWithin(
    repo,
    commit,
    bases.flatMap(({ held }) => held),
  )

/** The log entries for a head that is imported with the commit `anchor`: for the head, for what the remote dropped, and for what was inferred. */
export function entriesOf(ground: CommonGround, taken: Omit<Entry, 'kind'>, log: SyncLog): Entry[] {
  const { last } = log
  const { anchor, ref } = taken
  const same =
    last !== null &&
    isKnown(last) &&
    last.remote === taken.remote &&
    last.theirs === taken.theirs &&
    ground.dropped.length === 0
  if (same) return []
  const dropped = ground.dropped.map((pair): Entry => ({ ...pair, kind: 'dropped', anchor }))
  const exports = ground.standIns.filter(({ pair }) => isExport(pair))
  const inferred = exports.map(
    ({ commit, pair: { remote, theirs } }): Entry => ({ kind: 'inferred', remote, theirs, local: commit, anchor, ref }),
  )
  return [...dropped, ...inferred, { ...taken, kind: 'known' }]
}
