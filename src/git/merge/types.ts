/** The result of merging two trees. */
import type { TreeId } from '../../kernel/ids.js'
import type { TreeEntry } from '../objects/types.js'

export type ConflictKind =
  | 'content'
  | 'add/add'
  | 'modify/delete'
  | 'rename'
  | 'binary'
  | 'file/directory'
  | 'mode'
  /** Git merges the two sides, but their paths differ only in case (or Unicode composition). */
  | 'name'

export interface MergeConflict {
  path: string
  kind: ConflictKind
  /** The entries of the sides that have the path. */
  base?: TreeEntry
  ours?: TreeEntry
  theirs?: TreeEntry
}

export type MergeOutcome =
  | { clean: true; tree: TreeId }
  | {
      clean: false /** Git's tree, with conflict markers in its files. It must never be committed. */
      tree: TreeId
      conflicts: MergeConflict[]
    }
