/** Builds the ref moves that add entries to a space's sync log or remove some. */
import { EMPTY_TREE, type RefMove, type Repository, type Staging } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { type Entry, isKnown, type SyncLog, writeEntries } from './log-entries.js'
import type { SyncRemote } from './remote.js'
import { readSyncLog } from './sync-log.js'

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
async function outdated(repo: Repository, log: SyncLog, added: readonly Entry[]): Promise<Entry[]> {
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
    if (await repo.history.isAncestor(entry.theirs, syncPoint.theirs)) return true
  }
  return false
}

const LOG_AUTHOR = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

interface LogChange {
  added?: readonly Entry[]
  removed?: readonly Entry[]
  /**
   * Receives the commit of the log, which is durable once this is settled. By default, it is durable when the moves are
   * returned.
   */
  into?: Staging
}

/** Returns the ref moves that change the log. Also removes entries that can no longer matter, so the log is bounded. */
export async function logMoves(
  repo: Repository,
  log: SyncLog,
  main: CommitId,
  { added = [], removed = [], into }: LogChange,
): Promise<RefMove[]> {
  if (added.length === 0 && removed.length === 0) return []
  const gone = new Set<Entry>([...removed, ...(await outdated(repo, log, added))])
  const entries = [...log.entries.filter((entry) => !gone.has(entry)), ...added]
  const commit = await (into ?? repo.objects).write({
    parents: await parentsToKeep(repo, entries, main),
    tree: EMPTY_TREE,
    changes: [],
    message: writeEntries(entries),
    author: LOG_AUTHOR,
    committer: LOG_AUTHOR,
  })
  return [{ ref: log.ref, from: log.at, to: commit }]
}

/**
 * Copies the sync points of a folder to the log of another folder of the same repository, because users renamed the
 * folder and corrected the connection. The new entries have no ref, so they only state that two contents are equal. A
 * folder with other content gets no merge base from them.
 */
export async function copySyncPoints(
  { app, space }: { app: App; space: SpaceRepository },
  from: SyncRemote,
  to: SyncRemote,
): Promise<void> {
  const { repo } = space
  await app.locks.run(space.doc.id, async (lease) => {
    const main = repo.refs.head(MAIN)
    if (main === null) return
    const [before, log] = [await readSyncLog(repo, from, main), await readSyncLog(repo, to, main)]
    const known = new Set<string>(log.entries.map(({ theirs }) => theirs))
    const added = before.syncPoints.flatMap(({ remote, theirs, anchor }): Entry[] =>
      known.has(theirs) ? [] : [{ kind: 'known', remote, theirs, local: theirs, anchor, ref: '' }],
    )
    const moves = await logMoves(repo, log, main, { added })
    if (moves.length > 0) await repo.refs.move(moves, 'copy the sync log of a renamed folder', lease)
  })
}

/** Returns the parents of the log's commit: the commits that the entries name and main does not contain. */
async function parentsToKeep(repo: Repository, entries: readonly Entry[], main: CommitId): Promise<CommitId[]> {
  const kept: CommitId[] = []
  for (const { kind, remote, theirs, local } of [...entries].reverse()) {
    for (const commit of new Set([remote, theirs, ...(kind === 'left' ? [local] : [])])) {
      if (kept.includes(commit) || !(await repo.objects.hasCommit(commit))) continue
      const contained = [main, ...kept].map((other) => repo.history.isAncestor(commit, other))
      if (!(await Promise.all(contained)).includes(true)) kept.push(commit)
    }
  }
  return kept
}
