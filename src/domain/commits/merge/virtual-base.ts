/** Finds the base of a three-way merge. For criss-cross histories, builds a virtual merge base from all merge bases. */
import type { CommitId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { mergedOverrides, pageIdsHeader, rememberOverrides } from '../../revisions/identity.js'
import { serviceSignature } from '../make-commit.js'
import type { MergedTree, Sides } from './merged-tree.js'
import { treeDespiteConflicts, withIds } from './base-despite-conflicts.js'
import { addedByBoth, withFiles, withFilesOfBoth } from './criss-cross-files.js'

type Merge = (app: App, space: SpaceRepository, sides: Sides) => Promise<MergedTree>

/**
 * Returns the merge base of two commits, or null if they have no common ancestor. Criss-cross histories have several
 * merge bases. If only one of them were used, changes from the others would look like changes of both sides. As in
 * Git's recursive merge, they are merged into one commit without a ref. Conflicts between the bases stay as Git leaves
 * them. A page that they have at different paths gets one of these paths, or a generated one
 * (`base-despite-conflicts.ts`).
 */
export async function joinedBase(
  app: App,
  space: SpaceRepository,
  { ours, theirs }: Sides,
  merge: Merge,
): Promise<CommitId | null> {
  const bases = await space.repo.mergeBases(ours, theirs)
  const joined = await joinedCommits(app, space, bases, merge)
  return joined === null || bases.length < 2 ? joined : withFilesOfBoth(app, space, joined, { ours, theirs }, bases)
}

/** Merges several commits into one commit without a ref. Returns null if there are none. */
export async function joinedCommits(
  app: App,
  space: SpaceRepository,
  commits: readonly CommitId[],
  merge: Merge,
): Promise<CommitId | null> {
  let joined: CommitId | null = null
  for (const commit of commits)
    joined = joined === null ? commit : await join(app, space, { ours: joined, theirs: commit }, merge)
  return joined
}

async function join(app: App, space: SpaceRepository, sides: Sides, merge: Merge): Promise<CommitId> {
  const { repo } = space
  const known = await joinedBase(app, space, sides, merge)
  const base = known === null ? null : await withFiles(app, space, known, await addedByBoth(app, space, known, sides))
  const merged = await merge(app, space, base === null ? sides : { ...sides, base })
  const { tree, ids } = merged.clean
    ? { tree: merged.tree, ids: [] }
    : await treeDespiteConflicts(app, space, sides, merged)
  const overrides = withIds(
    await mergedOverrides(app, space, { bases: base === null ? [] : [base], ...sides, tree }),
    ids,
  )
  const me = serviceSignature(app)
  const commit = await repo.write({
    parents: [sides.ours, sides.theirs],
    tree,
    changes: [],
    message: 'Virtual merge base\n',
    author: me,
    committer: me,
    headers: await pageIdsHeader(app, space, sides.ours, overrides),
  })
  rememberOverrides(app, space, commit, overrides)
  return commit
}
