// Maps page IDs of a remote's commits to the IDs of main. A remote that squashed or rebased an export has its pages
// under other IDs.
import { entryOfOverride, type IdOverrides, idOf, OverrideDraft } from '../../content/identity.js'
import { repairInSteps } from '../../content/identity-changes.js'
import type { CommitId } from '../../kernel/ids.js'
import { inSlices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { overridesAt, statesIds } from './identity.js'
import { type CommitOverrides, entriesOf, unchangedFiles } from './identity-changes.js'
import { pagesOfBoth, identified } from './same-path-pages.js'

/** Map from a page's ID in commits of other people to its ID on main. */
type RenamedIds = ReadonlyMap<string, string>

/** The IDs of a commit, expressed in the IDs of main. */
interface KnownIds {
  overrides: IdOverrides
  renamed: RenamedIds
}

/**
 * Returns the IDs of a merge base as main knows them. A file that main has unchanged is the same page. If its IDs
 * differ and neither side has the other's ID elsewhere, main's ID counts. Commits that state their IDs are trusted.
 */
export async function idsKnownToMain(
  app: App,
  space: SpaceRepository,
  main: CommitId,
  base: CommitId,
): Promise<KnownIds> {
  const renamed = new Map<string, string>()
  const was = await overridesAt(app, space, base)
  if (await statesIds(space, base)) return { overrides: was, renamed }
  const { repo } = space
  const work = app.texts.for(space.doc.id)
  const is = await overridesAt(app, space, main)
  const differing = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name))
  const same = await unchangedFiles(work, repo, [base, main], differing)
  if (same.length === 0) return { overrides: was, renamed }
  const [before, now] = [
    await identified(work, repo, { commit: base, overrides: was }),
    await identified(work, repo, { commit: main, overrides: is }),
  ]
  const known = new OverrideDraft(was)
  for (const name of same) {
    const [old, id] = [before.byName.get(name), now.byName.get(name)]
    if (old === undefined || id === undefined || before.ids.has(id) || now.ids.has(old)) continue
    renamed.set(old, id)
    known.give(entryOfOverride(name), id)
  }
  return { overrides: renamed.size === 0 ? was : known.overrides, renamed }
}

/**
 * Returns the overrides of an incoming commit in the IDs of main: with the replaced IDs of the merge base (`renamed`),
 * and with main's IDs for pages that main has at the same path.
 */
export async function asKnownToMain(
  app: App,
  space: SpaceRepository,
  { main, common }: { main: CommitId; common: CommitId },
  found: CommitOverrides,
  renamed: RenamedIds,
): Promise<IdOverrides> {
  const { repo } = space
  const work = app.texts.for(space.doc.id)
  const ours = { commit: main, overrides: await overridesAt(app, space, main) }
  const known = new OverrideDraft(found.overrides)
  const arrived = renamed.size === 0 ? [] : (await identified(work, repo, found)).byName
  for (const [name, id] of arrived) {
    const other = renamed.get(id)
    if (other !== undefined) known.give(entryOfOverride(name), other)
  }
  const base = { commit: common, overrides: await overridesAt(app, space, common) }
  const shared = await pagesOfBoth(work, repo, {
    bases: [base],
    ours,
    theirs: { ...found, overrides: known.overrides },
  })
  const mine = idOf(ours.overrides)
  for (const entry of [...shared].map(entryOfOverride)) known.give(entry, mine(entry.kind, entry.key))
  if (renamed.size + shared.size === 0) return found.overrides
  // Another entry may have one of these IDs by default.
  return inSlices(
    repairInSteps(known.overrides, await entriesOf(work, repo, (await repo.objects.commit(found.commit)).tree)),
  )
}
