/** Finds the changes between two commits that a third commit also has, whatever its history is. */
import type { FileChange, Repository, TreeChange, TreeEntry } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { openSide, overrideName } from '../commits/merge/side.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'

/** Changes to a commit, and the ID overrides of the files that they add. */
export interface FileChanges {
  changes: FileChange[]
  ids: [name: string, id: string][]
}

/**
 * Returns the changes from one commit to another whose resulting files a third one, `there`, also has, whatever commit
 * made them.
 * @param like if given, only files that are equal in this commit and in `there`
 *
 * A moved page counts only if both its old and its new path match. Otherwise the changes would put it at both paths, or
 * remove it. Suppose two pages swapped paths in the third commit, and `to` has deleted one of them. Then the swap
 * counts, and the deletion does not. A page that the third commit has moved is not deleted there.
 */
export async function changesAlsoIn(
  app: App,
  space: SpaceRepository,
  { from, to }: { from: CommitId; to: CommitId },
  there: CommitId,
  like: CommitId | null = null,
): Promise<FileChanges> {
  const { repo } = space
  const open = (commit: CommitId) => openSide(app, space, commit)
  const [first, second, other] = [await open(from), await open(to), await open(there)]
  const [was, now, its] = [await first.ids(), await second.ids(), await other.ids()]
  const third = other.snapshot
  const alike = like === null ? null : await repo.objects.snapshot(like)
  const pagesAt = ({ path, before, after }: TreeChange): string[] => [
    ...(before ? [was(path)] : []),
    ...(after ? [is(path)] : []),
  ]
  const diff = await repo.trees.diff(from, to)
  const arrived = new Map(diff.flatMap((change) => (change.after ? [[now(change.path), change] as const] : [])))
  const isDeletion = ({ path, after }: TreeChange): boolean => !after && !arrived.has(was(path))
  const moved = diff.some(isDeletion) ? await renamedPaths(repo, from, there) : new Set<string>()
  const holds = async (change: TreeChange): Promise<boolean> => {
    const { path, after } = change
    const entry = await third.entry(path)
    if (alike !== null && (await alike.entry(path))?.oid !== entry?.oid) return false
    if (after) return entry?.oid === after.oid && entry.mode === after.mode
    return entry === null && !(moved.has(path) && isDeletion(change))
  }
  // Pages that took a free path: a page left the path, `there` has at it the page whose path the first one took, and
  // `to` no longer has that second page.
  const placed = new Map<string, TreeEntry>()
  for (const { path, before, after } of diff) {
    if (!before || after || !(await third.entry(path))) continue
    const taker = arrived.get(was(path))
    if (taker?.before && was(taker.path) === its(path) && !arrived.has(its(path)) && (await holds(taker)))
      placed.set(path, taker.before)
  }
  const is = (path: string): string => (placed.has(path) ? its(path) : now(path))
  let found: TreeChange[] = []
  const otherwise = new Set<string>()
  for (const change of diff) {
    const instead = placed.get(change.path)
    if (instead) found.push({ ...change, status: 'modified', after: { ...instead, path: change.path } })
    else if (await holds(change)) found.push(change)
    else for (const page of pagesAt(change)) otherwise.add(page)
  }
  const isOfOther = (change: TreeChange): boolean => pagesAt(change).some((page) => otherwise.has(page))
  for (let lost = found.filter(isOfOther); lost.length > 0; lost = found.filter(isOfOther)) {
    for (const page of lost.flatMap(pagesAt)) otherwise.add(page)
    found = found.filter((one) => !lost.includes(one))
  }
  return {
    changes: found.map(({ path, after }) =>
      after ? { path, oid: after.oid, mode: after.mode } : { path, delete: true },
    ),
    ids: found.flatMap(({ path, after }): [string, string][] =>
      after ? [[overrideName(second.config, path), is(path)]] : [],
    ),
  }
}

/** Returns the paths of the files that were renamed between two commits, as they were before. */
async function renamedPaths(repo: Repository, from: CommitId, to: CommitId): Promise<Set<string>> {
  const changes = await repo.trees.diff(from, to, { renames: true })
  return new Set(changes.flatMap(({ from: before }) => (before === undefined ? [] : [before])))
}
