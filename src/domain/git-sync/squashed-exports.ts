// Finds exports that were squashed or rebased on the remote: their commits are not in the branch's history, but their changes are.
import { createHash } from 'node:crypto'
import type { CommitInfo, Repository, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { isWithin } from './inferred-ancestors.js'
import type { StandIn } from './equal-commits.js'
import { type Entry, isExport, type SyncLog } from './log-entries.js'

/** How many of the newest unknown commits are compared. */
const SEARCH = 500

/** Exports that change more files than this are compared by blobs alone, not by patches. */
const LINE_BY_LINE = 50

/** An export of more commits than this is looked for as a whole. */
const PARTS = 100

/** Larger patches (in bytes) are not compared. */
const MAX_PATCH_BYTES = 256 * 1024

/**
 * Finds the exports that the remote's head does not contain, but whose whole change one of its new commits repeats: squashed, or rebased onto later
 * commits of the remote. The head counts as containing them. An export is not recognized if its changes were edited on the way, or if the same lines
 * were changed at another place of a file: merging the export into the parent of the new commit must give the files of that commit.
 * @param past the head, and the exports that the log records as contained in it. They are not looked for again
 */
export async function squashedExports(
  repo: Repository,
  log: SyncLog,
  past: readonly CommitId[],
  news: readonly CommitInfo[],
): Promise<StandIn[]> {
  const open: Entry[] = []
  for (const pair of news.length === 0 ? [] : log.pairs)
    if (isExport(pair) && !(await isWithin(repo, pair.theirs, past))) open.push(pair)
  if (open.length === 0) return []
  const search = new Search(repo, await changesOf(repo, news.slice(0, SEARCH)))
  const exports = await exportedCommits(repo, log)
  const found = new Map<CommitId, StandIn>()
  for (const pair of open) {
    const chain = (await chainOf(repo, exports, pair)).reverse() as [CommitId, ...CommitId[]]
    for (const one of await standInsOf(repo, search, chain, { pair, past, found, exports }))
      if (!found.has(one.pair.theirs)) found.set(one.pair.theirs, one)
  }
  return [...found.values()]
}

/** A new commit of the remote with what it changed, by path. */
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
        changes: new Map((await repo.diff(parents[0], id)).map((change) => [change.path, change])),
      })
  return found
}

/** All commits that were made by the exports of the log. */
async function exportedCommits(repo: Repository, log: SyncLog): Promise<ReadonlySet<string>> {
  const commits = new Set<string>()
  for (const pair of log.pairs.filter(isExport)) {
    commits.add(pair.theirs)
    for (const part of pair.row === undefined ? [] : (await repo.firstParents(pair.theirs)).slice(0, pair.row))
      commits.add(part)
  }
  return commits
}

/** The unbroken row of exports that a pair ends, newest first, and last the commit below it, if there is one. */
async function chainOf(repo: Repository, exports: ReadonlySet<string>, pair: Entry): Promise<CommitId[]> {
  const line = await repo.firstParents(pair.theirs)
  const end = line.findIndex((commit) => !exports.has(commit))
  return end < 0 ? line : line.slice(0, end + 1)
}

/**
 * What of a chain of exports is in new commits of the remote, from the oldest on: the export at its end, or if that went commit by commit, any of its commits. The
 * change of one is looked for together with that of all below it which the head does not have, exports or commits of people: one that was picked alone does not
 * count, since the head would count as having what is below it.
 */
async function standInsOf(
  repo: Repository,
  search: Search,
  [begin, ...rest]: readonly [CommitId, ...CommitId[]],
  {
    pair,
    past,
    found,
    exports,
  }: { pair: Entry; past: readonly CommitId[]; found: ReadonlyMap<CommitId, StandIn>; exports: ReadonlySet<string> },
): Promise<StandIn[]> {
  const parts: StandIn[] = []
  const isThere = async (commit: CommitId): Promise<boolean> => found.has(commit) || isWithin(repo, commit, past)
  const bottom = (await isThere(begin))
    ? begin
    : exports.has(begin)
      ? null
      : await search.below(begin, past[0] as CommitId)
  if (bottom === null) return []
  const each = pair.row !== undefined && rest.length <= PARTS
  let settled = bottom
  for (const part of rest) {
    const there = await isThere(part)
    const commit =
      !there && (each || part === pair.theirs)
        ? await search.find([...new Set([settled, bottom])].map((from) => [from, part] as const))
        : null
    if (commit !== null)
      parts.push({ commit, pair: part === pair.theirs ? pair : { ...pair, remote: part, theirs: part, local: part } })
    if (there || commit !== null) settled = part
  }
  return parts
}

