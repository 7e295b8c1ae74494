// The page IDs at a commit that comes from elsewhere (a remote, another branch), seen from a commit whose IDs count here.
import { readConfig } from '../../content/config.js'
import { entryOfOverride, type IdOverrides } from '../../content/identity.js'
import { kindOfPath } from '../../content/known-files.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { historyStatesIds, overridesAt } from './identity.js'
import { resolveChanges } from './identity-changes.js'

interface CommitOverrides {
  commit: CommitId
  overrides: IdOverrides
}

/**
 * The overrides at `head`, given that those at `base` count. They are the head's own if its history agrees with the base's IDs. If not (a
 * remote's commits may know nothing of the IDs here), they are worked out by comparing the two commits.
 */
export async function overridesFrom(app: App, space: SpaceRepository, base: CommitId, head: CommitId): Promise<IdOverrides> {
  const { repo } = space
  const [before, own] = [await overridesAt(app, space, base), await overridesAt(app, space, head)]
  const work = app.texts.for(space.doc.id)
  const disagree = await differOnUnchangedFiles(work, repo, { commit: base, overrides: before }, { commit: head, overrides: own })
  return disagree ? resolveChanges(work, repo, before, base, head) : own
}

/**
 * The overrides at the head of a remote that is being imported. A history that a server exported states its IDs itself, and later commits of
 * other people follow from them. Working them out from the difference to `base` would swap the IDs of pages that swapped their texts.
 */
export const arrivingOverrides = async (app: App, space: SpaceRepository, base: CommitId, head: CommitId): Promise<IdOverrides> =>
  (await historyStatesIds(app, space, head))
    ? overridesFrom(app, space, base, head)
    : resolveChanges(app.texts.for(space.doc.id), space.repo, await overridesAt(app, space, base), base, head)

/** Whether a file with the same bytes at the same path has different IDs at the two commits: then their histories do not agree on IDs. */
async function differOnUnchangedFiles(
  work: TextWork,
  repo: Repository,
  { commit: base, overrides: before }: CommitOverrides,
  { commit: head, overrides: own }: CommitOverrides,
): Promise<boolean> {
  if (before === own) return false
  const [old, now] = [await repo.at(base), await repo.at(head)]
  const { root } = (await readConfig(old, work)).config
  const slices = new Slices()
  for (const name of new Set([...before.keys(), ...own.keys()])) {
    if (slices.due) await slices.rest()
    const { kind, key } = entryOfOverride(name)
    if (before.get(name) === own.get(name) || kindOfPath(key) !== kind) continue
    const path = root === '' ? key : `${root}/${key}`
    const [was, is] = [await old.entry(path), await now.entry(path)]
    if (was !== null && was.oid === is?.oid) return true
  }
  return false
}
