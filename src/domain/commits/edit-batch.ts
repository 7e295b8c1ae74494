// Commits edits that wait for the same space together: their objects are synced to the disk at once, then their branches move at once.
import { type Repository, type Staging, StaleRef } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import type { Turn } from '../context/batcher.js'
import type { RefGuard } from './guards.js'
import { ATTEMPTS, moveRefs, movesTooFast } from './move-branch.js'

const REASON = 'edit content'
/** Bytes of objects that are made but not yet on the disk. Once there are more, further edits wait until these are on the disk. */
const MAX_STAGED_BYTES = 32 * 1024 * 1024

/** A write of content that waits for its turn. */
export interface Edit<T> {
  ref: RefName
  guard: RefGuard
  /**
   * Makes the edit's commit in `staging`, on top of `head`: the branch's head, or the commit of the edit before it (null = the branch does not
   * exist). Throws the client's error.
   */
  make(staging: Staging, head: CommitId | null): Promise<{ head: CommitId; result: T }>
  resolve(result: T): void
  reject(error: unknown): void
}

/** The edits of one branch, each on top of the one before it; the branch is to move `from` its head `to` the last commit. */
interface Chain<T> {
  ref: RefName
  from: CommitId | null
  to: CommitId | null
  edits: Edit<T>[]
  /** The edits that have a commit. */
  made: Edit<T>[]
  /** Resolve or reject each edit, once the branch has moved. */
  deliver: (() => void)[]
}

/**
 * Makes edits of one space, each on top of the one before it on its branch; those that come while others are made join them. First all objects
 * are made durable, then the refs move, then the edits resolve. An edit that fails is left out; the others go on. If somebody else moved a branch
 * meanwhile, or a guard refuses one of its edits at the end, all edits of that branch are made again. Never rejects.
 */
export async function makeEdits<T>(lease: Lease, repo: Repository, turn: Turn<Edit<T>>): Promise<void> {
  for (let first = await turn.next(); first !== null; first = await turn.next())
    await makeSome(lease, repo, first, turn)
}

/** Makes an edit, and as many of those after it as may be held in memory at once. */
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
    const { refused, stale } = await first.guard.during(async () => {
      const { ready, refused } = await checkAgain([...chains.values()])
      return { refused, stale: await publish(lease, repo, ready) }
    })
    if (tries >= ATTEMPTS)
      for (const { chain, error } of stale.splice(0)) for (const edit of chain.edits) edit.reject(movesTooFast(error))
    again = [...stale.flatMap(({ chain }) => chain.edits), ...refused]
  }
}

/** The edits of a turn, until as much is staged as may be held in memory. */
async function* withRoom<T>(first: Edit<T>, turn: Turn<Edit<T>>, staging: Staging): AsyncGenerator<Edit<T>> {
  yield first
  while (staging.bytes <= MAX_STAGED_BYTES) {
    const next = await turn.next()
    if (next === null) return
    yield next
  }
}

/**
 * Asks the guards once more, when all objects are made and the refs are about to move. If a guard refuses, its edit is rejected and the other
 * edits of that branch have to be made again without it (`refused`).
 */
async function checkAgain<T>(chains: readonly Chain<T>[]): Promise<{ ready: Chain<T>[]; refused: Edit<T>[] }> {
  const ready: Chain<T>[] = []
  const refused: Edit<T>[] = []
  for (const chain of chains) {
    const gone = new Set<Edit<T>>()
    for (const edit of chain.made)
      await edit.guard.check().catch((error) => {
        gone.add(edit)
        edit.reject(error)
      })
    if (gone.size === 0) ready.push(chain)
    else refused.push(...chain.edits.filter((edit) => !gone.has(edit)))
  }
  return { ready, refused }
}

/** Makes the commit of an edit, on top of what the edits before it made of its branch. */
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

/** Moves the branches, all at once if possible. Returns those that somebody else had moved. */
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
