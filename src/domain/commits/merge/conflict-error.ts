import type { MergeConflict } from '../../../git/index.js'
import { conflict } from '../../../kernel/errors.js'

/** The paths that a conflict is known by: a file that both sides moved has two. */
export const namesOf = ({ path, kind, ours, theirs }: MergeConflict): string[] =>
  kind === 'rename' ? [...new Set([path, ours?.path ?? path, theirs?.path ?? path])] : [path]

function describe(one: MergeConflict): string {
  const [path, other] = namesOf(one)
  if (other === undefined) return `${one.kind} conflict`
  return `${one.kind} conflict: one side moved ${one.base?.path ?? 'the file'} to ${path}, the other to ${other}`
}

/** What a client is told of a merge that cannot be clean. */
export function conflictError(what: string, conflicts: readonly MergeConflict[], hint: string): Error {
  const count = new Set(conflicts.map((one) => one.path)).size
  return conflict(`${what} cannot be merged cleanly: ${count} ${count === 1 ? 'file is' : 'files are'} in conflict. Nothing was changed. ${hint}`, {
    paths: [...new Set(conflicts.flatMap(namesOf))],
    details: conflicts.map((one) => ({ path: one.path, message: describe(one) })),
  })
}
