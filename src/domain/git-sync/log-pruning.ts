// Keeps the sync log short: finds the entries that no longer matter.
import type { Repository } from '../../git/index.js'
import { isKnown, type Entry, type SyncLog } from './log-entries.js'

/**
 * Number of the newest entries that always stay: main may be reset a little, and change requests began at earlier revisions. Entries of inferences do not
 * count.
 */
const NEWEST = 16
/** Maximum number of entries of a log. A space that exports to ever new branches that are never merged loses the oldest ones. */
const MAX_ENTRIES = 100

/**
 * The entries that can be removed when `added` are added. A known commit makes its ancestors known, so a pair whose commit a newer pair contains
 * is redundant, unless it is the last head of its ref. So is a `dropped` entry of a commit that is known again.
 */
export async function outdated(repo: Repository, log: SyncLog, added: readonly Entry[]): Promise<Entry[]> {
  const newest = new Set([...log.entries, ...added].filter(({ kind }) => kind !== 'inferred').slice(-NEWEST))
  const old = log.entries.filter((entry) => !newest.has(entry))
  // Those that are added need not count for main yet: they may be of a conflict.
  const lastSeen = new Set([...lastPerRef(log.pairs), ...lastPerRef(added)])
  const gone: Entry[] = []
  for (const entry of old) if (!lastSeen.has(entry) && (await isRedundant(repo, log, entry))) gone.push(entry)
  const left = log.entries.filter((entry) => !gone.includes(entry))
  return [...gone, ...left.slice(0, Math.max(0, left.length + added.length - MAX_ENTRIES))]
}

const lastPerRef = (entries: readonly Entry[]): Iterable<Entry> =>
  new Map(entries.filter(isKnown).map((entry) => [entry.ref, entry])).values()

async function isRedundant(repo: Repository, log: SyncLog, entry: Entry): Promise<boolean> {
  if (!log.counting.includes(entry)) return false
  if (entry.kind !== 'dropped' && !log.pairs.includes(entry) && !log.left.includes(entry)) return true
  for (const pair of log.pairs) {
    if (pair === entry || (pair.theirs === entry.theirs && log.pairs.indexOf(pair) < log.pairs.indexOf(entry))) continue
    if (await repo.isAncestor(entry.theirs, pair.theirs)) return true
  }
  return false
}
