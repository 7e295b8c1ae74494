/** Finds the commits that deleted pages. */
import { readConfig } from '../../content/config.js'
import { idOf } from '../../content/identity.js'
import { isBelow, isMarkdown, keyBelow } from '../../content/paths.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { Deletion, Deletions } from '../context/content-cache.js'
import type { LoadedSpace } from '../context/loaded.js'
import { overridesAt } from './identity.js'

/**
 * Finds the newest deletion of a page on the first-parent line of `head`, at or before the revision `at`. Null if there
 * is none.
 */
export async function deletionOf(
  app: App,
  space: LoadedSpace,
  head: CommitId,
  at: CommitId,
  page: string,
): Promise<Deletion | null> {
  const found = (await deletionsAt(app, space, head)).get(page)
  if (!found) return null
  for (const one of [...found].reverse()) if (await space.repo.history.isAncestor(one.commit, at)) return one
  return null
}

/**
 * Returns all page deletions on the first-parent line of `head`, by page ID. It starts from the nearest cached
 * revision, so each step costs only the changes of one commit.
 */
async function deletionsAt(app: App, space: LoadedSpace, head: CommitId): Promise<Deletions> {
  const { deletions } = app.content
  const line = await space.repo.history.firstParents(head)
  const known = line.findIndex((id) => deletions.has(`${space.doc.id}:${id}`))
  const all = new Map(known < 0 ? [] : deletions.get(`${space.doc.id}:${line[known]}`))
  const unknown = known < 0 ? line : line.slice(0, known)
  for (const commit of [...unknown].reverse()) {
    for (const [page, deletion] of await deletedIn(app, space, commit))
      all.set(page, [...(all.get(page) ?? []), deletion])
  }
  deletions.set(`${space.doc.id}:${head}`, all)
  return all
}

async function deletedIn(app: App, { doc, repo }: LoadedSpace, commit: CommitId): Promise<[string, Deletion][]> {
  const parent = (await repo.objects.commit(commit)).parents[0]
  if (parent === undefined) return []
  const changes = (await repo.trees.diff(parent, commit)).filter((change) => isMarkdown(change.path))
  if (!changes.some((change) => change.status === 'deleted')) return []
  const identityAt = async (id: CommitId): Promise<(path: string) => string | null> => {
    const [{ config }, overrides] = await Promise.all([
      readConfig(await repo.objects.snapshot(id), app.texts.for(doc.id)),
      overridesAt(app, { doc, repo }, id),
    ])
    return (path) => (isBelow(config.root, path) ? idOf(overrides)('page', keyBelow(config.root, path)) : null)
  }
  const [before, after] = await Promise.all([identityAt(parent), identityAt(commit)])
  // A page whose file moved is not deleted.
  const here = new Set(changes.filter((change) => change.status !== 'deleted').map((change) => after(change.path)))
  return changes.flatMap(({ status, path }): [string, Deletion][] => {
    const page = status === 'deleted' ? before(path) : null
    return page === null || here.has(page) ? [] : [[page, { commit, parent, path }]]
  })
}
