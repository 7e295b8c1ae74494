// Finds exports that were squashed or rebased on the remote: their commits are not in the branch's history, but their changes are.
import type { CommitInfo, Repository, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { StandIn } from './equal-commits.js'
import { type Entry, isWhole, type SyncLog } from './log-entries.js'

/** How many of the newest unknown commits are compared. */
const SEARCH = 500

/** Exports that change more files than this are compared by blobs alone, not by patches. */
const LINE_BY_LINE = 50

/** Larger patches (in bytes) are not compared. */
const MAX_PATCH_BYTES = 256 * 1024

/**
 * The exports that the remote's head does not contain, but whose whole change is in one of its new commits: squashed, or rebased onto later
 * commits of the remote. The head counts as containing them. An export is not recognized if its changes were edited on the way.
 */
export async function squashedExports(repo: Repository, log: SyncLog, theirs: CommitId, news: readonly CommitInfo[]): Promise<StandIn[]> {
  if (news.length === 0) return []
  const open: { pair: Entry; changes: TreeChange[] }[] = []
  for (const pair of log.pairs) {
    if (!isExport(pair) || (await repo.isAncestor(pair.theirs, theirs))) continue
    for (const from of await startsOf(repo, log, pair)) {
      const changes = await repo.diff(from, pair.theirs)
      if (changes.length > 0) open.push({ pair, changes })
    }
  }
  const found = new Map<Entry, CommitId>()
  for (const commit of open.length === 0 ? [] : news.slice(0, SEARCH)) {
    const [parent] = commit.parents
    if (parent === undefined) continue
    const made = new Map((await repo.diff(parent, commit.id)).map((change) => [change.path, change]))
    for (const { pair, changes } of open) if (!found.has(pair) && (await includes(repo, made, changes))) found.set(pair, commit.id)
  }
  return [...found].map(([pair, commit]) => ({ commit, pair }))
}

/** An export has the content of a commit of main; an imported commit only equals itself. */
const isExport = (pair: Entry): boolean => isWhole(pair) && pair.local !== pair.theirs

/** The commits to diff an export with: its parent, and the commit below the unbroken row of exports that it ends (these may be squashed together). */
async function startsOf(repo: Repository, log: SyncLog, pair: Entry): Promise<CommitId[]> {
  const exports = new Set<string>(log.pairs.filter(isExport).map((one) => one.theirs))
  const [parent] = (await repo.commit(pair.theirs)).parents
  let begin = parent
  while (begin !== undefined && exports.has(begin)) [begin] = (await repo.commit(begin)).parents
  return [...new Set([parent, begin].filter((commit) => commit !== undefined))]
}

async function includes(repo: Repository, made: ReadonlyMap<string, TreeChange>, wanted: readonly TreeChange[]): Promise<boolean> {
  if (wanted.some(({ path }) => !made.has(path))) return false
  for (const change of wanted) {
    const other = made.get(change.path) as TreeChange
    const same = isSame(change, other) || (wanted.length <= LINE_BY_LINE && (await samePatch(repo, change, other)))
    if (!same) return false
  }
  return true
}

const isSame = (a: TreeChange, b: TreeChange): boolean =>
  a.before?.oid === b.before?.oid && a.after?.oid === b.after?.oid && a.before?.mode === b.before?.mode && a.after?.mode === b.after?.mode

/** Whether two changes of text files remove and add the same lines with the same context, wherever in the file: they have the same patch ID. */
async function samePatch(repo: Repository, a: TreeChange, b: TreeChange): Promise<boolean> {
  if (a.status !== b.status || a.before?.mode !== b.before?.mode || a.after?.mode !== b.after?.mode) return false
  const [one, other] = await Promise.all([patchOf(repo, a), patchOf(repo, b)])
  return one !== null && one === other
}

async function patchOf(repo: Repository, { before, after }: TreeChange): Promise<string | null> {
  // An added or deleted file is the same change only if its whole content is the same.
  if (!before || !after) return null
  const patch = await repo.diffText({ before: before.oid, after: after.oid, words: false, maxBytes: MAX_PATCH_BYTES })
  return patch === null || patch.length === 0 ? null : changedLines(patch.toString('latin1'))
}

/** The hunks without line numbers and headings, which is what `git patch-id` compares. */
const changedLines = (patch: string): string => patch.replace(/^@@ [^\n]*$/gm, '@@')
