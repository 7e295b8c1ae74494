// Moves branches with compare-and-swap. If another process moved the branch, the write is made again on the new head.
import { RefLocked, type RefMove, type Repository, StaleRef } from '../../git/index.js'
import { conflict } from '../../kernel/errors.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import type { RefGuard } from './guards.js'
import { translated } from './make-commit.js'

/** Maximum number of attempts for a write whose branch keeps moving. */
export const ATTEMPTS = 8

/** Returns the error for a write whose branch was moved by other processes during each attempt. */
export const movesTooFast = (cause: unknown): Error =>
  conflict(`The content is being changed faster than this change could be applied (${ATTEMPTS} attempts). Try again.`, {
    cause,
  })

/**
 * Moves refs like `Refs.move`, but throws 409 if a lock file is in the way. Throws `StaleRef` if a ref does not
 * have the head that `moves` expects.
 */
export async function moveRefs(
  repo: Repository,
  moves: readonly RefMove[],
  reason: string,
  lease: Lease,
): Promise<void> {
  try {
    await repo.refs.move(moves, reason, lease)
  } catch (error) {
    throw error instanceof RefLocked ? conflict(lockedMessage(error), { cause: error }) : translated(error)
  }
}

/** Returns an error message with the names of the lock files and the remedy. */
const lockedMessage = ({ locks }: RefLocked): string =>
  `Another Git process holds ${locks.length === 1 ? 'the lock' : 'the locks'} ${locks.join(', ')} in the space's repository, or was killed without removing ${locks.length === 1 ? 'it' : 'them'}. ` +
  'No branch was moved. Try again later. If the error persists, ask a server administrator to delete the lock file while no Git process is running there.'

/** A move of refs. `guard` is asked before the work, and again right before the move. */
interface GuardedMove {
  repo: Repository
  guard: RefGuard
  reason: string
  lease: Lease
}

/**
 * The only way to move a guarded branch: check, prepare, check, move. `prepare` writes objects and returns the moves,
 * or none if there is nothing to move. All refs move together. Throws `StaleRef` if one of them does not have the head
 * that `prepare` found.
 */
export async function moveGuarded<T>(
  { repo, guard, reason, lease }: GuardedMove,
  prepare: () => Promise<{ moves: readonly RefMove[]; result: T }>,
): Promise<T> {
  await guard.check()
  const { moves, result } = await prepare()
  if (moves.length === 0) return result
  await guard.during(async () => {
    await guard.check(moves)
    await moveRefs(repo, moves, reason, lease)
  })
  guard.moved()
  return result
}

/**
 * Runs `attempt` with the branch's current head until the branch can be moved to its result. `attempt` writes objects
 * and returns the new head, or the same head if there is nothing to do. Never overwrites a concurrent move. Returns the
 * branch's head. Throws 409 after `ATTEMPTS` attempts.
 */
export async function moveBranch(
  repo: Repository,
  { ref, ...move }: Omit<GuardedMove, 'repo'> & { ref: RefName },
  attempt: (head: CommitId | null) => Promise<CommitId>,
): Promise<CommitId> {
  for (let tries = 1; ; tries++) {
    const head = repo.refs.head(ref)
    try {
      return await moveGuarded({ repo, ...move }, async () => {
        const to = await attempt(head)
        return { moves: to === head ? [] : [{ ref, from: head, to }], result: to }
      })
    } catch (error) {
      if (!(error instanceof StaleRef)) throw error
      if (tries >= ATTEMPTS) throw movesTooFast(error)
    }
  }
}
