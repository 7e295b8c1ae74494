/** Finds what plain Git has put together on the remote: files that nobody changed there, although they are not as this service would have merged them. */
import type { FileChange, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { overrideNames } from '../commits/merge/held-files.js'
import { idsOf } from '../commits/merge/moved-files.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { overridesAt } from '../revisions/identity.js'

/** Changes to a merge base, and the IDs, as overrides, of the files that they put there. */
interface MadeByGit {
  changes: FileChange[]
  ids: [name: string, id: string][]
}

/**
 * The files that `theirs` has exactly as the merge base `byGit` has them, which Git finds without knowing of exports, and the base `known` has
 * otherwise. Nobody changed them on the remote: Git put them so when branches were merged there. The base must have them so too. Not where the ref was
 * set back and the dropped head had another file: that was a change, however Git would merge the two.
 *
 * A page that Git moved counts only if both its old and its new place are as Git left them. Otherwise the base would have it twice, or not at all.
 */
export async function madeByGit(
  app: App,
  space: SpaceRepository,
  { known, byGit, theirs, droppedHead }: { known: CommitId; byGit: CommitId; theirs: CommitId; droppedHead: CommitId | null },
): Promise<MadeByGit> {
  const { repo } = space
  const identify = async (commit: CommitId) => idsOf(app, space, commit, await overridesAt(app, space, commit))
  const [was, is] = [await identify(known), await identify(byGit)]
  const there = await repo.at(theirs)
  const dropped = droppedHead === null ? null : await repo.at(droppedHead)
  const asGitLeft = async ({ path, after }: TreeChange): Promise<boolean> => {
    const entry = await there.entry(path)
    if (dropped !== null && (await dropped.entry(path))?.oid !== entry?.oid) return false
    return after ? entry?.oid === after.oid && entry.mode === after.mode : entry === null
  }
  const pagesAt = ({ path, before, after }: TreeChange): string[] => [...(before ? [was(path)] : []), ...(after ? [is(path)] : [])]
  let found: TreeChange[] = []
  const changed = new Set<string>()
  for (const change of await repo.diff(known, byGit)) {
    if (await asGitLeft(change)) found.push(change)
    else for (const page of pagesAt(change)) changed.add(page)
  }
  const isOfChanged = (change: TreeChange): boolean => pagesAt(change).some((page) => changed.has(page))
  for (let lost = found.filter(isOfChanged); lost.length > 0; lost = found.filter(isOfChanged)) {
    for (const page of lost.flatMap(pagesAt)) changed.add(page)
    found = found.filter((one) => !lost.includes(one))
  }
  const name = await overrideNames(app, space, repo.tree((await repo.commit(byGit)).tree))
  return {
    changes: found.map(({ path, after }) => (after ? { path, oid: after.oid, mode: after.mode } : { path, delete: true })),
    ids: found.flatMap(({ path, after }): [string, string][] => (after ? [[name(path), is(path)]] : [])),
  }
}
