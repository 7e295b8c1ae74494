/** Repositories whose truth is in the database of several nodes; those on the disk of a node are its copies. */
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
import { HeadQuestions } from './head-queries.js'
import { ROOM, steps } from './schema.js'
import type { SetAside } from './manual-moves.js'
import { SharedRepository } from './repository.js'
import { listPacks } from './stored-packs.js'
import { sweep } from './sweep.js'

/** How often refs on the disk are compared with the database's, at most: that costs time with their number. */
const LOOK_MS = 2_000
/** The topic of hints about repositories. A transaction that moves refs does not send them itself: the database would let such transactions commit one by one. */
const MOVED = 'refs'
const DEFAULT_BYTES = 64 * 1024 * 1024
/** Minimum number of bytes that are freed on a full disk, so that the next operation does not need to delete copies too. */
const MIN_ROOM_BYTES = 256 * 1024 * 1024

export interface SharedGitOptions {
  database: Database
  /** What other nodes write. Default: not known, so no response is kept. */
  news?: News
  /** How nodes tell each other what moved. Default: they do not, and find it when they open a repository. */
  hints?: Hints
  /** Memory for the refs of the repositories. Default: 64 MiB for them alone. */
  budget?: MemoryBudget
  /** Called after this node moved refs, with the repository's name. */
  moved?: (name: string, refs: readonly RefName[]) => void
  /** Called after this node learned that others moved refs. Only for repositories that it has in memory. */
  movedElsewhere?: (name: string, refs: readonly RefName[]) => void
  /** Called with what an admin moved by hand on this node, after it was set aside and put back. */
  setAside?: (name: string, found: readonly SetAside[]) => void
  /** Called with a message for the operator. */
  notice?: (message: string) => void
  /** Refs on the disk are compared with those of the database at most this often, in milliseconds. Default: 2,000. */
  lookMs?: number
  /** Copies that were used within this time, in milliseconds, are kept on a full disk. Default: ten minutes. */
  minIdleMs?: number
}

/** Without news, every stamp is another one each time. */
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
  /** Resolves when the copy on this node has everything, also its refs on the disk, which an admin's plain Git reads. Throws `NoRepository`, `GitError`. */
  refresh(name: string): Promise<void>
  /** Deletes what this node can read again from elsewhere and no one has used lately, for a disk that is full. Returns the bytes that it freed. Throws `DatabaseAway`. */
  makeRoom(minBytes?: number): Promise<number>
}

/**
 * Makes the tables, and opens the repositories of the database; `git` has the copies, in whose refs nothing is told by `OpenOptions.moved`. Throws
 * `DatabaseAway`.
 */
export async function openSharedGit(git: LocalGit, options: SharedGitOptions): Promise<SharedGit> {
  await migrate(options.database, ROOM, steps)
  return new SharedRepositories(git, options)
}

class SharedRepositories implements SharedGit {
  readonly #questions: HeadQuestions
  readonly #copies: NodeCopies
  readonly #services: NodeServices
  readonly #stamps: RefStamps
  #closed = false
  #makingRoom: Promise<number> | null = null
  /** Names of copies that are brought up to date because of a hint. */
  // bound: the copies in memory
  readonly #hinted = new Map<string, Promise<void>>()

  constructor(
    readonly git: LocalGit,
    readonly options: SharedGitOptions,
  ) {
    const { database, notice = () => {}, setAside = () => {}, movedElsewhere = () => {} } = options
    this.#questions = new HeadQuestions(database)
    this.#copies = new NodeCopies(options.budget ?? new MemoryBudget(DEFAULT_BYTES))
    this.#services = {
      database,
      git,
      notice,
      setAside,
      movedElsewhere,
      tell: (name) => this.#tell(name),
      keep: ({ name }) => this.#copies.keep(name),
    }
    options.hints?.on(MOVED, (name) => this.#hear(name))
    this.#stamps = stampsOf(options.news)
  }

  async create(name: string): Promise<Repository> {
    const path = repositoryPath(this.git.reposDir, name)
    // What a removed repository of this name left on the disk is in the way.
    if (readState(path) && (await readHead(this.options.database, name)) === null) await this.git.remove(name)
    if (await repositoryExists(path)) throw new RepositoryExists(`${path} exists already`)
    const incarnation = newId()
    const [made] = await this.options.database.query(
      'INSERT INTO repositories VALUES ($1, $2, 0, $3, 0) ON CONFLICT DO NOTHING RETURNING name',
      [name, incarnation, firstChain(incarnation)],
    )
    if (!made) throw new RepositoryExists(`there is a repository ${name} already`)
    return this.open(name)
  }

