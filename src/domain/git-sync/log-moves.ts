/** Builds the ref moves that add entries to a space's sync log or remove some. */
import { EMPTY_TREE, type RefMove, type Repository, type Staging } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { outdated } from './log-pruning.js'
import { type SyncLog, type Entry, writeEntries } from './log-entries.js'
import type { SyncRemote } from './remote.js'
import { readSyncLog } from './sync-log.js'

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
  const commit = await (into ?? repo).write({
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
    const main = repo.head(MAIN)
    if (main === null) return
    const [before, log] = [await readSyncLog(repo, from, main), await readSyncLog(repo, to, main)]
    const known = new Set<string>(log.entries.map(({ theirs }) => theirs))
    const added = before.syncPoints.flatMap(({ remote, theirs, anchor }): Entry[] =>
      known.has(theirs) ? [] : [{ kind: 'known', remote, theirs, local: theirs, anchor, ref: '' }],
    )
    const moves = await logMoves(repo, log, main, { added })
    if (moves.length > 0) await repo.move(moves, 'copy the sync log of a renamed folder', lease)
  })
}

/** Returns the parents of the log's commit: the commits that the entries name and main does not contain. */
async function parentsToKeep(repo: Repository, entries: readonly Entry[], main: CommitId): Promise<CommitId[]> {
  const kept: CommitId[] = []
  for (const { kind, remote, theirs, local } of [...entries].reverse()) {
    for (const commit of new Set([remote, theirs, ...(kind === 'left' ? [local] : [])])) {
      if (kept.includes(commit) || !(await repo.hasCommit(commit))) continue
      const contained = [main, ...kept].map((other) => repo.isAncestor(commit, other))
      if (!(await Promise.all(contained)).includes(true)) kept.push(commit)
    }
  }
  return kept
}
