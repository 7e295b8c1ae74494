/**
 * Reads and updates a space's sync log (`log-entries.ts`): which commits of the remote main already has. The log is the message of a commit
 * that a ref of its own points to; the commit's parents keep the commits that it names from being pruned.
 */
import type { RefMove, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { readLegacy } from './legacy-pairs.js'
import { type Entry, isKnown, LOG, logRef, readEntries, type SyncLog, writeEntries } from './log-entries.js'
import { outdated } from './log-pruning.js'
import type { SyncRemote } from './remote.js'

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as TreeId
const NOBODY = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

/** Reads the log as it counts for this `main`. */
export async function readSyncLog(repo: Repository, remote: SyncRemote, main: CommitId): Promise<SyncLog> {
  const ref = logRef(remote)
  const head = repo.head(ref)
  const legacy = await readLegacy(repo, remote, main)
  const entries = [...legacy.entries, ...(head === null ? [] : readEntries((await repo.commit(head)).message))]
  const line = new Set<string>(entries.length === 0 ? [] : await repo.firstParents(main))
  const counting: Entry[] = []
  for (const entry of entries) if (await counts(repo, entry, main, line)) counting.push(entry)
  let pairs: Entry[] = []
  let left: Entry[] = []
  for (const entry of counting) {
    if (entry.kind === 'dropped' || entry.kind === 'left') left = left.filter((one) => one.remote !== entry.remote)
    if (entry.kind === 'dropped') pairs = pairs.filter((pair) => pair.remote !== entry.remote)
    else (entry.kind === 'left' ? left : pairs).push(entry)
  }
  const last = pairs.findLast((pair) => isKnown(pair) && pair.ref === remote.ref) ?? null
  const since = counting.slice(last === null ? 0 : counting.indexOf(last))
  const lastLeft = left.findLast((one) => one.ref === remote.ref && since.includes(one) && !wasDropped(counting, one)) ?? null
  return { ref, at: head, entries, counting, pairs, left, last, lastLeft, legacy: legacy.moves }
}

/**
 * Whether the ref of a `left` entry itself dropped that head, and has not been seen at it since. What a conflict recorded counts once its change request is
 * merged: it may be older in the log than a `left` entry that was written meanwhile.
 */
const wasDropped = (counting: readonly Entry[], { remote, ref }: Entry): boolean =>
  counting.some(
    (drop, at) =>
      drop.kind === 'dropped' &&
      drop.remote === remote &&
      counting.some((one) => isKnown(one) && one.ref === ref && one.anchor === drop.anchor) &&
      !counting.slice(at + 1).some((one) => isKnown(one) && one.remote === remote),
  )

/**
 * Whether the space was ever synced with any remote. An import that a crash cut off before main moved does not count, nor an export that may
 * not have arrived.
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

/** The commits with which main followed a drop of something from a remote, any remote that the space was synced with. */
export async function dropAnchors(repo: Repository, main: CommitId): Promise<CommitId[]> {
  const anchors = new Set<CommitId>()
  for (const [ref, commit] of await repo.refs('refs/bindery/sync/'))
    for (const { kind, anchor } of ref.endsWith(`/${LOG}`) ? readEntries((await repo.commit(commit)).message) : [])
      if (kind === 'dropped' && (await repo.hasCommit(anchor)) && (await repo.isAncestor(anchor, main))) anchors.add(anchor)
  return [...anchors]
}

/** Whether an entry counts: main contains its anchor, and its commits exist. */
async function counts(repo: Repository, { anchor, theirs, local }: Entry, main: CommitId, line: ReadonlySet<string>): Promise<boolean> {
  for (const commit of [anchor, theirs, local]) if (!(await repo.hasCommit(commit))) return false
  return line.has(anchor) || repo.isAncestor(anchor, main)
}

/**
 * The ref moves that add entries to the log. Entries that can never matter again are removed, so the log is bounded.
 * @param without entries to remove
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
