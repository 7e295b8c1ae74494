// Keeps the sync log short: finds the entries that no longer matter.
import type { Repository } from '../../git/index.js'
import { isKnown, type Entry, type SyncLog } from './log-entries.js'

/**
 * Number of the newest entries that always stay, because main may be reset a little and change requests start at
 * earlier revisions. `inferred` entries are not counted.
 */
const MIN_ENTRIES = 16
/**
 * Maximum number of entries in a log. A space that keeps exporting to new branches that are never merged loses the
 * oldest entries.
 */
const MAX_ENTRIES = 100

/**
 * Returns the entries that can be removed when `added` are added. Ancestors of an integrated commit are integrated. So
 * a sync point whose commit a newer sync point contains is redundant, unless it is the last head of its ref. A
 * `dropped` entry is redundant if its commit is integrated again.
 */
export async function outdated(repo: Repository, log: SyncLog, added: readonly Entry[]): Promise<Entry[]> {
  const newest = new Set([...log.entries, ...added].filter(({ kind }) => kind !== 'inferred').slice(-MIN_ENTRIES))
  const old = log.entries.filter((entry) => !newest.has(entry))
  // Added entries may belong to a conflict, so they need not count for main yet.
  const lastSeen = new Set([...lastPerRef(log.syncPoints), ...lastPerRef(added)])
  const gone: Entry[] = []
  for (const entry of old) if (!lastSeen.has(entry) && (await isRedundant(repo, log, entry))) gone.push(entry)
  const left = log.entries.filter((entry) => !gone.includes(entry))
  return [...gone, ...left.slice(0, Math.max(0, left.length + added.length - MAX_ENTRIES))]
}

const lastPerRef = (entries: readonly Entry[]): Iterable<Entry> =>
  new Map(entries.filter(isKnown).map((entry) => [entry.ref, entry])).values()

async function isRedundant(repo: Repository, log: SyncLog, entry: Entry): Promise<boolean> {
  if (!log.counting.includes(entry)) return false
  if (entry.kind !== 'dropped' && !log.syncPoints.includes(entry) && !log.left.includes(entry)) return true
  for (const syncPoint of log.syncPoints) {
    if (
      syncPoint === entry ||
      (syncPoint.theirs === entry.theirs && log.syncPoints.indexOf(syncPoint) < log.syncPoints.indexOf(entry))
    )
      continue
    if (await repo.isAncestor(entry.theirs, syncPoint.theirs)) return true
  }
  return false
}
