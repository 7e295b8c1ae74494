/** What was moved by hand on a node is kept under a ref of its own, and told. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { RefMove } from '../types.js'
import type { Deviation } from './disk-refs.js'

const PREFIX = 'refs/bindery/set-aside/'

/** A ref that was moved by hand on a node, and was put back. */
export interface SetAside {
  ref: RefName
  /** What it had been moved to; null = it was deleted. */
  found: CommitId | null
  /** What it is: the value of all nodes; null = there is no such ref. */
  put: CommitId | null
  /** The ref under which the commit is kept, on all nodes; null = nothing had to be kept. */
  kept: RefName | null
}

/** The name is made of the commit and the ref: the same find on two nodes, or at two times, is one. */
const keptAs = (ref: RefName, commit: CommitId): RefName =>
  `${PREFIX}${commit.slice(0, 12)}/${ref.slice('refs/'.length)}` as RefName

/** What is kept of each deviation, and the moves that make the refs for it. */
export function planSetAside(
  found: readonly Deviation[],
  known: (ref: RefName) => CommitId | null,
): { told: SetAside[]; moves: RefMove[] } {
  const told: SetAside[] = []
  const moves = new Map<RefName, RefMove>()
  for (const { ref, found: commit, wanted } of found) {
    // What was kept before is not kept once more under a longer name.
    const kept = commit === null || ref.startsWith(PREFIX) ? null : keptAs(ref, commit)
    told.push({ ref, found: commit, put: wanted, kept })
    if (kept !== null && known(kept) === null) moves.set(kept, { ref: kept, from: null, to: commit })
  }
  return { told, moves: [...moves.values()] }
}
