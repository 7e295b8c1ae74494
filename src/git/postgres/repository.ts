/** One repository on a node: objects come from its disk, refs from the database. */
import { isOid, type CommitId, type RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { overlay } from '../../kernel/overlay.js'
import { Sequence } from '../../kernel/turns.js'
import { GitError, LostObject, MissingObject, NoRepository } from '../errors.js'
import { requireRefName } from '../refs/name.js'
import type { Maintenance, RefMove, Repository } from '../types.js'
import { catchUp } from './catch-up.js'
import type { Copy, NodeServices } from './copy.js'
import { compareWithDisk } from './follow.js'
import { type Head, isSame } from './head.js'
import { moveOnNode } from './ref-moves.js'
import type { ServedPack, UploadPackRequest } from '../serve/types.js'

/** Estimated memory of an open repository in bytes, without its refs. */
const BASE_BYTES = 4000

interface RepositoryOptions {
  /** Minimum time between two comparisons of the refs on the disk with the database, in milliseconds. */
  lookMs: number
  /** Called after moves by this node. */
  moved(refs: readonly RefName[]): void
  /** Maintenance in the database. */
  upkeep(): Promise<void>
}

/** A repository and its copy. Steps that change the copy run one after the other. */
export class SharedRepository {
  readonly repository: Repository
  readonly #steps = new Sequence()

  constructor(
    readonly copy: Copy,
    readonly services: NodeServices,
    readonly options: RepositoryOptions,
  ) {
    this.repository = this.#offer()
  }

  /** Estimated memory in bytes. */
  get bytes(): number {
    return BASE_BYTES + this.copy.refs.bytes
  }

  /** Brings the copy up to `head`, which was read from the database. Throws what `catchUp` throws. */
  async catchUpTo(head: Head): Promise<void> {
    if (this.#has(head) && !this.#mustLook()) return
    await this.runExclusive(async () => {
      if (this.copy.stamps.unchanged() === null) await this.startOver()
      if (!this.#has(head)) await catchUp(this.services, this.copy)
      else if (this.#mustLook()) await compareWithDisk(this.services, this.copy)
    })
  }

  /** Runs work after all earlier work has ended. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#steps.run(work)
  }

  #has(head: Head): boolean {
    const { head: current } = this.copy
    return current !== null && isSame(current, head) && current.epoch === head.epoch
  }

  /** Whether the refs on the disk may have been moved by hand, or the repository on the disk is gone. */
  #mustLook(): boolean {
    const unchanged = this.copy.stamps.unchanged()
    return unchanged === null || (!unchanged && performance.now() - this.copy.comparedAt >= this.options.lookMs)
  }

  /** Resets the copy after its repository on the disk was deleted. The next opening fills a new one. */
  async startOver(): Promise<void> {
    if (this.copy.head === null) return
    this.copy.head = null
    this.copy.local = null
    await this.services.git.forget(this.copy.name)
  }

  async #move(moves: readonly RefMove[], reason: string, lease: Lease): Promise<void> {
    for (const { ref, from, to } of moves) {
      requireRefName(ref)
      if ((from !== null && !isOid(from)) || (to !== null && !isOid(to)))
        throw new GitError(`a move of ${ref} needs full commit IDs`)
    }
    if (moves.length === 0) return
    const named = [...new Set(moves.flatMap(({ to }) => (to === null ? [] : [to])))]
    await this.runExclusive(async () => {
      this.#mustBeThere()
      const { disk } = this.copy
      for (const to of named)
        if (!(await disk.objects.hasCommit(to))) throw new MissingObject(`there is no commit ${to}`)
      // A cached commit may have been pruned on the disk.
      for (const to of await disk.parts.writer.absent(named))
        if (!(await disk.parts.objects.fetchLost(to))) throw new LostObject(to, disk.path)
      lease.assertHeld()
      await moveOnNode(this.services, this.copy, { moves, reason, fence: lease.fence ?? null })
    })
    this.options.moved(moves.map(({ ref }) => ref))
  }

  #mustBeThere(): void {
    if (this.copy.gone) throw new NoRepository(`the repository ${this.copy.name} was removed`)
  }

  /** Sets the refs on the disk, which Git reads, to those of the database. Throws `GitError` if that fails. */
  async syncDisk(): Promise<void> {
    await this.runExclusive(async () => {
      this.#mustBeThere()
      if (!this.copy.isUpToDate || this.copy.stamps.unchanged() !== true)
        await compareWithDisk(this.services, this.copy)
      if (!this.copy.isUpToDate)
        throw new GitError(
          `${this.copy.path}: cannot update the refs on the disk from the database. See the log for the reason`,
        )
    })
  }

  async #uploadPack(request: UploadPackRequest): Promise<ServedPack> {
    await this.syncDisk()
    const served = await this.copy.disk.door.uploadPack(request)
    void this.copy.inUse(served.ended)
    return served
  }

  async #maintain(how?: Maintenance): Promise<void> {
    await this.copy.disk.upkeep.maintain(how)
    await this.options.upkeep()
  }

  /** Returns the repository on the disk, with refs from the database. */
  #offer(): Repository {
    const { copy } = this
    const returned = (result: unknown): unknown => copy.inUse(result)
    const group = <G extends object>(of: (disk: Repository) => G, own: Partial<G> = {}): G =>
      overlay(() => of(copy.disk), own, { returned })
    const own: Omit<Repository, 'signs'> = {
      path: copy.path,
      refs: {
        head: (ref) => (copy.gone ? null : copy.refs.get(ref)),
        list: async (prefix) => (copy.gone ? new Map<RefName, CommitId>() : copy.refs.list(prefix)),
        move: (moves, reason, lease) => copy.inUse(this.#move(moves, reason, lease)),
      },
      objects: group((disk) => disk.objects),
      trees: group((disk) => disk.trees),
      history: group((disk) => disk.history),
      remote: group((disk) => disk.remote),
      door: group((disk) => disk.door, { uploadPack: (request) => copy.inUse(this.#uploadPack(request)) }),
      upkeep: group((disk) => disk.upkeep, { maintain: (how) => copy.inUse(this.#maintain(how)) }),
    }
    return overlay<Repository>(() => copy.disk, own)
  }
}
