import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { equalTrees, type StandIn } from './equal-trees.js'
import { heldByExports, isWithin, withoutSuperseded } from './held-by-exports.js'
import { isKnown } from './log-pruning.js'
import { type Entry, isWhole } from './log-entries.js'
import { reappliedExports } from './reapplied-exports.js'
import type { SyncLog } from './sync-log.js'

/** How many of the remote's newest unknown commits are compared. */
const SEARCH = 2_000

/** A newest commit that both sides have. */
export interface Base {
  /** As the remote has it. */
  theirs: CommitId
  /** The commit here of the same content. */
  local: CommitId
  /** What it has beside its own ancestors. */
  held: CommitId[]
  /** Of that, what a merge needs to know. */
  beside: CommitId[]
}

/** What a head of the remote and main have in common: from this alone follows whether they are in step, and what a merge starts from. */
export interface CommonGround {
  /** Main knows the head with all that it contains, and nothing was dropped from its ref since. */
  inStep: boolean
  /** The remote's commits that main knows, with all that they contain; none contains another. */
  known: CommitId[]
  /** What the head has beside its own ancestors: what it dropped, and exports that were squashed into it. */
  implied: CommitId[]
  /** What it has beyond that by the exports in it. */
  held: CommitId[]
  /** The newest common commits, most recently recorded first; empty = nothing in common. */
  bases: Base[]
  /** Pairs that must be forgotten when the head is taken up: the remote dropped them. */
  dropped: Entry[]
  /** What was last seen at the ref and is there no more. */
  droppedHead: CommitId | null
}

/**
 * The common ground of main and the remote's head `theirs` (as it is here). Known is what counts in the log, whatever
 * ref it was recorded for; a commit of the remote that main contains without a word in the log (a Git user merged it),
 * unless it was dropped since; and a commit with the content of a pair. Where the ref was set back or rewritten, the head
 * counts as having the one last seen and dropped what it lacks of it.
 */
export async function findCommonGround(repo: Repository, log: SyncLog, { main, theirs }: { main: CommitId; theirs: CommitId }): Promise<CommonGround> {
  const known = [...new Set([...log.pairs.map((pair) => pair.theirs), ...(await mergedByHand(repo, log, main, theirs))])]
  const news = await newsOf(repo, log, theirs, known)
  const reapplied = await reappliedExports(repo, log, theirs, news)
  const equal = await equalTrees(repo, log, news, reapplied)
  const implied = new Set<CommitId>(equal.map(({ pair }) => pair.theirs))
  const droppedHead = await outstandingHead(repo, log, theirs, implied)
  for (const { pair } of reapplied) implied.add(pair.theirs)
  const left = await leftOf(repo, log, theirs, known)
  for (const commit of left) implied.add(commit)
  if (droppedHead !== null) implied.add(droppedHead)
  const allKnown = await newest(repo, [...known, ...equal.map(({ commit }) => commit), ...left, ...(droppedHead === null ? [] : [droppedHead])])
  const held = await heldByExports(repo, log.pairs, [theirs, ...implied])
  const past = [theirs, ...implied, ...held]
  return {
    inStep: droppedHead === null && (await isWithin(repo, theirs, allKnown)),
    known: allKnown,
    implied: await newest(repo, [...implied]),
    held: await newest(repo, held),
    bases: await basesOf(repo, log, allKnown, past, equal),
    dropped: droppedHead === null ? [] : await droppedPairs(repo, log, theirs, droppedHead),
    droppedHead,
  }
}

/** The newest commits of the head that are not known, to be compared with what was exported and imported. */
async function newsOf(repo: Repository, log: SyncLog, theirs: CommitId, known: readonly CommitId[]): Promise<CommitInfo[]> {
  if (log.pairs.length === 0 || (await isWithin(repo, theirs, known))) return []
  // What was dropped and is there again is news itself, also where an export to another branch is just the same.
  const dropped = log.counting.flatMap((entry) => (entry.kind === 'dropped' ? [entry.theirs] : []))
  return repo.history({ from: theirs, not: [...new Set([...known, ...dropped])], limit: SEARCH })
}

/** What is left of heads that `theirs` contains and that are not known as a whole: of these, another ref dropped a part. */
async function leftOf(repo: Repository, log: SyncLog, theirs: CommitId, known: readonly CommitId[]): Promise<CommitId[]> {
  const left: CommitId[] = []
  for (const entry of log.left) if ((await repo.isAncestor(entry.theirs, theirs)) && !(await isWithin(repo, entry.theirs, known))) left.push(entry.local)
  return left
}

