// Page IDs of a later head of a remote whose conflict is open: its new files may be pages that main has and the conflict's branch has lost.
import { readConfig } from '../../content/config.js'
import { type EntryKey, type IdOverrides, idOf, OverrideDraft } from '../../content/identity.js'
import { kindOfPath } from '../../content/known-files.js'
import { keyBelow } from '../../content/paths.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { overridesAt } from './identity.js'
import { identified } from './same-path-pages.js'

/** A head that is merged into a branch, on what the two have in common. */
interface LaterHead {
  common: CommitId
  branch: CommitId
  head: CommitId
}

/**
 * The overrides of a later head, as found from what it has in common with the conflict's branch, in which a new or changed file has the ID that it has seen
 * from main (`seen`), if neither the branch nor the head has that page already. Without this, a page that the remote deleted while the conflict was open and
 * then restored (if need be in the place of another one) would be another page there, and main's page a deleted one.
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
  const entryAt = await entriesAt(work, repo, head)
  const changed = (await repo.diff(common, head)).flatMap(({ status, path }) =>
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

/** Tells the entry of a path of a commit. */
async function entriesAt(work: TextWork, repo: Repository, commit: CommitId): Promise<(path: string) => EntryKey> {
  const { root } = (await readConfig(await repo.at(commit), work)).config
  return (path) => ({ kind: kindOfPath(keyBelow(root, path)), key: keyBelow(root, path) })
}
