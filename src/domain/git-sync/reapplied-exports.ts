import type { CommitInfo, Repository, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { StandIn } from './equal-trees.js'
import { type Entry, isWhole, type SyncLog } from './log-entries.js'
import { samePatch } from './same-patch.js'

/** Unknown commits whose changes are looked at, the newest ones. */
const SEARCH = 500

/** Changes of an export beyond which its files are compared by their content alone, not line by line. */
const LINE_BY_LINE = 50

/**
 * Exports that the remote's head does not contain, but whose whole change one of its new commits made again: squashed or
 * rebased onto what the remote had meanwhile. The head then counts as containing them. An export whose changes somebody
 * changed on the way is not recognised.
 */
export async function reappliedExports(repo: Repository, log: SyncLog, theirs: CommitId, news: readonly CommitInfo[]): Promise<StandIn[]> {
  if (news.length === 0) return []
  const open: { pair: Entry; changes: TreeChange[] }[] = []
  for (const pair of log.pairs) {
    if (!isExport(pair) || (await repo.isAncestor(pair.theirs, theirs))) continue
    for (const from of await groundsOf(repo, log, pair)) {
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

/** An export equals the very commit of main that it was made from; what was imported equals itself. */
const isExport = (pair: Entry): boolean => isWhole(pair) && pair.local !== pair.theirs

/** What an export's change is counted from: its parent, and the commit on which the exports in a row before it began. */
async function groundsOf(repo: Repository, log: SyncLog, pair: Entry): Promise<CommitId[]> {
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
