import type { FileChange, MergeConflict } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'

export interface Sides {
  ours: CommitId
  theirs: CommitId
  base?: CommitId
}

export type MergedTree =
  | { clean: true; tree: TreeId }
  | {
      clean: false
      conflicts: MergeConflict[]
      /** Git's tree, with markers in what conflicts: never to be committed. */
      tree: TreeId
      /** What must replace Git's attempt beside the conflicts: merged structures, and names that Git made up. */
      setAside: FileChange[]
    }
