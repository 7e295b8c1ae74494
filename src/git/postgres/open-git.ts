/**
 * The repositories of a service with several nodes. The database is authoritative; each node has copies on its disk.
 */
import { newId, type CommitId, type RefName } from '../../kernel/ids.js'
import { MemoryBudget } from '../../kernel/memory-budget.js'
import { type Database, type Hints, isAway, migrate, type News } from '../../postgres/index.js'
import { NoRepository, RepositoryExists } from '../errors.js'
import { repositoryExists, repositoryPath } from '../lifecycle/paths.js'
import { isFullDisk } from '../../disk/folder-watch.js'
import type { LocalGit } from '../open-git.js'
import type { Git, RefStamps, Repository } from '../types.js'
import { Copy, type NodeServices } from './copy.js'
import { copyRepository } from './duplicate.js'
import { firstChain, type Head, readHead } from './head.js'
import { joinStoredPacks } from './join-packs.js'
import { deleteIdleCopies, MIN_IDLE_MS } from './make-room.js'
import { NodeCopies } from './node-copies.js'
import { readState } from './node-state.js'
import { HeadQueries } from './head-queries.js'
import { ROOM, steps } from './schema.js'
import type { SetAside } from './manual-moves.js'
import { SharedRepository } from './repository.js'
import { listPacks, readSizes } from './stored-packs.js'
import type { RewriteOrder, RewriteResult } from '../rewrite/types.js'
import { sweep } from './sweep.js'

/**
 * Minimum time between two comparisons of the refs on the disk with the database. A comparison takes longer with more
 * refs.
 */
const LOOK_MS = 2_000
/**
 * The topic of hints about repositories. Transactions that move refs do not send hints: the database would then commit
 * them one at a time.
 */
const MOVED = 'refs'
const DEFAULT_BYTES = 64 * 1024 * 1024
/** Minimum number of bytes to free on a full disk, so that the next operation does not have to delete copies again. */
const MIN_ROOM_BYTES = 256 * 1024 * 1024

export interface SharedGitOptions {
  database: Database
  /** Changes by other nodes. Default: unknown, so no response is cached. */
  news?: News
  /**
   * Notifications between nodes about moved refs. Default: none, so a node detects moves when it opens a repository.
   */
  hints?: Hints
  /** Memory for the refs of the repositories. Default: 64 MiB for them alone. */
  budget?: MemoryBudget
  /** Called after this node moved refs, with the repository's name. */
  moved?: (name: string, refs: readonly RefName[]) => void
  /** Called after this node detected moves by other nodes. Only for repositories that it has in memory. */
  movedElsewhere?: (name: string, refs: readonly RefName[]) => void
  /** Called with the refs that an admin moved by hand on this node, after they were set aside and reset. */
  setAside?: (name: string, found: readonly SetAside[]) => void
  /** Called with a message for the operator. */
  notice?: (message: string) => void
  /**
   * Minimum time between two comparisons of the refs on the disk with the database, in milliseconds. Default: 2,000.
   */
  lookMs?: number
  /** Minimum idle time of a copy before it may be deleted on a full disk, in milliseconds. Default: ten minutes. */
  minIdleMs?: number
}

/** Returns the stamps of refs. Without news, every stamp is a new number. */
function stampsOf(news: News | undefined): RefStamps {
  if (!news) {
    let version = 0
    return {
      get version() {
        return ++version
      },
      stamp: () => ++version,
    }
  }
  return {
    get version() {
      return news.version
    },
    stamp: (name, ref) => news.stamp(`r ${name} ${ref}`),
  }
}

/** The repositories of a node. */
export interface SharedGit extends Git {
  /**
   * Resolves when the copy on this node is up to date, including its refs on the disk, which plain Git reads. Throws
   * `NoRepository`, `GitError`.
   */
  refresh(name: string): Promise<void>
  /**
   * Frees space on a full disk: deletes scratch repositories, and idle copies that the database contains. Returns the
   * number of bytes freed. Throws `DatabaseAway`.
   */
  makeRoom(minBytes?: number): Promise<number>
}

/**
 * Creates the tables and opens the repositories of the database. `git` has the copies; its `OpenOptions.moved` is not
 * called for them. Throws `DatabaseAway`.
 */
export async function openSharedGit(git: LocalGit, options: SharedGitOptions): Promise<SharedGit> {
  await migrate(options.database, ROOM, steps)
  return new SharedRepositories(git, options)
}

