/**
 * Reads a space's sync log (`log-entries.ts`; `log-moves.ts` writes it), which records the remote commits that main
 * has. The log is the message of a commit that has its own ref. The commit's parents protect the commits that the log
 * names from being pruned.
 */
import { required } from '../../kernel/defined.js'
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type Entry, isKnown, isWrittenAfter, logRef, readEntries, type SyncLog } from './log-entries.js'
import type { LoadedSpace } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { SyncFailure } from './failure.js'
import type { SyncRemote } from './remote.js'

/** The state of a sync: main, and the log as it counts for main. A move of main or of the log needs a new one. */
export interface SyncState {
  main: CommitId
  log: SyncLog
}

/** Opens the state of a sync. Throws `SyncFailure` if the branch main is missing. */
export async function openState({
  space: { repo },
  remote,
}: {
  space: Pick<LoadedSpace, 'repo'>
  remote: SyncRemote
}): Promise<SyncState> {
  const main = repo.refs.head(MAIN)
  if (main === null)
    throw new SyncFailure('The branch main of the space is missing. Ask a server administrator to restore it.')
  return { main, log: await readSyncLog(repo, remote, main) }
}

/**
 * Reads the log as it counts for `head`: main, or a conflict branch. The entries are in the order in which main
 * integrated them. Entries of a conflict come with the merge of its change request, regardless of entries written in
 * between. Entries that main does not have yet come last.
 */
export async function readSyncLog(repo: Repository, remote: SyncRemote, main: CommitId, head = main): Promise<SyncLog> {
  const ref = logRef(remote)
  const at = repo.refs.head(ref)
  const entries = at === null ? [] : readEntries((await repo.objects.commit(at)).message)
  const line = entries.length === 0 ? [] : (await repo.history.firstParents(main)).reverse()
  const all = await countingOf(repo, entries, head, new Set(head === main ? line : []))
  const counting = await inIntegrationOrder(
    repo,
    line,
    all.filter(({ kind }) => kind !== 'inferred'),
  )
  let syncPoints: Entry[] = []
  let left: Entry[] = []
  for (const entry of counting) {
    if (entry.kind === 'dropped' || entry.kind === 'left') left = left.filter((one) => one.remote !== entry.remote)
    if (entry.kind === 'dropped') syncPoints = syncPoints.filter((syncPoint) => syncPoint.remote !== entry.remote)
    else (entry.kind === 'left' ? left : syncPoints).push(entry)
  }
  const last = syncPoints.findLast((syncPoint) => isKnown(syncPoint) && syncPoint.ref === remote.ref) ?? null
  const since = counting.slice(last === null ? 0 : counting.indexOf(last))
  const lastLeft =
    left.findLast(
      (one) => one.ref === remote.ref && since.includes(one) && (last === null || isWrittenAfter(entries, one, last)),
    ) ?? null
  return {
    ref,
    at,
    entries,
    counting,
    syncPoints,
    left,
    inferred: all.filter(({ kind }) => kind === 'inferred'),
    last,
    lastLeft,
  }
}

/** Returns the entries that count: `head` contains their anchors, and their commits exist. */
async function countingOf(
  repo: Repository,
  entries: readonly Entry[],
  head: CommitId,
  line: ReadonlySet<string>,
): Promise<Entry[]> {
  const counting: Entry[] = []
  for (const entry of entries) {
    const { anchor, theirs, local } = entry
    const found = await Promise.all([anchor, theirs, local].map((commit) => repo.objects.hasCommit(commit)))
    if (!found.includes(false) && (line.has(anchor) || (await repo.history.isAncestor(anchor, head))))
      counting.push(entry)
  }
  return counting
}

/**
 * Sorts entries by the order in which main integrated their anchors. Entries with the same anchor, or with an anchor
 * that main lacks, keep their order.
 * @param line main's first parents, oldest first
 */
async function inIntegrationOrder(
  repo: Repository,
  line: readonly CommitId[],
  entries: readonly Entry[],
): Promise<Entry[]> {
  const places = new Map<string, number>(line.map((commit, place) => [commit, place]))
  for (const { anchor } of entries) if (!places.has(anchor)) places.set(anchor, await indexOfFirst(repo, line, anchor))
  return [...entries].sort((a, b) => required(places.get(a.anchor)) - required(places.get(b.anchor)))
}

/** Returns the index of the first commit of `line` that contains `anchor`, or its length if none does. */
async function indexOfFirst(repo: Repository, line: readonly CommitId[], anchor: CommitId): Promise<number> {
  let [from, to] = [0, line.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (await repo.history.isAncestor(anchor, required(line[middle]))) to = middle
    else from = middle + 1
  }
  return from
}
