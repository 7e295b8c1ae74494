import type { Repository } from '../../git/index.js'
import { isKnown, type Entry, type SyncLog } from './log-entries.js'

/** Entries that stay whatever they say: an administrator may set main back a little. */
const NEWEST = 16
/** Entries that a log holds at most; of a space that exports to ever new branches which nobody merges, the oldest go. */
const MOST = 100

/**
 * Entries that can go when `added` come. Known is a commit with all that it contains, so a pair inside a newer pair says
 * nothing more, unless it is the head last seen at its ref; nor does a drop of what is known again.
 */
export async function outdated(repo: Repository, log: SyncLog, added: readonly Entry[]): Promise<Entry[]> {
  const old = log.entries.slice(0, Math.max(0, log.entries.length + added.length - NEWEST))
  const heads = new Set<string>()
  const lastSeen = new Set<Entry>()
  for (const pair of [...log.pairs, ...added].reverse()) {
    if (!isKnown(pair) || heads.has(pair.ref)) continue
    heads.add(pair.ref)
    lastSeen.add(pair)
  }
  const gone: Entry[] = []
  for (const entry of old) if (!lastSeen.has(entry) && (await saysNothing(repo, log, entry))) gone.push(entry)
  const left = log.entries.filter((entry) => !gone.includes(entry))
  return [...gone, ...left.slice(0, Math.max(0, left.length + added.length - MOST))]
}

async function saysNothing(repo: Repository, log: SyncLog, entry: Entry): Promise<boolean> {
  if (!log.counting.includes(entry)) return false
  if (entry.kind !== 'dropped' && !log.pairs.includes(entry) && !log.left.includes(entry)) return true
  for (const pair of log.pairs) {
    if (pair === entry || (pair.theirs === entry.theirs && log.pairs.indexOf(pair) < log.pairs.indexOf(entry))) continue
    if (await repo.isAncestor(entry.theirs, pair.theirs)) return true
  }
  return false
}
