// Determines page IDs of a later remote head while its conflict is open. Its new files may be pages of main that the
// conflict's branch has lost.
import { type IdOverrides, idOf, OverrideDraft } from '../../content/identity.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { overridesAt } from './identity.js'
import { entriesOfFiles } from './identity-changes.js'
import { identified } from './same-path-pages.js'

/** A head that is merged into a branch, and their common commit. */
interface LaterHead {
  common: CommitId
  branch: CommitId
  head: CommitId
}

/**
 * Adjusts the overrides of a later head, which were found from its common commit with the conflict's branch. A new or
 * changed file gets the ID that it has relative to main (`seen`) if neither the branch nor the head has that page. This
 * matters for a page that the remote deleted during the conflict and then restored, perhaps in the place of another
 * one. Otherwise it would become another page, and main's page a deleted one.
 */
export async function withIdsSeenFromMain(
  app: App,
  space: SpaceRepository,
  { common, branch, head }: LaterHead,
  found: IdOverrides,
  seen: IdOverrides,
): Promise<IdOverrides> {
  const { repo } = space
  const work = app.texts.for(space.doc.id)
  const [now, from] = [idOf(found), idOf(seen)]
  const entryAt = await entriesOfFiles(work, await repo.objects.snapshot(head))
  const changed = (await repo.trees.diff(common, head)).flatMap(({ status, path }) =>
    status === 'deleted' ? [] : [{ isAdded: status === 'added', ...entryAt(path) }],
  )
  const fresh = changed.filter(({ kind, key }) => now(kind, key) !== from(kind, key))
  if (fresh.length === 0) return found
  const { ids: onBranch } = await identified(work, repo, {
    commit: branch,
    overrides: await overridesAt(app, space, branch),
  })
  const atHead = new Set((await identified(work, repo, { commit: head, overrides: found })).ids)
  const result = new OverrideDraft(found)
  for (const { isAdded, kind, key } of fresh) {
    const id = from(kind, key)
    if ((isAdded && onBranch.has(now(kind, key))) || onBranch.has(id) || atHead.has(id)) continue
    atHead.add(id)
    result.give({ kind, key }, id)
  }
  return result.overrides
}
