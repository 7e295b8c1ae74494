// Commits waiting edits of one space as a batch: one disk sync for all objects, then one ref transaction for all
// branches.
import { type Repository, type Staging, StaleRef } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import type { Turn } from '../context/batcher.js'
import type { RefGuard } from './guards.js'
import { ATTEMPTS, moveRefs, movesTooFast } from './move-branch.js'

const REASON = 'edit content'
/** Maximum size of written objects that are not yet on disk. Above it, further edits wait for the disk sync. */
const MAX_STAGED_BYTES = 32 * 1024 * 1024

/** A queued content write. */
export interface Edit<T> {
  ref: RefName
  guard: RefGuard
  /**
   * Creates the edit's commit in `staging`, on top of `head`: the branch's head or the previous edit's commit, or null
   * if the branch does not exist. Throws the error for the client.
   */
  make(staging: Staging, head: CommitId | null): Promise<{ head: CommitId; result: T }>
  resolve(result: T): void
  reject(error: unknown): void
}

/**
 * The edits of one branch, each on top of the previous one. The branch moves from the head `from` to the last commit
 * `to`.
 */
interface Chain<T> {
  ref: RefName
  from: CommitId | null
  to: CommitId | null
  edits: Edit<T>[]
  /** The edits that have a commit. */
  made: Edit<T>[]
  /** Functions that resolve or reject each edit after the branch has moved. */
  deliver: (() => void)[]
}

/**
 * Commits the edits of one space, each on top of the previous one on its branch. Edits that arrive during the work join
 * the batch. The objects are synced to disk first. Then the refs move, and the edits resolve. A failed edit is left out
 * and the others continue. If another process moved a branch, or a guard's final check rejects an edit, all remaining
 * edits of that branch are made again. Never rejects.
 */
export async function makeEdits<T>(lease: Lease, repo: Repository, turn: Turn<Edit<T>>): Promise<void> {
  for (let first = await turn.next(); first !== null; first = await turn.next())
    await makeSome(lease, repo, first, turn)
}

/** Commits an edit together with the following ones, up to the staging limit. */
async function makeSome<T>(lease: Lease, repo: Repository, first: Edit<T>, turn: Turn<Edit<T>>): Promise<void> {
  let again: readonly Edit<T>[] = []
  for (let tries = 1; tries === 1 || again.length > 0; tries++) {
    const staging = repo.stage()
    const taken: Edit<T>[] = []
    const chains = new Map<RefName, Chain<T>>()
    try {
      for await (const edit of tries === 1 ? withRoom(first, turn, staging) : again) {
        taken.push(edit)
        await extend(chains, edit, repo, staging)
      }
      await staging.settle()
    } catch (error) {
      for (const edit of taken) edit.reject(error)
      return
    }
    const { retry, stale } = await first.guard.during(async () => {
      const { ready, retry } = await checkAgain([...chains.values()])
      return { retry, stale: await publish(lease, repo, ready) }
    })
    if (tries >= ATTEMPTS)
      for (const { chain, error } of stale.splice(0)) for (const edit of chain.edits) edit.reject(movesTooFast(error))
    again = [...stale.flatMap(({ chain }) => chain.edits), ...retry]
  }
}

/** Yields the edits of a turn until the staging limit is reached. */
async function* withRoom<T>(first: Edit<T>, turn: Turn<Edit<T>>, staging: Staging): AsyncGenerator<Edit<T>> {
  yield first
  while (staging.bytes <= MAX_STAGED_BYTES) {
    const next = await turn.next()
    if (next === null) return
    yield next
  }
}

/**
 * Runs the guards' final check, after the objects are written and right before the refs move. If a guard throws, its
 * edit is rejected. The other edits of that branch have to be made again without it and are returned as `retry`.
 */
async function checkAgain<T>(chains: readonly Chain<T>[]): Promise<{ ready: Chain<T>[]; retry: Edit<T>[] }> {
  const ready: Chain<T>[] = []
  const retry: Edit<T>[] = []
  for (const chain of chains) {
    const gone = new Set<Edit<T>>()
    for (const edit of chain.made)
      await edit.guard.check().catch((error) => {
        gone.add(edit)
        edit.reject(error)
      })
    if (gone.size === 0) ready.push(chain)
    else retry.push(...chain.edits.filter((edit) => !gone.has(edit)))
  }
  return { ready, retry }
}

/** Creates the commit of an edit on top of the previous edits of its branch. */
async function extend<T>(
  chains: Map<RefName, Chain<T>>,
  edit: Edit<T>,
  repo: Repository,
  staging: Staging,
): Promise<void> {
  const from = chains.get(edit.ref)?.from ?? repo.head(edit.ref)
  const chain = chains.get(edit.ref) ?? { ref: edit.ref, from, to: from, edits: [], made: [], deliver: [] }
  chains.set(edit.ref, chain)
  chain.edits.push(edit)
  try {
    await edit.guard.check()
    const { head, result } = await edit.make(staging, chain.to)
    chain.to = head
    chain.made.push(edit)
    chain.deliver.push(() => edit.resolve(result))
  } catch (error) {
    chain.deliver.push(() => edit.reject(error))
  }
}

/** Moves the branches, in one transaction if possible. Returns the ones that another process had moved. */
async function publish<T>(
  lease: Lease,
  repo: Repository,
  chains: readonly Chain<T>[],
): Promise<{ chain: Chain<T>; error: unknown }[]> {
  const moveOf = ({ ref, from, to }: Chain<T>) => ({ ref, from, to })
  const moved = chains.filter(({ from, to }) => from !== to)
  const movedAtOnce =
    moved.length > 1 &&
    (await moveRefs(repo, moved.map(moveOf), REASON, lease).then(
      () => true,
      () => false,
    ))
  const stale: { chain: Chain<T>; error: unknown }[] = []
  for (const chain of chains) {
    try {
      if (!movedAtOnce && chain.from !== chain.to) await moveRefs(repo, [moveOf(chain)], REASON, lease)
      if (chain.from !== chain.to) for (const edit of chain.made) edit.guard.moved()
      for (const deliver of chain.deliver) deliver()
    } catch (error) {
      if (error instanceof StaleRef) stale.push({ chain, error })
      else for (const edit of chain.edits) edit.reject(error)
    }
  }
  return stale
}