/** Commits that none of the others contains. */
async function newest(repo: Repository, commits: readonly CommitId[]): Promise<CommitId[]> {
  const kept: CommitId[] = []
  const distinct = [...new Set(commits)]
  for (const commit of distinct) {
    const others = distinct.filter((other) => other !== commit)
    if (!(await isWithin(repo, commit, others))) kept.push(commit)
  }
  return kept
}

/** What main contains of the remote by its own history, in whatever way it came, unless main dropped it afterwards. */
async function mergedByHand(repo: Repository, log: SyncLog, main: CommitId, theirs: CommitId): Promise<CommitId[]> {
  const common = await repo.mergeBase(main, theirs)
  if (common === null) return []
  for (const drop of log.counting.filter(({ kind }) => kind === 'dropped')) {
    if ((await repo.isAncestor(common, drop.theirs)) && (await repo.isAncestor(common, drop.anchor))) return []
  }
  return [common]
}

/** The head last seen at the ref, where it is gone from it: what main has of it. null = it is still there. */
async function outstandingHead(repo: Repository, log: SyncLog, theirs: CommitId, implied: ReadonlySet<CommitId>): Promise<CommitId | null> {
  if (log.lastLeft !== null) return (await isOutstanding(repo, log, log.lastLeft, theirs, implied)) ? log.lastLeft.local : null
  return log.last !== null && (await isOutstanding(repo, log, log.last, theirs, implied)) ? log.last.theirs : null
}

/** Whether a head that was seen at the ref is gone from it, and content with it. */
async function isOutstanding(repo: Repository, log: SyncLog, last: Entry, theirs: CommitId, implied: ReadonlySet<CommitId>): Promise<boolean> {
  if (implied.has(last.theirs) || (await repo.isAncestor(last.theirs, theirs))) return false
  if ((await repo.commit(last.local)).tree === (await repo.commit(theirs)).tree) return false
  // An export made since has the whole of what main was then; where the head contains it, it dropped nothing.
  for (const pair of log.pairs) {
    const later = isWhole(pair) && pair !== last && (await repo.isAncestor(last.anchor, pair.anchor)) && pair.anchor !== last.anchor
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

/** The newest commits that one of `known` and one of `past` both contain. */
export async function commonCommits(repo: Repository, known: readonly CommitId[], past: readonly CommitId[]): Promise<CommitId[]> {
  const common: CommitId[] = []
  for (const one of known)
    for (const other of past) {
      const base = await repo.mergeBase(one, other)
      if (base !== null) common.push(base)
    }
  return newest(repo, common)
}

async function basesOf(repo: Repository, log: SyncLog, known: readonly CommitId[], past: readonly CommitId[], equal: readonly StandIn[]): Promise<Base[]> {
  const local = (commit: CommitId): CommitId =>
    log.pairs.findLast((pair) => pair.theirs === commit)?.local ?? equal.find((one) => one.commit === commit)?.pair.local ?? commit
  const age = (commit: CommitId): number => log.counting.findLastIndex((entry) => (entry.kind === 'left' ? entry.local : entry.theirs) === commit)
  const common = (await commonCommits(repo, known, past)).sort((a, b) => age(b) - age(a))
  const bases: Omit<Base, 'beside'>[] = []
  for (const theirs of common) {
    if (await isHeld(repo, theirs, bases)) continue
    bases.push({ theirs, local: local(theirs), held: await heldByExports(repo, log.pairs, [theirs]) })
  }
  return withoutSuperseded(repo, log.pairs, bases)
}

const isHeld = (repo: Repository, commit: CommitId, bases: readonly Pick<Base, 'held'>[]): Promise<boolean> =>
  isWithin(
    repo,
    commit,
    bases.flatMap(({ held }) => held),
  )

/** The entries that record a head as taken up at `anchor`, with what the remote dropped on the way there. */
export function entriesOf(ground: CommonGround, taken: Omit<Entry, 'kind'>, log: SyncLog): Entry[] {
  const { last } = log
  const same = last !== null && isKnown(last) && last.remote === taken.remote && last.theirs === taken.theirs && ground.dropped.length === 0
  if (same) return []
  return [...ground.dropped.map((pair): Entry => ({ ...pair, kind: 'dropped', anchor: taken.anchor })), { ...taken, kind: 'known' }]
}