class SharedRepositories implements SharedGit {
  readonly #questions: HeadQueries
  readonly #copies: NodeCopies
  readonly #services: NodeServices
  readonly #stamps: RefStamps
  #closed = false
  #makingRoom: Promise<number> | null = null
  /** Copies by name that a hint currently brings up to date. */
  // bound: the copies in memory
  readonly #hinted = new Map<string, Promise<void>>()

  constructor(
    readonly git: LocalGit,
    readonly options: SharedGitOptions,
  ) {
    const { database, notice = () => {}, setAside = () => {}, movedElsewhere = () => {} } = options
    this.#questions = new HeadQueries(database)
    this.#copies = new NodeCopies(options.budget ?? new MemoryBudget(DEFAULT_BYTES))
    this.#services = {
      database,
      git,
      notice,
      setAside,
      movedElsewhere,
      notifyNodes: (name) => this.#tell(name),
      updateCache: ({ name }) => this.#copies.keep(name),
    }
    options.hints?.on(MOVED, (name) => this.#hear(name))
    this.#stamps = stampsOf(options.news)
  }

  async create(name: string): Promise<Repository> {
    const path = repositoryPath(this.git.reposDir, name)
    // Remove the remains of a removed repository with this name.
    if (readState(path) && (await readHead(this.options.database, name)) === null) await this.git.remove(name)
    if (await repositoryExists(path)) throw new RepositoryExists(`${path} already exists`)
    const incarnation = newId()
    const [made] = await this.options.database.query(
      'INSERT INTO repositories VALUES ($1, $2, 0, $3, 0) ON CONFLICT DO NOTHING RETURNING name',
      [name, incarnation, firstChain(incarnation)],
    )
    if (!made) throw new RepositoryExists(`a repository ${name} already exists`)
    return this.open(name)
  }

