/**
 * Reads and updates a space's sync log (`log-entries.ts`): which commits of the remote main already has. The log is the message of a commit
 * that a ref of its own points to; the commit's parents keep the commits that it names from being pruned.
 */
import type { RefMove, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { readLegacy } from './legacy-pairs.js'
import { type Entry, isKnown, isWrittenAfter, LOG, logRef, readEntries, type SyncLog, writeEntries } from './log-entries.js'
import { outdated } from './log-pruning.js'
import type { SyncRemote } from './remote.js'

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as TreeId
const NOBODY = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

/**
 * Reads the log as it counts for `head`: main, or the branch of a conflict. Its entries are in the order in which main took them in: what a conflict recorded comes with the
 * merge of its change request, whatever was written meanwhile; what main does not have yet comes last.
 */
export async function readSyncLog(repo: Repository, remote: SyncRemote, main: CommitId, head = main): Promise<SyncLog> {
  const ref = logRef(remote)
  const at = repo.head(ref)
  const legacy = await readLegacy(repo, remote, head)
  const entries = [...legacy.entries, ...(at === null ? [] : readEntries((await repo.commit(at)).message))]
  const line = entries.length === 0 ? [] : (await repo.firstParents(main)).reverse()
  const counting = await inOrder(repo, line, await countingOf(repo, entries, head, new Set(head === main ? line : [])))
  let pairs: Entry[] = []
  let left: Entry[] = []
  for (const entry of counting) {
    if (entry.kind === 'dropped' || entry.kind === 'left') left = left.filter((one) => one.remote !== entry.remote)
    if (entry.kind === 'dropped') pairs = pairs.filter((pair) => pair.remote !== entry.remote)
    else (entry.kind === 'left' ? left : pairs).push(entry)
  }
  const last = pairs.findLast((pair) => isKnown(pair) && pair.ref === remote.ref) ?? null
  const since = counting.slice(last === null ? 0 : counting.indexOf(last))
  const lastLeft = left.findLast((one) => one.ref === remote.ref && since.includes(one) && (last === null || isWrittenAfter(entries, one, last))) ?? null
  return { ref, at, entries, counting, pairs, left, last, lastLeft, legacy: legacy.moves }
}

/** The entries that count: `head` contains their anchors, and their commits exist. */
async function countingOf(repo: Repository, entries: readonly Entry[], head: CommitId, line: ReadonlySet<string>): Promise<Entry[]> {
  const counting: Entry[] = []
  for (const entry of entries) {
    const { anchor, theirs, local } = entry
    const found = await Promise.all([anchor, theirs, local].map((commit) => repo.hasCommit(commit)))
    if (!found.includes(false) && (line.has(anchor) || (await repo.isAncestor(anchor, head)))) counting.push(entry)
  }
  return counting
}

/** Entries in the order in which their anchors came to main; those of one commit, or of none, as they were. `line`: main's first parents, oldest first. */
async function inOrder(repo: Repository, line: readonly CommitId[], entries: readonly Entry[]): Promise<Entry[]> {
  const places = new Map<string, number>(line.map((commit, place) => [commit, place]))
  for (const { anchor } of entries) if (!places.has(anchor)) places.set(anchor, await firstWith(repo, line, anchor))
  return [...entries].sort((a, b) => (places.get(a.anchor) as number) - (places.get(b.anchor) as number))
}

/** The place of the first commit of a line that contains `anchor`; the line's length if none does. */
async function firstWith(repo: Repository, line: readonly CommitId[], anchor: CommitId): Promise<number> {
  let [from, to] = [0, line.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (await repo.isAncestor(anchor, line[middle] as CommitId)) to = middle
    else from = middle + 1
  }
  return from
}

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
