/** Finds which commits of main an export commit by commit has to push, and which of them may be pushed as they are. */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { findCommonGround } from './merge-base.js'
import { isWithin } from './inferred-ancestors.js'
import { isWhole, type SyncLog } from './log-entries.js'
import { dropAnchors } from './anchor-commits.js'

/** Most commits of one export. What is older becomes one commit. */
const MOST = 2_000
/** Most commits from before the remote's last change that are put on top of it one by one. What is older becomes one commit with what follows. */
const MAX_REPLAYED = 200

/** The commits of main's first-parent line that the remote does not have, oldest first; main is the last. There is at least one. */
export interface ExportLine {
  commits: CommitId[]
  /** The commit before the first one, whose content the remote's head has. Null if the two have met only now. */
  before: CommitId | null
  /** From this index on, the commits contain all that the remote's head has, and nothing that was dropped from the remote. */
  whole: number
  /** From this index on, up to `whole`, commits may be put on top of the remote's head by a merge. What is before has no commit of its own. */
  replayed: number
}

/**
 * Reads the line. `main` contains the remote's head, which is `theirs` here.
 *
 * What was dropped from a remote must never return to it, not even in a commit that a later one takes back: nothing from before main followed a
 * drop is pushed on its own, and what was imported is not replayed.
 */
export async function findExportLine(
  repo: Repository,
  log: SyncLog,
  main: CommitId,
  theirs: CommitId,
): Promise<ExportLine> {
  const line = await repo.firstParents(main)
  const places = new Map(line.map((commit, at) => [commit as string, at]))
  const ground = await findCommonGround(repo, log, { main, theirs })
  const past = [theirs, ...ground.implied, ...ground.held]
  let begin = line.length
  for (const pair of log.pairs) {
    const at = places.get(pair.anchor)
    if (at !== undefined && at < begin && isWhole(pair) && (await isWithin(repo, pair.theirs, past))) begin = at
  }
  // The head may lack what it had of main itself: somebody dropped it there since.
  const met = begin > 0 && begin < line.length
  const came = Math.min(await placeOf(repo, line, await bringerOf(repo, log, theirs)), line.length - 1)
  const dropped = Math.min(
    ...(await Promise.all((await dropAnchors(repo, main)).map((anchor) => placeOf(repo, line, anchor)))),
    line.length,
  )
  // Places count from main downwards.
  const oldest = Math.min(met ? begin - 1 : begin === 0 ? 0 : came, MOST - 1)
  const whole = Math.max(0, oldest - Math.min(came, dropped))
  const first = dropped <= came ? whole : Math.max(0, whole - MAX_REPLAYED, oldest - dropped + 1)
  return {
    commits: line.slice(0, oldest + 1).reverse(),
    before: met && oldest === begin - 1 ? (line[begin] as CommitId) : null,
    whole,
    replayed: met ? first : whole,
  }
}

/** The commit that brought a head of the remote into main: the anchor of its newest entry, or else of the oldest one that contains it, or the head itself. */
async function bringerOf(repo: Repository, log: SyncLog, theirs: CommitId): Promise<CommitId> {
  const named = log.pairs.findLast((pair) => pair.theirs === theirs)
  if (named) return named.anchor
  for (const pair of log.pairs) if (await repo.isAncestor(theirs, pair.theirs)) return pair.anchor
  return theirs
}

/** The place of the oldest commit of a first-parent line that contains `commit`; its length if none does. */
async function placeOf(repo: Repository, line: readonly CommitId[], commit: CommitId): Promise<number> {
  let [low, high] = [-1, line.length]
  // All above `low` and up to it contain the commit, `high` and all below it do not.
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (await repo.isAncestor(commit, line[middle] as CommitId)) low = middle
    else high = middle
  }
  return low < 0 ? line.length : low
}
