/** The copy of one repository on a node: what is known of it in memory, and what the steps that bring it up to date work with. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Database } from '../../postgres/index.js'
import type { LocalGit } from '../open-git.js'
import type { BareRepository } from '../repository.js'
import type { RefMove } from '../types.js'
import { type Deviation, DiskRefStamps } from './disk-refs.js'
import type { Head } from './head.js'
import { KnownRefs } from './database-refs.js'
import type { SetAside } from './manual-moves.js'

/** What the copies of a node share. */
export interface NodeServices {
  readonly database: Database
  /** The repositories on the disk. */
  readonly git: LocalGit
  /** Called with a message for the operator. */
  notice(message: string): void
  /** Called with what was moved by hand on this node, after it was set aside. */
  setAside(name: string, found: readonly SetAside[]): void
  /** Tells other nodes that refs were moved by this one, or that the repository is gone. */
  tell(name: string): void
  /** Called after refs were moved by other nodes. */
  movedElsewhere(name: string, refs: readonly RefName[]): void
  /** Called after the refs in memory have changed. */
  keep(copy: Copy): void
}

/** A copy. It is changed by one step at a time. */
export class Copy {
  /** Where the refs in memory stand; null = they were not read yet. */
  at: Head | null = null
  refs = new KnownRefs()
  local: BareRepository | null = null
  /** The repository was removed. */
  gone = false
  /** When an operation on it last started or ended, by `performance.now()`. */
  usedAt = Number.NEGATIVE_INFINITY
  #operations = 0
  /** When the refs on the disk were last compared with those in memory, by `performance.now()`. */
  lookedAt = Number.NEGATIVE_INFINITY
  readonly stamps: DiskRefStamps
  /** Values that refs may have on the disk because this node has not followed the database there yet; null = any value. */
  // bound: refs whose file could not be moved, and those of the step under way
  #late: Map<RefName, Set<CommitId | null>> | null = null

  constructor(
    readonly name: string,
    readonly path: string,
  ) {
    this.stamps = new DiskRefStamps(path)
  }

  /** Notes an operation that uses the copy until its result is settled, and returns the result. */
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
    if (!this.local) throw new Error(`${this.name} is used before it was opened`)
    return this.local
  }

  /** Whether the disk has followed all moves. */
  get isInStep(): boolean {
    return this.#late?.size === 0
  }

  /** Whatever the disk has now is not a move by hand. */
  expectAnything(): void {
    this.#late = null
  }

  expectNothing(): void {
    this.#late = new Map()
  }

  /** A ref may have one of these values on the disk. */
  expect(ref: RefName, ...values: readonly (CommitId | null)[]): void {
    if (this.#late === null) return
    const known = this.#late.get(ref)
    if (known) for (const value of values) known.add(value)
    else this.#late.set(ref, new Set(values))
  }

  /** The disk may have what refs were before moves, in the middle of them, or after them. */
  expectMoves(moves: readonly RefMove[]): void {
    for (const { ref, from, to } of moves) this.expect(ref, from, to)
  }

  /** Moves that continue what is in memory; `after`: where the refs stand then. The disk has not followed yet. */
  follow(moves: readonly RefMove[], after: Head): void {
    this.expectMoves(moves)
    this.refs.apply(moves)
    this.at = after
  }

  /** A ref has the value that it should have. */
  settled(refs: Iterable<RefName>): void {
    for (const ref of refs) this.#late?.delete(ref)
  }

  /** Whether somebody else must have moved a ref. */
  isForeign({ ref, found }: Deviation): boolean {
    return this.#late !== null && !this.#late.get(ref)?.has(found)
  }
}
