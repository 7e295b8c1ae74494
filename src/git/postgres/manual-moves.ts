/** Keeps refs that were moved by hand on a node under separate refs, so that no commit is lost. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { RefMove } from '../types.js'
import type { Deviation } from './disk-refs.js'

const PREFIX = 'refs/bindery/set-aside/'

/** A ref that was moved by hand on a node and then reset. */
export interface SetAside {
  ref: RefName
  /** The commit that it was moved to; null = it was deleted. */
  found: CommitId | null
  /** The commit that it was reset to, as on all nodes; null = the ref does not exist. */
  put: CommitId | null
  /** The ref that keeps the commit, on all nodes; null = nothing had to be kept. */
  kept: RefName | null
}

/**
 * Returns the ref that keeps a commit. Its name depends only on the commit and the ref, so finding the same move twice
 * gives the same ref.
 */
const keptAs = (ref: RefName, commit: CommitId): RefName =>
  `${PREFIX}${commit.slice(0, 12)}/${ref.slice('refs/'.length)}`

/** Plans how to set aside each deviation: the report for the operator, and the moves that create the refs. */
export function planSetAside(
  found: readonly Deviation[],
  known: (ref: RefName) => CommitId | null,
): { told: SetAside[]; moves: RefMove[] } {
  const told: SetAside[] = []
  const moves = new Map<RefName, RefMove>()
  for (const { ref, actual: commit, expected } of found) {
    // Commits that are already set aside are not kept again under a longer name.
    const kept = commit === null || ref.startsWith(PREFIX) ? null : keptAs(ref, commit)
    told.push({ ref, found: commit, put: expected, kept })
    if (kept !== null && known(kept) === null) moves.set(kept, { ref: kept, from: null, to: commit })
  }
  return { told, moves: [...moves.values()] }
}
