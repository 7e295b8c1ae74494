// Commits edits that wait for the same space together: their objects are synced to the disk at once, then their branches move at once.
import { type Repository, type Staging, StaleRef } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
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
  edits: readonly Edit<T>[]
  /** The edits that have a commit. */
  made: Edit<T>[]
  /** Resolve or reject each edit, once the branch has moved. */
  deliver: (() => void)[]
}

/**
 * Makes edits of one space, each on top of the one before it on its branch. First all objects are made durable, then the refs move, then the
 * edits resolve. An edit that fails is left out; the others go on. If somebody else moved a branch meanwhile, or a guard refuses one of its
 * edits at the end, all edits of that branch are made again. Never rejects.
 */
export async function makeEdits<T>(lease: Lease, repo: Repository, edits: readonly Edit<T>[]): Promise<void> {
  for (let rest = edits; rest.length > 0; ) rest = await makeSome(lease, repo, rest)
}

/** Makes as many of the edits as may be held in memory at once. Returns the others. */
async function makeSome<T>(lease: Lease, repo: Repository, edits: readonly Edit<T>[]): Promise<readonly Edit<T>[]> {
  const later: Edit<T>[] = []
  let open = byBranch(edits)
  for (let tries = 1; open.length > 0; tries++) {
    const staging = repo.stage()
    const chains: Chain<T>[] = []
    try {
      for (const [ref, own] of open) chains.push(await makeChain(repo, staging, ref, own, later))
      await staging.settle()
    } catch (error) {
      for (const [, own] of open) for (const edit of own) edit.reject(error)
      return []
    }
    const { refused, stale } = await duringOf(edits)(async () => {
      const { ready, refused } = await checkAgain(chains)
      return { refused, stale: await publish(lease, repo, ready) }
    })
    if (tries >= ATTEMPTS) for (const { chain, error } of stale.splice(0)) for (const edit of chain.edits) edit.reject(movesTooFast(error))
    open = [...stale.map(({ chain }): [RefName, Edit<T>[]] => [chain.ref, [...chain.edits]]), ...refused]
  }
  return later
}

/** All edits are of the same space, so the `during` of any of their guards will do. */
const duringOf = <T>([first]: readonly Edit<T>[]): RefGuard['during'] => (first ? first.guard.during : (work) => work())

/**
 * Asks the guards once more, when all objects are made and the refs are about to move. If a guard refuses, its edit is rejected and the other
 * edits of that branch have to be made again without it (`refused`).
 */
async function checkAgain<T>(chains: readonly Chain<T>[]): Promise<{ ready: Chain<T>[]; refused: [RefName, Edit<T>[]][] }> {
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

/** Makes the commits of one branch's edits. Edits for which there is no room in memory are added to `later`. */
async function makeChain<T>(repo: Repository, staging: Staging, ref: RefName, edits: readonly Edit<T>[], later: Edit<T>[]): Promise<Chain<T>> {
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

/** Moves the branches, all at once if possible. Returns those that somebody else had moved. */
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
