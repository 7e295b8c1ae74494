import { type Repository, type Staging, StaleRef } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import type { RefGuard } from './guards.js'
import { ATTEMPTS, moveRefs, movesTooFast } from './move-branch.js'

const REASON = 'edit content'
/** Bytes of objects that are made but not yet on the disk: beyond them, edits wait until those are. */
const MAX_STAGED_BYTES = 32 * 1024 * 1024

/** A write of content that waits for its turn. */
export interface Edit<T> {
  ref: RefName
  guard: RefGuard
  /**
   * Makes the edit's commit in `staging`, on the head that the branch has or that the edits before it gave it (null = there
   * is no branch). Throws what the client is to be told.
   */
  make(staging: Staging, head: CommitId | null): Promise<{ head: CommitId; result: T }>
  resolve(result: T): void
  reject(error: unknown): void
}

/** What has become of the edits of one branch, were it moved now. */
interface Chain<T> {
  ref: RefName
  from: CommitId | null
  to: CommitId | null
  edits: readonly Edit<T>[]
  /** Those of them that have their commit. */
  made: Edit<T>[]
  deliver: (() => void)[]
}

/**
 * Makes edits of one space, each on what the one before it in its branch made: objects first, all durable together, then one
 * move of the refs, then the answers. An edit that fails is left out alone. A branch that somebody else moved meanwhile is
 * planned again, with all its edits; so is one of which an edit is refused at last. Never rejects.
 */
export async function makeEdits<T>(lease: Lease, repo: Repository, edits: readonly Edit<T>[]): Promise<void> {
  for (let rest = edits; rest.length > 0; ) rest = await makeSome(lease, repo, rest)
}

/** Makes as many of the edits as may be held in memory at once; answers the others. */
async function makeSome<T>(lease: Lease, repo: Repository, edits: readonly Edit<T>[]): Promise<readonly Edit<T>[]> {
  const later: Edit<T>[] = []
  let open = byBranch(edits)
  for (let tries = 1; open.length > 0; tries++) {
    const staging = repo.stage()
    const chains: Chain<T>[] = []
    try {
      for (const [ref, own] of open) chains.push(await plan(repo, staging, ref, own, later))
      await staging.settle()
    } catch (error) {
      for (const [, own] of open) for (const edit of own) edit.reject(error)
      return []
    }
    const { refused, stale } = await duringOf(edits)(async () => {
      const { ready, refused } = await askAgain(chains)
      return { refused, stale: await publish(lease, repo, ready) }
    })
    if (tries >= ATTEMPTS) for (const { chain, error } of stale.splice(0)) for (const edit of chain.edits) edit.reject(movesTooFast(error))
    open = [...stale.map(({ chain }): [RefName, Edit<T>[]] => [chain.ref, [...chain.edits]]), ...refused]
  }
  return later
}

/** All edits are of one space: the guard of any holds its moves together. */
const duringOf = <T>([first]: readonly Edit<T>[]): RefGuard['during'] => (first ? first.guard.during : (work) => work())

/**
 * Asks the guards once more, with all objects made and the refs about to move. Where one says no, its edit is refused, and
 * the others of that branch have to be made again without it.
 */
async function askAgain<T>(chains: readonly Chain<T>[]): Promise<{ ready: Chain<T>[]; refused: [RefName, Edit<T>[]][] }> {
  const ready: Chain<T>[] = []
  const refused: [RefName, Edit<T>[]][] = []
  for (const chain of chains) {
    const gone = new Set<Edit<T>>()
    for (const edit of chain.made)
      await edit.guard.check().catch((error) => {
        gone.add(edit)
        edit.reject(error)
      })
    if (gone.size === 0) ready.push(chain)
    else refused.push([chain.ref, chain.edits.filter((edit) => !gone.has(edit))])
  }
  return { ready, refused }
}

function byBranch<T>(edits: readonly Edit<T>[]): [RefName, Edit<T>[]][] {
  const groups = new Map<RefName, Edit<T>[]>()
  for (const edit of edits) groups.set(edit.ref, [...(groups.get(edit.ref) ?? []), edit])
  return [...groups]
}

/** Plans the edits of one branch; those for which there is no room are put `later`. */
async function plan<T>(repo: Repository, staging: Staging, ref: RefName, edits: readonly Edit<T>[], later: Edit<T>[]): Promise<Chain<T>> {
  const from = repo.head(ref)
  const chain: Chain<T> & { edits: Edit<T>[] } = { ref, from, to: from, edits: [], made: [], deliver: [] }
  for (const edit of edits) {
    if (staging.bytes > MAX_STAGED_BYTES) {
      later.push(edit)
      continue
    }
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
  return chain
}

/** Moves the branches, all at once where nothing is in the way; answers those that somebody else had moved. */
async function publish<T>(lease: Lease, repo: Repository, chains: readonly Chain<T>[]): Promise<{ chain: Chain<T>; error: unknown }[]> {
  const moveOf = ({ ref, from, to }: Chain<T>) => ({ ref, from, to })
  const moved = chains.filter(({ from, to }) => from !== to)
  const together =
    moved.length > 1 &&
    (await moveRefs(repo, moved.map(moveOf), REASON, lease).then(
      () => true,
      () => false,
    ))
  const stale: { chain: Chain<T>; error: unknown }[] = []
  for (const chain of chains) {
    try {
      if (!together && chain.from !== chain.to) await moveRefs(repo, [moveOf(chain)], REASON, lease)
      if (chain.from !== chain.to) for (const edit of chain.made) edit.guard.moved()
      for (const deliver of chain.deliver) deliver()
    } catch (error) {
      if (error instanceof StaleRef) stale.push({ chain, error })
      else for (const edit of chain.edits) edit.reject(error)
    }
  }
  return stale
}
