// Commits waiting edits of one space as a batch: one disk sync for all objects, then one ref transaction for all
// branches.
import { type Repository, type Staging, StaleRef } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import type { App } from '../context/app.js'
import type { Turn } from '../context/batcher.js'
import type { SpaceRepository } from '../context/loaded.js'
import type { RefGuard } from './guards.js'
import { ATTEMPTS, moveGuarded, movesTooFast } from './move-branch.js'
import { required } from '../../kernel/defined.js'

const REASON = 'edit content'
/** Maximum size of written objects that are not yet on disk. Above it, further edits wait for the disk sync. */
const MAX_STAGED_BYTES = 32 * 1024 * 1024

/**
 * Creates the commit of an edit in `staging`, on top of `head`: the branch's head or the previous edit's commit, or null
 * if the branch does not exist. Throws the error for the client.
 */
export type MakeEdit<T> = (staging: Staging, head: CommitId | null) => Promise<{ head: CommitId; result: T }>

/** The branch of an edit. */
export interface EditedBranch {
  ref: RefName
  guard: RefGuard
}

/** A queued edit. */
interface Edit<T> extends EditedBranch {
  make: MakeEdit<T>
  resolve(result: T): void
  reject(error: unknown): void
}

/**
 * Commits an edit in the space's next batch, together with all other waiting edits.
 * @param prepare does the part of the work that needs no lock, once the guard has allowed the edit
 */
export async function commitEdit<T>(
  app: Pick<App, 'edits'>,
  { doc, repo }: SpaceRepository,
  branch: EditedBranch,
  prepare: () => Promise<MakeEdit<T>>,
): Promise<T> {
  await branch.guard.check()
  const make = await prepare()
  return new Promise((resolve, reject) =>
    app.edits.add<Edit<T>>(doc.id, { ...branch, make, resolve, reject }, (turn, lease) => makeEdits(lease, repo, turn)),
  )
}

/**
 * The edits of one branch, each on top of the previous one. The branch moves from the head `from` to the last commit
 * `to`.
 */
interface Chain<T> {
  ref: RefName
  from: CommitId | null
  to: CommitId | null
  /** The edits that have a commit, with it. */
  made: { edit: Edit<T>; head: CommitId }[]
  /** Functions that resolve or reject each edit after the branch has moved. */
  deliver: (() => void)[]
}

/**
 * Commits the edits of one space, each on top of the previous one on its branch. Edits that arrive during the work join
 * the batch. The objects are synced to disk first. Then the refs move, and the edits resolve. A failed edit is left out
 * and the others continue. Never rejects.
 */
async function makeEdits<T>(lease: Lease, repo: Repository, turn: Turn<Edit<T>>): Promise<void> {
  for (let first = await turn.next(); first !== null; first = await turn.next()) {
    const staging = repo.objects.stage()
    await makeTogether({ lease, repo, staging }, withRoom(first, turn, staging))
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
 * Commits edits, and moves their branches in one transaction. If another process moved a branch, or a guard's final
 * check rejects an edit, the remaining edits are made again: those of each branch alone, so that no branch waits for
 * another one.
 */
async function makeTogether<T>(
  { lease, repo, staging }: { lease: Lease; repo: Repository; staging: Staging },
  edits: AsyncIterable<Edit<T>> | readonly Edit<T>[],
  tries = 1,
): Promise<void> {
  const taken: Edit<T>[] = []
  const chains = new Map<RefName, Chain<T>>()
  const rejected = new Set<Edit<T>>()
  let prepared = false
  const moved = () => [...chains.values()].filter(({ from, to }) => from !== to)
  const guard: RefGuard = {
    check: () => checkAll(moved(), rejected),
    during: (work) => required(taken[0]).guard.during(work),
    moved: () => {
      for (const { made } of moved()) for (const { edit } of made) edit.guard.moved()
    },
  }
  try {
    await moveGuarded({ repo, guard, reason: REASON, lease }, async () => {
      for await (const edit of edits) {
        taken.push(edit)
        await extend(chains, edit, repo, staging)
      }
      await staging.settle()
      prepared = true
      return { moves: moved().map(({ ref, from, to }) => ({ ref, from, to })), result: null }
    })
    for (const { deliver } of chains.values()) for (const settle of deliver) settle()
  } catch (error) {
    const left = taken.filter((edit) => !rejected.has(edit))
    const isStale = error instanceof StaleRef
    const again = prepared && (chains.size > 1 || rejected.size > 0 || (isStale && tries < ATTEMPTS))
    if (!again) for (const edit of left) edit.reject(isStale ? movesTooFast(error) : error)
    for (const ref of again ? chains.keys() : [])
      await makeTogether(
        { lease, repo, staging: repo.objects.stage() },
        left.filter((edit) => edit.ref === ref),
        tries + 1,
      )
  }
}

/**
 * Asks the guards once more, each about the branch with the edit and all earlier ones. Rejects the edits whose guard
 * throws, and then throws one of these errors.
 */
async function checkAll<T>(chains: readonly Chain<T>[], rejected: Set<Edit<T>>): Promise<void> {
  let denied: unknown
  for (const { ref, from, made } of chains)
    for (const { edit, head } of made)
      await edit.guard.check([{ ref, from, to: head }]).catch((error: unknown) => {
        denied = error
        rejected.add(edit)
        edit.reject(error)
      })
  if (rejected.size > 0) throw denied
}

/** Creates the commit of an edit on top of the previous edits of its branch. */
async function extend<T>(
  chains: Map<RefName, Chain<T>>,
  edit: Edit<T>,
  repo: Repository,
  staging: Staging,
): Promise<void> {
  const from = chains.get(edit.ref)?.from ?? repo.refs.head(edit.ref)
  const chain = chains.get(edit.ref) ?? { ref: edit.ref, from, to: from, made: [], deliver: [] }
  chains.set(edit.ref, chain)
  try {
    const { head, result } = await edit.make(staging, chain.to)
    chain.to = head
    chain.made.push({ edit, head })
    chain.deliver.push(() => edit.resolve(result))
  } catch (error) {
    chain.deliver.push(() => edit.reject(error))
  }
}
