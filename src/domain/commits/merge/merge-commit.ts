/**
 * Creates the commits of all three-way merges: merges, updates and reverts of change requests, edits that are based on
 * an earlier revision, imports, and later remote heads that are merged into a conflict branch.
 */
import type { Staging } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import type { UserDoc } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { mergedOverrides } from '../../revisions/identity.js'
import { makeCommit } from '../make-commit.js'
import { checkMergedNames } from './path-collisions.js'

/** A merge of two commits that is clean, or whose conflicts are resolved. */
interface CleanMerge {
  ours: CommitId
  theirs: CommitId
  /** The merge bases, which are also the bases for merging page IDs. */
  bases: readonly CommitId[]
  tree: TreeId
  /** The side whose page keeps its ID if both sides added or restored the same page; `ours` by default. */
  keeper?: 'ours' | 'theirs'
}

/** The parents and metadata of a merge commit. */
interface MergeCommit {
  /** `[ours, theirs]` by default. The first parent is the head of the branch that gets the commit. */
  parents?: readonly CommitId[]
  message: string
  author: Pick<UserDoc, 'displayName' | 'email'>
  /** Headers in addition to the one with the page IDs. */
  headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Creates the commit for a result of `mergeCommits`. Moves no ref. The commit is durable when this resolves or, if
 * `into` is given, when that staging is settled. Throws 409 with the paths if the merge would contain names that differ
 * only in case.
 */
export async function makeMergeCommit(
  app: App,
  space: SpaceRepository,
  merge: CleanMerge,
  commit: MergeCommit,
  into?: Staging,
): Promise<CommitId> {
  const { ours, theirs, tree } = merge
  await checkMergedNames(space.repo, tree, ours, theirs)
  const overrides = await mergedOverrides(app, space, merge)
  const { parents = [ours, theirs], message, author, headers = {} } = commit
  return makeCommit(app, space, { parents, tree, changes: [], message, author, overrides, headers }, into)
}
