/**
 * Makes the commit of every three-way merge: merge or update of a change request, its revert, an edit made on an earlier revision, an import,
 * and a later head that joins a conflict's branch.
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
  /** The newest commits that both sides contain: page IDs are merged on them. */
  bases: readonly CommitId[]
  tree: TreeId
  /** Whose page keeps its ID if both sides added or restored the same page: `ours` by default. */
  keeper?: 'ours' | 'theirs'
}

/** What its commit says. */
interface MergeCommit {
  /** `[ours, theirs]` by default. The first is the branch that takes the commit. */
  parents?: readonly CommitId[]
  message: string
  author: Pick<UserDoc, 'displayName' | 'email'>
  /** Headers in addition to the one that carries page IDs. */
  headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Makes the commit of two trees that `mergeCommits` has merged. Moves no ref. Durable when it resolves, or when `into` is settled if that is given.
 * Throws 409 with the paths if the merge brings names together that differ by case alone.
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
