import { RefLocked, type RefMove, type Repository, StaleRef } from '../../git/index.js'
import { conflict } from '../../kernel/errors.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import type { RefGuard } from './guards.js'
import { translated } from './make-commit.js'

/** How often a write is planned anew when somebody else moved the branch meanwhile. */
export const ATTEMPTS = 8

/** What a client is told whose write was overtaken each time. */
export const movesTooFast = (cause: unknown): Error =>
  conflict(`The content is being changed faster than this change could be applied (${ATTEMPTS} attempts). Try again.`, { cause })

/** `Repository.move`, with what a client is told of a lock file in the way: 409. Throws `StaleRef`. */
export async function moveRefs(repo: Repository, moves: readonly RefMove[], reason: string, lease: Lease): Promise<void> {
  try {
    await repo.move(moves, reason, lease)
  } catch (error) {
    throw error instanceof RefLocked ? conflict(lockedSentence(error), { cause: error }) : translated(error)
  }
}

/** What people are told of lock files in the way, and what to do. */
const lockedSentence = ({ locks }: RefLocked): string =>
  `Git's ${locks.length === 1 ? 'lock' : 'locks'} ${locks.join(', ')} in the repository of the space did not go away: another Git process is at work there, or was killed. ` +
  'No branch was moved. Try again; if it stays so, an administrator of the server has to delete that file once no Git process runs there.'

/** A branch to move: whether it may is asked of `guard` before the work and again when all is made. */
export interface BranchMove {
  ref: RefName
  reason: string
  guard: RefGuard
  lease: Lease
}

/**
 * Runs `attempt` with the branch's present head until its compare-and-swap succeeds. `attempt` makes objects and answers
 * the commit that the branch is to name (the same head = nothing to do). Never overwrites a move made by others.
 */
export async function moveBranch(
  repo: Repository,
  { ref, reason, guard, lease }: BranchMove,
  attempt: (head: CommitId | null) => Promise<CommitId>,
): Promise<CommitId> {
  for (let tries = 1; ; tries++) {
    const head = repo.head(ref)
    await guard.check()
    const commit = await attempt(head)
    if (commit === head) return commit
    try {
      await guard.during(async () => {
        await guard.check()
        await moveRefs(repo, [{ ref, from: head, to: commit }], reason, lease)
      })
      guard.moved()
      return commit
    } catch (error) {
      if (!(error instanceof StaleRef)) throw error
      if (tries >= ATTEMPTS) throw movesTooFast(error)
    }
  }
}
