// The types of a three-way merge: its input and its result.
import type { FileChange, MergeConflict } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'

/** Two commits to merge, and the merge base. If `base` is absent, it is computed from their histories. */
export interface Sides {
  ours: CommitId
  theirs: CommitId
  base?: CommitId
}

/** The result of merging the trees of two commits. */
export type MergedTree =
  | { clean: true; tree: TreeId }
  | {
      clean: false
      conflicts: MergeConflict[]
      /** The tree from Git's merge. Files in conflict contain markers, so it must not be committed unchanged. */
      tree: TreeId
      /**
       * Further changes to Git's tree: files that were merged by structure, and removals of names that Git generated.
       */
      setAside: FileChange[]
      /**
       * Files in conflict that were merged by ID, with Git's conflict markers, at their merged paths. Git's tree does
       * not contain them at those paths.
       */
      marked: FileChange[]
    }