  async open(name: string): Promise<Repository> {
    const path = repositoryPath(this.git.reposDir, name)
    const head = await this.#questions.ask(name)
    if (head === null) throw await this.#missing(name, path)
    const shared = this.#copyOf(name, path, head)
    // A copy that is being opened is in use: no other request may delete it to make room.
    await shared.copy.inUse(this.#reach(shared, head)).catch(async (error: unknown) => {
      throw error instanceof NoRepository ? await this.#missing(name, path) : error
    })
    return shared.repository
  }

  /** If the disk has no room for what the copy lacks, deletes others and tries once more. */
  async #reach(shared: SharedRepository, head: Head): Promise<void> {
    await shared.reach(head).catch(async (error: unknown) => {
      if (!isFullDisk(error)) throw error
      const packs = await listPacks(this.options.database, shared.copy.name)
      const bytes = packs.reduce((sum, pack) => sum + pack.bytes + pack.indexBytes, 0)
      if ((await this.makeRoom(MIN_ROOM_BYTES + bytes)) === 0) throw error
      await shared.reach(head)
    })
  }

  /** Requests that find the disk full at the same time share the work. */
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
        `The disk of ${this.git.reposDir} was full. ${Math.ceil(freed / 1024 / 1024)} MiB of copies that no one has used lately were deleted. They are read from the database again when they are needed. Give the node a larger disk if this happens often.`,
      )
    return freed
  }

  async exists(name: string): Promise<boolean> {
    return (await this.#questions.ask(name)) !== null
  }

  head(name: string, ref: RefName): CommitId | null {
    const known = this.#copies.find(name)
    return known?.copy.at ? known.repository.head(ref) : this.git.head(name, ref)
  }

  async refresh(name: string): Promise<void> {
    await this.open(name)
    await this.#copies.find(name)?.settleDisk()
  }

  async duplicate(from: string, to: string): Promise<Repository> {
    await this.open(from)
    const source = this.#copies.find(from)
    const path = repositoryPath(this.git.reposDir, to)
    if (await repositoryExists(path)) throw new RepositoryExists(`${path} exists already`)
    const made = await copyRepository(this.options.database, from, to)
    // The objects need not be read from the database if they are here.
    await source?.turn(() => made.fill(this.git, source.copy))
    const duplicate = await this.open(to)
    this.options.moved?.(to, [...(await duplicate.refs('refs/heads/')).keys()])
    return duplicate
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

  /** The copy of the repository that the database has now. */
  #copyOf(name: string, path: string, { incarnation }: Head): SharedRepository {
    const known = this.#copies.find(name)
    if (known?.copy.at && known.copy.at.incarnation !== incarnation) {
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

  /** There is no such repository: what this node has of it is deleted. Returns the error that says so. */
  async #missing(name: string, path: string): Promise<NoRepository> {
    const shared = this.#copies.find(name)
    const clear = async (): Promise<void> => {
      if ((await readHead(this.options.database, name)) !== null) return
      if (shared) shared.copy.gone = true
      this.#copies.forget(name)
      // Only what is known to be a copy: a repository that is not in the database for another reason may be the only one.
      if (readState(path)) await this.git.remove(name)
    }
    await (shared ? shared.turn(clear) : clear())
    return new NoRepository(`there is no repository ${name}`)
  }

  #tell(name: string): void {
    this.options.hints?.send(MOVED, name)
  }

  /** A hint that refs moved, or that a repository was removed. A repository of which this node has no copy is read when it is opened. */
  #hear(name: string): void {
    if (this.#closed || this.#hinted.has(name)) return
    const shared = this.#copies.find(name)
    if (!shared?.copy.at && !readState(repositoryPath(this.git.reposDir, name))) return
    const look = async (): Promise<void> => {
      const head = await this.#questions.ask(name)
      if (head === null) await this.#missing(name, repositoryPath(this.git.reposDir, name))
      else await shared?.reach(head)
    }
    const looking = look()
      // Whoever opens it is told.
      .catch(() => {})
      .finally(() => this.#hinted.delete(name))
    this.#hinted.set(name, looking)
  }

  /** Deletes what nobody needs any more: in the database, and copies of removed repositories on this disk. */
  async #sweep(): Promise<void> {
    try {
      for (const name of await sweep(this.options.database, this.git.reposDir))
        await this.#missing(name, repositoryPath(this.git.reposDir, name))
    } catch (error) {
      if (!isAway(error)) throw error
    }
  }
}