  async open(name: string): Promise<Repository> {
    const path = repositoryPath(this.git.reposDir, name)
    const head = await this.#questions.ask(name)
    if (head === null) throw await this.#missing(name, path)
    const shared = this.#copyOf(name, path, head)
    // Mark the copy as in use while it is opened, so that no other request deletes it to make room.
    await shared.copy.inUse(this.#catchUpTo(shared, head)).catch(async (error: unknown) => {
      throw error instanceof NoRepository ? await this.#missing(name, path) : error
    })
    return shared.repository
  }

  /** Brings a copy up to `head`. If the disk is full, deletes other copies and retries once. */
  async #catchUpTo(shared: SharedRepository, head: Head): Promise<void> {
    await shared.catchUpTo(head).catch(async (error: unknown) => {
      if (!isFullDisk(error)) throw error
      const packs = await listPacks(this.options.database, shared.copy.name)
      const bytes = packs.reduce((sum, pack) => sum + pack.bytes + pack.indexBytes, 0)
      if ((await this.makeRoom(MIN_ROOM_BYTES + bytes)) === 0) throw error
      await shared.catchUpTo(head)
    })
  }

  /** Concurrent calls share one run. */
  makeRoom(minBytes = MIN_ROOM_BYTES): Promise<number> {
    this.#makingRoom ??= this.#makeRoom(minBytes).finally(() => {
      this.#makingRoom = null
    })
    return this.#makingRoom
  }

  async #makeRoom(minBytes: number): Promise<number> {
    const room = {
      services: this.#services,
      copies: this.#copies,
      copyOf: (name: string) => this.#sharedOf(name, repositoryPath(this.git.reposDir, name)),
      minIdleMs: this.options.minIdleMs ?? MIN_IDLE_MS,
    }
    const scratches = await this.git.trimScratches(0)
    const freed = scratches + (scratches < minBytes ? await deleteIdleCopies(room, minBytes - scratches) : 0)
    if (freed > 0)
      this.#services.notice(
        `The disk of ${this.git.reposDir} was full. ${Math.ceil(freed / 1024 / 1024)} MiB of unused copies were deleted. They are read from the database again on demand. If this happens often, give the node a larger disk.`,
      )
    return freed
  }

  async exists(name: string): Promise<boolean> {
    return (await this.#questions.ask(name)) !== null
  }

  head(name: string, ref: RefName): CommitId | null {
    const known = this.#copies.find(name)
    return known?.copy.head ? known.repository.refs.head(ref) : this.git.head(name, ref)
  }

  async refresh(name: string): Promise<void> {
    await this.open(name)
    await this.#copies.find(name)?.syncDisk()
  }

  async duplicate(from: string, to: string): Promise<Repository> {
    await this.open(from)
    const source = this.#copies.find(from)
    const path = repositoryPath(this.git.reposDir, to)
    if (await repositoryExists(path)) throw new RepositoryExists(`${path} already exists`)
    const made = await copyRepository(this.options.database, from, to)
    // If this node has the objects, it need not read them from the database.
    await source?.runExclusive(() => made.fill(this.git, source.copy))
    const duplicate = await this.open(to)
    this.options.moved?.(to, [...(await duplicate.refs.list('refs/heads/')).keys()])
    return duplicate
  }

  async rewrite(name: string, order: RewriteOrder, target: string | null): Promise<RewriteResult> {
    await this.refresh(name)
    return this.git.rewrite(name, order, target)
  }

  async remove(name: string): Promise<void> {
    const path = repositoryPath(this.git.reposDir, name)
    const [gone] = await this.options.database.query<{ name: string }>(
      'DELETE FROM repositories WHERE name = $1 RETURNING name',
      [name],
    )
    this.#tell(name)
    const missing = await this.#missing(name, path)
    if (!gone) throw missing
  }

  sizes(names: readonly string[]): Promise<Map<string, number>> {
    return readSizes(this.options.database, names)
  }

  async trimScratches(): Promise<number> {
    const freed = await this.git.trimScratches()
    await this.#sweep()
    return freed
  }

  crowded(packs: number): Promise<string[]> {
    return this.git.crowded(packs)
  }

  get refStamps(): RefStamps {
    return this.#stamps
  }

  get processesStarted(): number {
    return this.git.processesStarted
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#hinted.values())
  }

  /** Returns the copy of a repository. Drops a known copy of another incarnation first. */
  #copyOf(name: string, path: string, { incarnation }: Head): SharedRepository {
    const known = this.#copies.find(name)
    if (known?.copy.head && known.copy.head.incarnation !== incarnation) {
      known.copy.gone = true
      this.#copies.forget(name)
    }
    return this.#sharedOf(name, path)
  }

  #sharedOf(name: string, path: string): SharedRepository {
    const { lookMs = LOOK_MS, moved = () => {}, database } = this.options
    const upkeep = () => joinStoredPacks(database, name)
    return this.#copies.get(
      name,
      () =>
        new SharedRepository(new Copy(name, path), this.#services, {
          lookMs,
          moved: (refs) => moved(name, refs),
          upkeep,
        }),
    )
  }

  /** Deletes the copy of a repository that does not exist, and returns the error for it. */
  async #missing(name: string, path: string): Promise<NoRepository> {
    const shared = this.#copies.find(name)
    const clear = async (): Promise<void> => {
      if ((await readHead(this.options.database, name)) !== null) return
      if (shared) shared.copy.gone = true
      this.#copies.forget(name)
      // Delete the repository only if it is a local copy. Any other repository may be the only one with its content.
      if (readState(path)) await this.git.remove(name)
    }
    await (shared ? shared.runExclusive(clear) : clear())
    return new NoRepository(`there is no repository ${name}`)
  }

  #tell(name: string): void {
    this.options.hints?.send(MOVED, name)
  }

  /**
   * Handles a hint that refs moved or a repository was removed. If this node has no copy of the repository, the copy
   * catches up when it is opened.
   */
  #hear(name: string): void {
    if (this.#closed || this.#hinted.has(name)) return
    const shared = this.#copies.find(name)
    if (!shared?.copy.head && !readState(repositoryPath(this.git.reposDir, name))) return
    const look = async (): Promise<void> => {
      const head = await this.#questions.ask(name)
      if (head === null) await this.#missing(name, repositoryPath(this.git.reposDir, name))
      else await shared?.catchUpTo(head)
    }
    const looking = look()
      // The error is reported when the repository is opened.
      .catch(() => {})
      .finally(() => this.#hinted.delete(name))
    this.#hinted.set(name, looking)
  }

  /** Deletes unused packs in the database, and copies of removed repositories on this disk. */
  async #sweep(): Promise<void> {
    try {
      for (const name of await sweep(this.options.database, this.git.reposDir))
        await this.#missing(name, repositoryPath(this.git.reposDir, name))
    } catch (error) {
      if (!isAway(error)) throw error
    }
  }
}
