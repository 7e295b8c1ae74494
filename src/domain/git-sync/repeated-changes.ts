/** Finds which changes from one commit to another a third commit has too, whatever their histories say. */
import type { FileChange, TreeChange, TreeEntry } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { overrideNames } from '../commits/merge/base-despite-conflicts.js'
import { idsOf } from '../commits/merge/moved-files.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { overridesAt } from '../revisions/identity.js'

/** Changes to a commit, and the IDs, as overrides, of the files that they put there. */
export interface FileChanges {
  changes: FileChange[]
  ids: [name: string, id: string][]
}

/**
 * The changes from one commit to another after which a third one, `there`, has the files exactly so as well, whoever made them so.
 * @param like if given, only files that this commit has as `there` has them
 *
 * A page that was moved counts only if both its old and its new place are so. Otherwise the changes would put it at both, or remove it. If the third commit
 * has two pages with their places changed, of which `to` has deleted one, the change of places counts, and the deletion does not.
 */
export async function changesAlsoIn(
  app: App,
  space: SpaceRepository,
  { from, to }: { from: CommitId; to: CommitId },
  there: CommitId,
  like: CommitId | null = null,
): Promise<FileChanges> {
  const { repo } = space
  const identify = async (commit: CommitId) => idsOf(app, space, commit, await overridesAt(app, space, commit))
  const [was, now, its] = [await identify(from), await identify(to), await identify(there)]
  const third = await repo.at(there)
  const alike = like === null ? null : await repo.at(like)
  const holds = async ({ path, after }: TreeChange): Promise<boolean> => {
    const entry = await third.entry(path)
    if (alike !== null && (await alike.entry(path))?.oid !== entry?.oid) return false
    return after ? entry?.oid === after.oid && entry.mode === after.mode : entry === null
  }
  const pagesAt = ({ path, before, after }: TreeChange): string[] => [
    ...(before ? [was(path)] : []),
    ...(after ? [is(path)] : []),
  ]
  const diff = await repo.diff(from, to)
  const arrived = new Map(diff.flatMap((change) => (change.after ? [[now(change.path), change] as const] : [])))
  // Where `there` has, at the place that a page left, the page whose place that one took, and `to` has the latter nowhere.
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
  const name = await overrideNames(app, space, repo.tree((await repo.commit(to)).tree))
  return {
    changes: found.map(({ path, after }) =>
      after ? { path, oid: after.oid, mode: after.mode } : { path, delete: true },
    ),
    ids: found.flatMap(({ path, after }): [string, string][] => (after ? [[name(path), is(path)]] : [])),
  }
}
