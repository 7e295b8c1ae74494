// The input and the result of a three-way merge, and its conflicts in words.
import type { FileChange, MergeConflict } from '../../../git/index.js'
import { conflict } from '../../../kernel/errors.js'
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

/** Returns the paths that identify a conflict. A file that both sides moved to different paths has two or three. */
export const namesOf = ({ path, kind, ours, theirs }: MergeConflict): string[] =>
  kind === 'rename' ? [...new Set([path, ours?.path ?? path, theirs?.path ?? path])] : [path]

function describe(one: MergeConflict): string {
  const [path, other] = namesOf(one)
  if (other === undefined) return `${one.kind} conflict`
  return `${one.kind} conflict: one side moved ${one.base?.path ?? 'the file'} to ${path}, the other to ${other}`
}

/**
 * Returns the 409 error for a merge with conflicts.
 * @param what the subject of the message, which could not be merged
 * @param hint the sentence with the remedy
 */
export function conflictError(what: string, conflicts: readonly MergeConflict[], hint: string): Error {
  const count = new Set(conflicts.map((one) => one.path)).size
  return conflict(
    `${what} cannot be merged cleanly: ${count} ${count === 1 ? 'file has' : 'files have'} conflicts. Nothing was changed. ${hint}`,
    {
      paths: [...new Set(conflicts.flatMap(namesOf))],
      details: conflicts.map((one) => ({ path: one.path, message: describe(one) })),
    },
  )
}
