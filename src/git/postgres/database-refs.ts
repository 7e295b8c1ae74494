/** The refs of one repository in the database, and the commits that are stored there with all their objects. */
import { LRUCache } from 'lru-cache'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { RefMove } from '../types.js'

/** Maximum number of remembered commits that refs named before. */
const MAX_FORMER = 1000
/** Estimated memory per ref in bytes, without its name. */
const REF_BYTES = 360

/** The refs by name. Moves change them. */
export class KnownRefs {
  // bound: the refs of the repository, counted in the memory budget
  readonly #byName = new Map<RefName, CommitId>()
  /** Number of refs that name a commit. */
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

  /** Returns the refs whose name starts with `prefix`, sorted by name. */
  list(prefix: string): Map<RefName, CommitId> {
    return new Map([...this.#byName].filter(([ref]) => ref.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Returns all refs, unsorted. */
  all(): ReadonlyMap<RefName, CommitId> {
    return this.#byName
  }

  /** Whether the database has a commit and everything that it needs. */
  isPublished(commit: CommitId): boolean {
    return this.#counts.has(commit) || this.#former.has(commit)
  }

  /** Returns the commits that refs name. */
  values(): CommitId[] {
    return [...this.#counts.keys()]
  }

  notePublished(commits: readonly string[]): void {
    for (const commit of commits) this.#former.set(commit, true)
  }

  /** Forgets former commits. Call it after packs were replaced: commits without a ref may be gone. */
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
