// Keeps the IDs of files that a merge moved with a folder whose name changed only in case.
import { required } from '../../kernel/defined.js'
import { readConfig } from '../../content/config.js'
import { defaultId, type IdOverrides, overrideKey } from '../../content/identity.js'
import { kindOfPath } from '../../content/known-files.js'
import { keyBelow } from '../../content/paths.js'
import type { TextWork } from '../../content/work/text-work.js'
import { caseKey, type Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'

/**
 * Returns the overrides of one side of a merge, moved to the paths of the merged tree that differ only in case. These
 * are the same files. If the side itself changed the case, its overrides already have the new path.
 */
export async function idsOfFollowers(
  work: TextWork,
  repo: Repository,
  { head, tree }: { head: CommitId; tree: TreeId },
  overrides: IdOverrides,
): Promise<IdOverrides> {
  const changes = await repo.trees.diff(head, tree)
  const gone = new Map(
    changes.flatMap(({ path, status }) => (status === 'deleted' ? [[caseKey(path), path] as const] : [])),
  )
  const moved =
    gone.size === 0 ? [] : changes.filter(({ path, status }) => status === 'added' && gone.has(caseKey(path)))
  if (moved.length === 0) return overrides
  const [was, is] = [
    (await readConfig(await repo.objects.snapshot(head), work)).config.root,
    (await readConfig(repo.objects.tree(tree), work)).config.root,
  ]
  const found = new Map(overrides)
  for (const { path } of moved) {
    const [before, now] = [keyBelow(was, required(gone.get(caseKey(path)))), keyBelow(is, path)]
    const id = found.get(overrideKey(kindOfPath(before), before)) ?? defaultId(kindOfPath(before), before)
    found.delete(overrideKey(kindOfPath(before), before))
    found.set(overrideKey(kindOfPath(now), now), id)
  }
  return found
}
