// Moves branches by compare-and-swap: a write whose branch was moved by somebody else meanwhile is made again on the new head.
import { RefLocked, type RefMove, type Repository, StaleRef } from '../../git/index.js'
import { conflict } from '../../kernel/errors.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import type { RefGuard } from './guards.js'
import { translated } from './make-commit.js'

/** How often a write is made again because somebody else moved the branch. */
export const ATTEMPTS = 8

/** The error of a write whose branch was moved by others during each attempt. */
export const movesTooFast = (cause: unknown): Error =>
  conflict(`The content is being changed faster than this change could be applied (${ATTEMPTS} attempts). Try again.`, {
    cause,
  })

/** Like `Repository.move`, but a lock file in the way is a 409 for the client. Throws `StaleRef` if a ref is not where `moves` say. */
export async function moveRefs(
  repo: Repository,
  moves: readonly RefMove[],
  reason: string,
  lease: Lease,
): Promise<void> {
  try {
    await repo.move(moves, reason, lease)
  } catch (error) {
    throw error instanceof RefLocked ? conflict(lockedSentence(error), { cause: error }) : translated(error)
  }
}

/** Names the lock files in the way and says what to do. */
const lockedSentence = ({ locks }: RefLocked): string =>
  `Another Git process holds ${locks.length === 1 ? 'the lock' : 'the locks'} ${locks.join(', ')} in the space's repository, or was killed and left it there. ` +
  'No branch was moved. Try again later. If this goes on, an administrator of the server has to delete that file while no Git process is running there.'

/** A branch to move. `guard` is asked before the work and again right before the move. */
interface BranchMove {
  ref: RefName
  reason: string
  guard: RefGuard
  lease: Lease
}

/**
 * Runs `attempt` with the branch's present head until the branch can be moved to its result. `attempt` makes objects and returns the new head,
 * or the same head if there is nothing to do. Never overwrites a move made by others. Returns the branch's head.
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
