/** The refs of one repository as the database has them, and the commits of which it has everything. */
import { LRUCache } from 'lru-cache'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { RefMove } from '../types.js'

/** Commits that refs named before. */
const MAX_FORMER = 1000
/** Estimate of the memory that a ref takes, besides its name, in bytes. */
const REF_BYTES = 360

/** Refs by name, changed by moves. */
export class KnownRefs {
  // bound: the refs of the repository, counted in the memory budget
  readonly #byName = new Map<RefName, CommitId>()
  /** How many refs name a commit. */
  // bound: the refs
  readonly #counts = new Map<CommitId, number>()
  /** Commits that are in the database although no ref names them. */
  // bound: MAX_FORMER
  readonly #former = new LRUCache<string, true>({ max: MAX_FORMER })
  #bytes = 1000

  constructor(refs: Iterable<readonly [RefName, CommitId]> = []) {
    for (const [ref, commit] of refs) this.set(ref, commit)
  }

  /** Estimated memory in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  get(ref: RefName): CommitId | null {
    return this.#byName.get(ref) ?? null
  }

  /** Those whose name begins with `prefix`, sorted by name. */
  list(prefix: string): Map<RefName, CommitId> {
    return new Map([...this.#byName].filter(([ref]) => ref.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** All of them, in no order. */
  all(): ReadonlyMap<RefName, CommitId> {
    return this.#byName
  }

  /** Whether the database has a commit and everything that it needs. */
  isPublished(commit: string): boolean {
    return this.#counts.has(commit as CommitId) || this.#former.has(commit)
  }

  /** The commits that refs name. */
  values(): CommitId[] {
    return [...this.#counts.keys()]
  }

  notePublished(commits: readonly string[]): void {
    for (const commit of commits) this.#former.set(commit, true)
  }

  /** Packs were replaced: of a commit that no ref names, it is not known any more whether it is there. */
  forgetFormer(): void {
    this.#former.clear()
  }

  apply(moves: readonly Pick<RefMove, 'ref' | 'to'>[]): void {
    for (const { ref, to } of moves) this.set(ref, to)
  }

  set(ref: RefName, to: CommitId | null): void {
    const before = this.#byName.get(ref)
    if (before === to) return
    if (before !== undefined) this.#release(ref, before)
    if (to === null) return
    this.#byName.set(ref, to)
    this.#counts.set(to, (this.#counts.get(to) ?? 0) + 1)
    this.#bytes += REF_BYTES + ref.length
  }

  #release(ref: RefName, commit: CommitId): void {
    this.#byName.delete(ref)
    this.#bytes -= REF_BYTES + ref.length
    const left = (this.#counts.get(commit) ?? 1) - 1
    if (left > 0) return void this.#counts.set(commit, left)
    this.#counts.delete(commit)
    this.#former.set(commit, true)
  }
}
