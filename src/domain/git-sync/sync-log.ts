import type { RefMove, Repository } from '../../git/index.js'
import type { CommitId, RefName, TreeId } from '../../kernel/ids.js'
import { readLegacy } from './legacy-pairs.js'
import { type Entry, readEntries, writeEntries } from './log-entries.js'
import { LOG, logRef } from './log-ref.js'
import { isKnown, outdated } from './log-pruning.js'
import type { SyncRemote } from './remote.js'

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as TreeId
const NOBODY = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

/** What main has in common with a repository (and folder), over all its refs. */
export interface SyncLog {
  ref: RefName
  /** What the log's ref names. */
  at: CommitId | null
  /** All entries, oldest first. */
  entries: readonly Entry[]
  /** Entries that count: main contains what they rest on. */
  counting: readonly Entry[]
  /** Of these, the pairs that hold: known or offered, and not dropped since. Oldest first. */
  pairs: readonly Entry[]
  /** What is left of heads of which another ref dropped a part. */
  left: readonly Entry[]
  /** The head last seen at the ref in question. */
  last: Entry | null
  /** What is left of a head that was seen there after `last`. */
  lastLeft: Entry | null
  /** Deletes what earlier versions wrote, once the log holds it. */
  legacy: readonly RefMove[]
}

/** Reads what `main` has in common with the remote. */
export async function readSyncLog(repo: Repository, remote: SyncRemote, main: CommitId): Promise<SyncLog> {
  const ref = logRef(remote)
  const at = repo.head(ref)
  const legacy = await readLegacy(repo, remote, main)
  const entries = [...legacy.entries, ...(at === null ? [] : readEntries((await repo.commit(at)).message))]
  const line = new Set<string>(entries.length === 0 ? [] : await repo.firstParents(main))
  const counting: Entry[] = []
  for (const entry of entries) if (await isWithin(repo, entry, main, line)) counting.push(entry)
  let pairs: Entry[] = []
  let left: Entry[] = []
  for (const entry of counting) {
    if (entry.kind === 'dropped' || entry.kind === 'left') left = left.filter((one) => one.remote !== entry.remote)
    if (entry.kind === 'dropped') pairs = pairs.filter((pair) => pair.remote !== entry.remote)
    else (entry.kind === 'left' ? left : pairs).push(entry)
  }
  const last = pairs.findLast((pair) => isKnown(pair) && pair.ref === remote.ref) ?? null
  const since = counting.slice(last === null ? 0 : counting.indexOf(last))
  const lastLeft = left.findLast((one) => one.ref === remote.ref && since.includes(one)) ?? null
  return { ref, at, entries, counting, pairs, left, last, lastLeft, legacy: legacy.moves }
}

/**
 * Whether the space ever met a remote, as far as `main` tells: what a crash left without main does not count, nor an export
 * of which nobody knows whether it arrived.
 */
export async function hasMetRemote(repo: Repository, main: CommitId): Promise<boolean> {
  for (const [ref, commit] of await repo.refs('refs/bindery/sync/')) {
    const met = ref.endsWith(`/${LOG}`)
      ? readEntries((await repo.commit(commit)).message)
          .filter(isKnown)
          .map(({ anchor }) => anchor)
      : [commit]
    for (const anchor of met) if ((await repo.hasCommit(anchor)) && (await repo.isAncestor(anchor, main))) return true
  }
  return false
}

async function isWithin(repo: Repository, { anchor, theirs, local }: Entry, main: CommitId, line: ReadonlySet<string>): Promise<boolean> {
  for (const commit of [anchor, theirs, local]) if (!(await repo.hasCommit(commit))) return false
  return line.has(anchor) || repo.isAncestor(anchor, main)
}

/**
 * The moves that add entries to the log, and forget what can never matter again. The log is one ref, bounded, whose commit keeps alive what its entries name.
 * @param without entries to be taken out
 */
export async function logMoves(repo: Repository, log: SyncLog, main: CommitId, added: readonly Entry[], without: readonly Entry[] = []): Promise<RefMove[]> {
  if (added.length === 0 && without.length === 0) return []
  const gone = new Set<Entry>([...without, ...(await outdated(repo, log, added))])
  const entries = [...log.entries.filter((entry) => !gone.has(entry)), ...added]
  const commit = await repo.write({
    parents: await keptAlive(repo, entries, main),
    tree: EMPTY_TREE,
    changes: [],
    message: writeEntries(entries),
    author: NOBODY,
    committer: NOBODY,
  })
  return [{ ref: log.ref, from: log.at, to: commit }, ...log.legacy]
}

/** The newest commits that the entries need and main does not keep. */
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
