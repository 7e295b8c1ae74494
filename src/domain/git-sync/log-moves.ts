/** The ref moves that add lines to a space's sync log, or remove some. */
import { EMPTY_TREE, type RefMove, type Repository, type Staging } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { outdated } from './log-pruning.js'
import { type SyncLog, type Entry, writeEntries } from './log-entries.js'

const NOBODY = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

interface LogChange {
  added?: readonly Entry[]
  removed?: readonly Entry[]
  /** Takes the commit of the log, which is durable once this is settled; by default it is durable when the moves are returned. */
  into?: Staging
}

/** The ref moves that change the log. Entries that can never matter again are removed as well, so the log is bounded. */
export async function logMoves(repo: Repository, log: SyncLog, main: CommitId, { added = [], removed = [], into }: LogChange): Promise<RefMove[]> {
  if (added.length === 0 && removed.length === 0) return []
  const gone = new Set<Entry>([...removed, ...(await outdated(repo, log, added))])
  const entries = [...log.entries.filter((entry) => !gone.has(entry)), ...added]
  const commit = await (into ?? repo).write({
    parents: await keptAlive(repo, entries, main),
    tree: EMPTY_TREE,
    changes: [],
    message: writeEntries(entries),
    author: NOBODY,
    committer: NOBODY,
  })
  return [{ ref: log.ref, from: log.at, to: commit }, ...log.legacy]
}

/** The parents of the log's commit: the commits that the entries name and main does not contain. */
async function keptAlive(repo: Repository, entries: readonly Entry[], main: CommitId): Promise<CommitId[]> {
  const kept: CommitId[] = []
  for (const { kind, remote, theirs, local } of [...entries].reverse()) {
    for (const commit of new Set([remote, theirs, ...(kind === 'left' ? [local] : [])])) {
      if (kept.includes(commit) || !(await repo.hasCommit(commit))) continue
      const held = [main, ...kept].map((other) => repo.isAncestor(commit, other))
      if (!(await Promise.all(held)).includes(true)) kept.push(commit)
    }
  }
  return kept
}
