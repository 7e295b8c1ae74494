// Builds the 409 error for a merge with conflicts.
import type { MergeConflict } from '../../../git/index.js'
import { conflict } from '../../../kernel/errors.js'

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
