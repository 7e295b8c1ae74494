// The types of a three-way merge: what goes in, and what comes out.
import type { FileChange, MergeConflict } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'

/** Two commits to merge. `base`: the merge base to use; if it is absent, it is found from their histories. */
export interface Sides {
  ours: CommitId
  theirs: CommitId
  base?: CommitId
}

/** What merging two commits' trees gave. */
export type MergedTree =
  | { clean: true; tree: TreeId }
  | {
      clean: false
      conflicts: MergeConflict[]
      /** The tree that Git's merge made. Files in conflict have markers in it: never to be committed as it is. */
      tree: TreeId
      /** Changes to Git's tree beside the conflicts: files that were merged by their structure, and names that Git made up. */
      setAside: FileChange[]
      /** Files in conflict that were followed by their IDs, with Git's conflict markers, at their merged paths: Git's tree does not have them there. */
      marked: FileChange[]
    }