type Range = readonly [from: CommitId, to: CommitId]

/** Looks for changes in new commits of the remote. */
class Search {
  readonly #patches = new Map<string, string | null>()

  constructor(
    readonly repo: Repository,
    readonly news: readonly News[],
  ) {}

  /** Returns the newest commit that makes all changes between the two commits of one of the ranges. A range without changes is in none. */
  async find(ranges: readonly Range[]): Promise<CommitId | null> {
    const wanted = await Promise.all(ranges.map(async (range) => ({ range, changes: await this.repo.diff(...range) })))
    for (const one of this.news)
      for (const { range, changes } of wanted)
        if (changes.length > 0 && (await this.#repeats(one, range, changes))) return one.id
    return null
  }

  /**
   * From where on the changes are looked for of what stands on a commit of people that the head `theirs` does not have: from that commit, if new commits of the
   * remote make its changes since the history of the head, one by one or all at once; else from that history. Null if there is none.
   */
  async below(commit: CommitId, theirs: CommitId): Promise<CommitId | null> {
    const base = await this.repo.mergeBase(commit, theirs)
    if (base === null || (await this.find([[base, commit]])) !== null) return base === null ? null : commit
    const line = await this.repo.firstParents(commit)
    const length = line.indexOf(base)
    if (length < 0 || length > PARTS) return base
    for (const [at, one] of line.slice(0, length).entries())
      if ((await this.find([[line[at + 1] as CommitId, one]])) === null) return base
    return commit
  }

  async #repeats(news: News, range: Range, wanted: readonly TreeChange[]): Promise<boolean> {
    if (wanted.some(({ path }) => !news.changes.has(path))) return false
    const patched: string[] = []
    for (const change of wanted) {
      const other = news.changes.get(change.path) as TreeChange
      if (isSame(change, other)) continue
      if (wanted.length > LINE_BY_LINE || !(await this.#samePatch(change, other))) return false
      patched.push(change.path)
    }
    return patched.length === 0 || this.#isMerge(news, range, patched)
  }

  /** Whether files of a commit are as merging the range into its parent gives them. A patch alone does not tell at which of several similar places it was made. */
  async #isMerge({ id, parent }: News, [base, theirs]: Range, paths: readonly string[]): Promise<boolean> {
    const merged = await this.repo.merge({ base, ours: parent, theirs })
    if (!merged.clean) return false
    const [made, there] = [this.repo.tree(merged.tree), await this.repo.at(id)]
    for (const path of paths) if ((await made.entry(path))?.oid !== (await there.entry(path))?.oid) return false
    return true
  }

  /** Whether two changes of text files remove and add the same lines with the same context, wherever in the file: they have the same patch ID. */
  async #samePatch(a: TreeChange, b: TreeChange): Promise<boolean> {
    if (a.status !== b.status || a.before?.mode !== b.before?.mode || a.after?.mode !== b.after?.mode) return false
    const [one, other] = await Promise.all([this.#patchId(a), this.#patchId(b)])
    return one !== null && one === other
  }

  async #patchId({ before, after }: TreeChange): Promise<string | null> {
    // An added or deleted file is the same change only if its whole content is the same.
    if (!before || !after) return null
    const key = `${before.oid} ${after.oid}`
    const known = this.#patches.get(key)
    if (known !== undefined) return known
    const patch = await this.repo.diffText({
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

/** The hunks without line numbers and headings, which is what `git patch-id` compares. */
const changedLines = (patch: string): string => patch.replace(/^@@ [^\n]*$/gm, '@@')
