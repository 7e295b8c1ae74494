// The error of a merge that has conflicts.
import type { MergeConflict } from '../../../git/index.js'
import { conflict } from '../../../kernel/errors.js'

/** The paths that name a conflict. A file that both sides moved to different paths has two. */
export const namesOf = ({ path, kind, ours, theirs }: MergeConflict): string[] =>
  kind === 'rename' ? [...new Set([path, ours?.path ?? path, theirs?.path ?? path])] : [path]

function describe(one: MergeConflict): string {
  const [path, other] = namesOf(one)
  if (other === undefined) return `${one.kind} conflict`
  return `${one.kind} conflict: one side moved ${one.base?.path ?? 'the file'} to ${path}, the other to ${other}`
}

/** The 409 of a merge with conflicts. `what` could not be merged; `hint` says what to do. */
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
