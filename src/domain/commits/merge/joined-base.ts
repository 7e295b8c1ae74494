import type { FileChange, Repository } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { mergedOverrides, pageIdsHeader, rememberOverrides } from '../../revisions/identity.js'
import { serviceSignature } from '../make-commit.js'
import type { MergedTree, Sides } from './merged-tree.js'
import { isTaken } from './merge-by-id.js'

type Merge = (app: App, space: SpaceRepository, sides: Sides) => Promise<MergedTree>

/**
 * The merge base of two commits. Histories that crossed (each merged the other) have several; with one of them alone, what came by another
 * would look like a change of both sides. So they are merged into one commit, which no ref names, as Git's recursive merge does. What conflicts
 * between the bases stays as Git leaves it. A page that they only have at different paths gets one of these: if the base had it at neither, it would
 * look new on both sides, and the merge would have it twice. Null if the commits have nothing in common.
 */
export async function joinedBase(app: App, space: SpaceRepository, { ours, theirs }: Sides, merge: Merge): Promise<CommitId | null> {
  return joinedCommits(app, space, await space.repo.mergeBases(ours, theirs), merge)
}

/** Merges several commits into one, which no ref names. Null if there are none. */
export async function joinedCommits(app: App, space: SpaceRepository, commits: readonly CommitId[], merge: Merge): Promise<CommitId | null> {
  let joined: CommitId | null = null
  for (const commit of commits) joined = joined === null ? commit : await join(app, space, { ours: joined, theirs: commit }, merge)
  return joined
}

async function join(app: App, space: SpaceRepository, sides: Sides, merge: Merge): Promise<CommitId> {
  const { repo } = space
  const merged = await merge(app, space, sides)
  const tree = merged.clean ? merged.tree : await treeDespiteConflicts(repo, merged)
  const bases = await repo.mergeBases(sides.ours, sides.theirs)
  const overrides = await mergedOverrides(app, space, { bases, ...sides, tree })
  const me = serviceSignature(app)
  const commit = await repo.write({
    parents: [sides.ours, sides.theirs],
    tree,
    changes: [],
    message: 'What two histories have in common\n',
    author: me,
    committer: me,
    headers: await pageIdsHeader(app, space, sides.ours, overrides),
  })
  rememberOverrides(app, space, commit, overrides)
  return commit
}

/** The tree of a merge with conflicts, where each file that was moved to two paths is at the path of `ours`, if both paths are free. */
async function treeDespiteConflicts(repo: Repository, { tree, setAside, conflicts }: MergedTree & { clean: false }): Promise<TreeId> {
  const left = await repo.draft(tree, setAside)
  const put = new Map<string, FileChange>()
  for (const { ours, theirs } of conflicts) {
    if (!ours || !theirs) continue
    const taken = (await isTaken(repo.tree(left), ours.path)) || (await repo.tree(left).entry(theirs.path)) !== null
    if (!taken && !put.has(ours.path)) put.set(ours.path, { path: ours.path, oid: ours.oid, mode: ours.mode })
  }
  return put.size === 0 ? left : repo.draft(left, [...put.values()])
}
