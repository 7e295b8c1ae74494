/** One repository as a node offers it: objects from its disk, refs from the database. */
import { isOid, type CommitId, type RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { GitError, LostObject, MissingObject, NoRepository } from '../errors.js'
import { requireRefName } from '../refs/name.js'
import type { Maintenance, RefMove, Repository } from '../types.js'
import { catchUp } from './catch-up.js'
import type { Copy, NodeServices } from './copy.js'
import { look } from './follow.js'
import { type Head, isSame } from './head.js'
import { moveOnNode } from './ref-moves.js'
import type { ServedPack, UploadPackRequest } from '../serve/types.js'

/** What a repository in memory takes besides its refs, in bytes. */
const BASE_BYTES = 4000

interface RepositoryOptions {
  /** Refs on the disk are compared with those of the database at most this often, in milliseconds. */
  lookMs: number
  /** Called after moves by this node. */
  moved(refs: readonly RefName[]): void
  /** Maintenance in the database. */
  upkeep(): Promise<void>
}

/** What changes a copy is done one after the other. */
export class SharedRepository {
  readonly repository: Repository
  #last: Promise<unknown> = Promise.resolve()

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

  /** Makes the copy have what the database had when it said `head`. Throws what `catchUp` throws. */
  async reach(head: Head): Promise<void> {
    if (this.#has(head) && !this.#mustLook()) return
    await this.turn(async () => {
      if (this.copy.stamps.unchanged() === null) await this.startOver()
      if (!this.#has(head)) await catchUp(this.services, this.copy)
      else if (this.#mustLook()) await look(this.services, this.copy)
    })
  }

  /** Does work after what was asked for before has ended. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  #has(head: Head): boolean {
    const { at } = this.copy
    return at !== null && isSame(at, head) && at.epoch === head.epoch
  }

  /** Whether the refs on the disk may have been moved by hand, or the repository is gone. */
  #mustLook(): boolean {
    const unchanged = this.copy.stamps.unchanged()
    return unchanged === null || (!unchanged && performance.now() - this.copy.lookedAt >= this.options.lookMs)
  }

  /** The repository on the disk is deleted: the next opening fills a new one. */
  async startOver(): Promise<void> {
    if (this.copy.at === null) return
    this.copy.at = null
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
    await this.turn(async () => {
      this.#mustBeThere()
      const { disk } = this.copy
      for (const to of named) if (!(await disk.hasCommit(to))) throw new MissingObject(`there is no commit ${to}`)
      // A commit that is cached may have been pruned.
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

  /** Makes the refs on the disk, which Git reads, those of the database. Throws `GitError` if that cannot be done. */
  async settleDisk(): Promise<void> {
    await this.turn(async () => {
      this.#mustBeThere()
      if (!this.copy.isInStep || this.copy.stamps.unchanged() !== true) await look(this.services, this.copy)
      if (!this.copy.isInStep)
        throw new GitError(`${this.copy.path}: refs cannot be made those of the database; the log says why`)
    })
  }

  async #uploadPack(request: UploadPackRequest): Promise<ServedPack> {
    await this.settleDisk()
    const served = await this.copy.disk.uploadPack(request)
    void this.copy.inUse(served.ended)
    return served
  }

  async #maintain(how?: Maintenance): Promise<void> {
    await this.copy.disk.maintain(how)
    await this.options.upkeep()
  }

  /** The repository of the disk, with refs of the database. */
  #offer(): Repository {
    const { copy } = this
    const own: Partial<Repository> = {
      head: (ref) => (copy.gone ? null : copy.refs.get(ref)),
      refs: async (prefix) => (copy.gone ? new Map<RefName, CommitId>() : copy.refs.list(prefix)),
      move: (moves, reason, lease) => copy.inUse(this.#move(moves, reason, lease)),
      uploadPack: (request) => copy.inUse(this.#uploadPack(request)),
      maintain: (how) => copy.inUse(this.#maintain(how)),
    }
    return new Proxy({ path: copy.path } as Repository, {
      // `in` is asked of it by those who record what is read of a repository.
      has: (_, member) => Reflect.has(copy.disk, member),
      get(_, member) {
        if (member in own) return own[member as keyof Repository]
        const value: unknown = Reflect.get(copy.disk, member)
        return typeof value === 'function'
          ? (...args: unknown[]) => copy.inUse(value.apply(copy.disk, args) as unknown)
          : value
      },
    })
  }
}
