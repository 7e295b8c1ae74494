/** The copy of one repository on a node: its state in memory, and the services that bring it up to date. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Database } from '../../postgres/index.js'
import type { LocalGit } from '../open-git.js'
import type { BareRepository } from '../repository.js'
import type { RefMove } from '../types.js'
import { type Deviation, DiskRefStamps } from './disk-refs.js'
import type { Head } from './head.js'
import { KnownRefs } from './database-refs.js'
import type { SetAside } from './manual-moves.js'

/** The services that the copies of a node share. */
export interface NodeServices {
  readonly database: Database
  /** The repositories on the disk. */
  readonly git: LocalGit
  /** Called with a message for the operator. */
  notice(message: string): void
  /** Called after refs that were moved by hand on this node were set aside. */
  setAside(name: string, found: readonly SetAside[]): void
  /** Notifies the other nodes that this node moved refs or that the repository is gone. */
  notifyNodes(name: string): void
  /** Called after other nodes moved refs. */
  movedElsewhere(name: string, refs: readonly RefName[]): void
  /** Called after the refs in memory changed. */
  updateCache(copy: Copy): void
}

/** A copy of a repository. Only one step at a time changes it. */
export class Copy {
  /** The head of the refs in memory; null = not read yet. */
  head: Head | null = null
  refs = new KnownRefs()
  local: BareRepository | null = null
  /** The repository was removed. */
  gone = false
  /** Time when an operation on the copy last started or ended, by `performance.now()`. */
  usedAt = Number.NEGATIVE_INFINITY
  #operations = 0
  /** Time of the last comparison of the refs on the disk with those in memory, by `performance.now()`. */
  comparedAt = Number.NEGATIVE_INFINITY
  readonly stamps: DiskRefStamps
  /** Values that refs may have on the disk because this node has not applied all moves there yet; null = any value. */
  // bound: refs whose file could not be moved, and the refs of the current step
  #late: Map<RefName, Set<CommitId | null>> | null = null

  constructor(
    readonly name: string,
    readonly path: string,
  ) {
    this.stamps = new DiskRefStamps(path)
  }

  /** Marks the copy as in use until the result of an operation is settled. Returns the result. */
  inUse<T>(result: T): T {
    this.usedAt = performance.now()
    if (!(result instanceof Promise)) return result
    this.#operations++
    const end = (): void => {
      this.#operations--
      this.usedAt = performance.now()
    }
    result.then(end, end)
    return result
  }

  /** Whether no operation has used the copy in the last `forMs` milliseconds. */
  isIdle(forMs: number): boolean {
    return this.#operations === 0 && performance.now() - this.usedAt >= forMs
  }

  /** The repository on the disk. */
  get disk(): BareRepository {
    if (!this.local) throw new Error(`${this.name} was used before it was opened`)
    return this.local
  }

  /** Whether all moves were applied on the disk. */
  get isUpToDate(): boolean {
    return this.#late?.size === 0
  }

  /** Accepts any value on the disk: no difference counts as a move by hand. */
  expectAnything(): void {
    this.#late = null
  }

  expectNothing(): void {
    this.#late = new Map()
  }

  /** Accepts these values of a ref on the disk. */
  expect(ref: RefName, ...values: readonly (CommitId | null)[]): void {
    if (this.#late === null) return
    const known = this.#late.get(ref)
    if (known) for (const value of values) known.add(value)
    else this.#late.set(ref, new Set(values))
  }

  /** Accepts the values before, during and after the moves on the disk. */
  expectMoves(moves: readonly RefMove[]): void {
    for (const { ref, from, to } of moves) this.expect(ref, from, to)
  }

  /** Applies moves to the refs in memory. `after` is the head after the moves. The disk follows later. */
  applyMoves(moves: readonly RefMove[], after: Head): void {
    this.expectMoves(moves)
    this.refs.apply(moves)
    this.head = after
  }

  /** Records that these refs have the right value on the disk. */
  markApplied(refs: Iterable<RefName>): void {
    for (const ref of refs) this.#late?.delete(ref)
  }

  /** Whether the ref was moved by hand: its value on the disk is not one that this node expects. */
  isForeign({ ref, actual }: Deviation): boolean {
    return this.#late !== null && !this.#late.get(ref)?.has(actual)
  }
}
