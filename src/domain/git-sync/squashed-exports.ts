// Finds exports that were squashed or rebased on the remote. The branch has their changes but not their commits.
import { required } from '../../kernel/defined.js'
import { createHash } from 'node:crypto'
import type { CommitInfo, Repository, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { isWithin } from './inferred-ancestors.js'
import { type EquivalentCommit, notSeenBefore } from './equal-commits.js'
import { type Entry, isExport, type SyncLog } from './log-entries.js'

/** Maximum number of newest new commits that are compared. */
const MAX_NEW_COMMITS = 500

/**
 * Maximum number of changed files for which an export is compared by patches. Larger exports are compared only by
 * blobs.
 */
const MAX_PATCHED_FILES = 50

/** Maximum number of commits of an export that are searched one by one. A larger export is searched only as a whole. */
const MAX_SERIES_COMMITS = 100

/** Maximum size in bytes of a patch that is compared. */
const MAX_PATCH_BYTES = 256 * 1024

/**
 * Finds the exports that the remote head does not contain, but whose whole change one new commit repeats: squashed, or
 * rebased onto later remote commits. The head counts as containing them. An export is not recognized if its changes
 * were edited, if the commit moves a page that the export deletes, or if the same lines were changed at another position
 * in the file: merging the export into the parent of the new commit must give the files of that commit.
 * @param past the head, and the exports that the log records as contained in it, which are not searched again
 */
export async function squashedExports(
  repo: Repository,
  log: SyncLog,
  past: readonly CommitId[],
  news: readonly CommitInfo[],
): Promise<EquivalentCommit[]> {
  const open: Entry[] = []
  for (const syncPoint of news.length === 0 ? [] : log.syncPoints)
    if (isExport(syncPoint) && !(await isWithin(repo, syncPoint.theirs, past))) open.push(syncPoint)
  if (open.length === 0) return []
  const changes = await changesOf(repo, news.slice(0, MAX_NEW_COMMITS))
  const all = new Search(repo, changes)
  const exports = await exportedCommits(repo, log)
  const found = new Map<CommitId, EquivalentCommit>()
  for (const syncPoint of open) {
    const chain = (await chainOf(repo, exports, syncPoint)).reverse() as [CommitId, ...CommitId[]]
    const since = await notSeenBefore(repo, log, syncPoint, changes)
    const search = since.length === changes.length ? all : new Search(repo, since)
    for (const one of await equivalentsOf(repo, search, chain, { syncPoint, past, found, exports }))
      if (!found.has(one.syncPoint.theirs)) found.set(one.syncPoint.theirs, one)
  }
  return [...found.values()]
}

/** A new remote commit and its changes by path. */
interface News {
  id: CommitId
  parent: CommitId
  changes: ReadonlyMap<string, TreeChange>
}

async function changesOf(repo: Repository, news: readonly CommitInfo[]): Promise<News[]> {
  const found: News[] = []
  for (const { id, parents } of news)
    if (parents[0] !== undefined)
      found.push({
        id,
        parent: parents[0],
        changes: new Map((await repo.trees.diff(parents[0], id)).map((change) => [change.path, change])),
      })
  return found
}

/** Returns all commits that the exports in the log made. */
async function exportedCommits(repo: Repository, log: SyncLog): Promise<ReadonlySet<string>> {
  const commits = new Set<string>()
  for (const syncPoint of log.syncPoints.filter(isExport)) {
    commits.add(syncPoint.theirs)
    for (const part of syncPoint.seriesLength === undefined
      ? []
      : (await repo.history.firstParents(syncPoint.theirs)).slice(0, syncPoint.seriesLength))
      commits.add(part)
  }
  return commits
}

/**
 * Returns the unbroken chain of exports that a sync point ends, newest first, followed by the commit below it if there
 * is one.
 */
async function chainOf(repo: Repository, exports: ReadonlySet<string>, syncPoint: Entry): Promise<CommitId[]> {
  const line = await repo.history.firstParents(syncPoint.theirs)
  const end = line.findIndex((commit) => !exports.has(commit))
  return end < 0 ? line : line.slice(0, end + 1)
}

/**
 * Finds the exports of a chain that new remote commits repeat, oldest first. Only the export at the end of the chain is
 * searched or, if it is a commit series, each of its commits.
 *
 * The change of an export is searched together with the changes of everything below it that the head lacks, exports or
 * commits of people. An export that was picked alone does not count, because the head would then count as containing
 * the commits below it.
 */
async function equivalentsOf(
  repo: Repository,
  search: Search,
  [begin, ...rest]: readonly [CommitId, ...CommitId[]],
  {
    syncPoint,
    past,
    found,
    exports,
  }: {
    syncPoint: Entry
    past: readonly CommitId[]
    found: ReadonlyMap<CommitId, EquivalentCommit>
    exports: ReadonlySet<string>
  },
): Promise<EquivalentCommit[]> {
  const parts: EquivalentCommit[] = []
  const isThere = async (commit: CommitId): Promise<boolean> => found.has(commit) || isWithin(repo, commit, past)
  const bottom = (await isThere(begin))
    ? begin
    : exports.has(begin)
      ? null
      : await search.below(begin, required(past[0]))
  if (bottom === null) return []
  const each = syncPoint.seriesLength !== undefined && rest.length <= MAX_SERIES_COMMITS
  let settled = bottom
  for (const part of rest) {
    const there = await isThere(part)
    const commit =
      !there && (each || part === syncPoint.theirs)
        ? await search.find([...new Set([settled, bottom])].map((from) => [from, part] as const))
        : null
    if (commit !== null)
      parts.push({
        commit,
        syncPoint: part === syncPoint.theirs ? syncPoint : { ...syncPoint, remote: part, theirs: part, local: part },
      })
    if (there || commit !== null) settled = part
  }
  return parts
}

type Range = readonly [from: CommitId, to: CommitId]

/** Searches new remote commits for given changes. */
class Search {
  readonly #patches = new Map<string, string | null>()

  constructor(
    readonly repo: Repository,
    readonly news: readonly News[],
  ) {}

  /**
   * Returns the newest commit that makes all changes of one of the ranges. A range without changes matches no commit.
   */
  async find(ranges: readonly Range[]): Promise<CommitId | null> {
    const wanted = await Promise.all(
      ranges.map(async (range) => ({ range, changes: await this.repo.trees.diff(...range) })),
    )
    for (const one of this.news)
      for (const { range, changes } of wanted)
        if (changes.length > 0 && (await this.#repeats(one, range, changes))) return one.id
    return null
  }

  /**
   * Returns the commit after which changes are searched for exports on top of a commit that the head `theirs` lacks. It
   * is that commit if new remote commits repeat its changes since the head's history, one by one or all at once.
   * Otherwise it is the merge base with that history, or null if there is none.
   */
  async below(commit: CommitId, theirs: CommitId): Promise<CommitId | null> {
    const base = await this.repo.history.mergeBase(commit, theirs)
    if (base === null || (await this.find([[base, commit]])) !== null) return base === null ? null : commit
    const line = await this.repo.history.firstParents(commit)
    const length = line.indexOf(base)
    if (length < 0 || length > MAX_SERIES_COMMITS) return base
    for (const [at, one] of line.slice(0, length).entries())
      if ((await this.find([[required(line[at + 1]), one]])) === null) return base
    return commit
  }

  async #repeats(news: News, range: Range, wanted: readonly TreeChange[]): Promise<boolean> {
    if (wanted.some(({ path }) => !news.changes.has(path))) return false
    const patched: string[] = []
    for (const change of wanted) {
      const other = required(news.changes.get(change.path))
      if (isSame(change, other)) continue
      if (wanted.length > MAX_PATCHED_FILES || !(await this.#samePatch(change, other))) return false
      patched.push(change.path)
    }
    if (patched.length > 0 && !(await this.#isMerge(news, range, patched))) return false
    return !(await this.#movesDeleted(news, range, wanted))
  }

  /** Whether a commit moves a file that the range deletes. The deletion of the old path is then not the same change. */
  async #movesDeleted({ id, parent }: News, range: Range, wanted: readonly TreeChange[]): Promise<boolean> {
    const deleted = new Set(wanted.flatMap(({ path, after }) => (after ? [] : [path])))
    if (deleted.size === 0) return false
    const movesIn = async (from: CommitId, to: CommitId): Promise<string[]> =>
      (await this.repo.trees.diff(from, to, { renames: true })).flatMap(({ path, from: before }) =>
        before !== undefined && deleted.has(before) ? [JSON.stringify([before, path])] : [],
      )
    const moves = await movesIn(parent, id)
    if (moves.length === 0) return false
    const own = new Set(await movesIn(...range))
    return moves.some((move) => !own.has(move))
  }

  /**
   * Whether the files of a commit equal the merge of the range into its parent. A patch alone does not show at which of
   * several similar positions it was applied.
   */
  async #isMerge({ id, parent }: News, [base, theirs]: Range, paths: readonly string[]): Promise<boolean> {
    const merged = await this.repo.trees.merge({ base, ours: parent, theirs })
    if (!merged.clean) return false
    const [made, there] = [this.repo.objects.tree(merged.tree), await this.repo.objects.snapshot(id)]
    for (const path of paths) if ((await made.entry(path))?.oid !== (await there.entry(path))?.oid) return false
    return true
  }

  /**
   * Whether two changes of text files have the same patch ID: they remove and add the same lines with the same context,
   * anywhere in the file.
   */
  async #samePatch(a: TreeChange, b: TreeChange): Promise<boolean> {
    if (a.status !== b.status || a.before?.mode !== b.before?.mode || a.after?.mode !== b.after?.mode) return false
    const [one, other] = await Promise.all([this.#patchId(a), this.#patchId(b)])
    return one !== null && one === other
  }

  async #patchId({ before, after }: TreeChange): Promise<string | null> {
    // Two added or deleted files are the same change only if their whole content is equal.
    if (!before || !after) return null
    const key = `${before.oid} ${after.oid}`
    const known = this.#patches.get(key)
    if (known !== undefined) return known
    const patch = await this.repo.trees.diffText({
      before: before.oid,
      after: after.oid,
      words: false,
      maxBytes: MAX_PATCH_BYTES,
    })
    const id =
      patch === null || patch.length === 0
        ? null
        : createHash('sha256')
            .update(changedLines(patch.toString('latin1')))
            .digest('base64')
    this.#patches.set(key, id)
    return id
  }
}

const isSame = (a: TreeChange, b: TreeChange): boolean =>
  a.before?.oid === b.before?.oid &&
  a.after?.oid === b.after?.oid &&
  a.before?.mode === b.before?.mode &&
  a.after?.mode === b.after?.mode

/** Returns the hunks without line numbers and headings, which is what `git patch-id` compares. */
const changedLines = (patch: string): string => patch.replace(/^@@ [^\n]*$/gm, '@@')
