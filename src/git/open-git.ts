/**
 * Opens the folder of repositories: takes its lock, checks the version of Git, starts the processes, and removes
 * leftovers of a crash.
 */
import { errorCode } from '../kernel/thrown.js'
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { type Lock, takeLock } from '../disk/folder-lock.js'
import { isRefusedWrite } from '../disk/folder-watch.js'
import type { CommitId, RefName } from '../kernel/ids.js'
import type { MemoryBudget } from '../kernel/memory-budget.js'
import { GitError, NoRepository } from './errors.js'
import { RemoteScratches } from './monorepo/remote-scratches.js'
import { crowdedRepositories } from './lifecycle/crowded.js'
import { createRepository } from './lifecycle/create.js'
import { mustBeSupported } from './lifecycle/supported.js'
import {
  bytesBelow,
  clearTemporary,
  removeRepository,
  repositoryExists,
  repositoryPath,
  scratchPath,
} from './lifecycle/paths.js'
import { fillDuplicate } from './lifecycle/duplicate.js'
import type { FetchLost } from './objects/database.js'
import { makeCaches } from './objects/caches.js'
import { type Disk, disk as realDisk, syncPath } from './objects/disk.js'
import { Scratches } from './objects/scratch.js'
import { OpenPacks } from './packs/open-packs.js'
import { hermeticEnvironment } from './process/environment.js'
import { Launcher } from './process/launcher.js'
import { Pool } from './process/pool.js'
import { wholeCommand } from './process/whole-command.js'
import { listLocks } from './refs/locks.js'
import { RefReader } from './refs/reader.js'
import { OpenRepositories } from './open-repositories.js'
import { NO_REMOTES, type RemoteOptions } from './remote/connection.js'
import { planRewrite, writeRewritten } from './rewrite/rewrite-history.js'
import type { RewriteOrder, RewriteResult } from './rewrite/types.js'
import { openSigner } from './signing/signer.js'
import { BareRepository, type PackFolder, type Services } from './repository.js'
import type { Git, GitOptions } from './types.js'

/** Name of the lock file in the repositories folder. */
const LOCK = '.bindery-lock'
const SCRATCH_BYTES = 4 * 1024 ** 3
const MAIN = 'refs/heads/main'
const VERSION_MS = 30_000
const MIN_GIT = [2, 39] as const

export interface OpenOptions extends GitOptions {
  /** The operations on remotes. Default: none. */
  remote?: RemoteOptions
  /** File with the private key that signs commits, without a passphrase. Default: commits are not signed. */
  signingKeyFile?: string | null
  /** Memory for all caches. Default: 256 MiB for this module alone. */
  budget?: MemoryBudget
  /** Maximum size of all scratch repositories of remotes together, in bytes. Default: 4 GiB. */
  scratchBytes?: number
  /** Whether to open the folder even if another process has it open; for tests. */
  shared?: boolean
  /** Maximum time without output of a long-lived Git process, in milliseconds. After that, it is killed. For tests. */
  maxSilenceMs?: number
  /** The file operations of durable writes; for tests. */
  disk?: Disk
  /** Called with a message for the operator, for example about a leftover lock file. */
  notice?: (message: string) => void
  /**
   * Whether `open` fails if main names a commit that the repository does not have. Not for copies, which are completed
   * after they are opened.
   */
  verifyMain?: boolean
  /** Called after refs were moved through this module, with the repository's name. */
  moved?: (name: string, refs: readonly RefName[]) => void
  /** Returns how a repository fetches objects that it has lost. Default: it does not. */
  lostObjects?: (place: PackFolder) => FetchLost
}

/** The repositories of one folder, with additional operations for a node whose authoritative data is in a database. */
export interface LocalGit extends Git {
  readonly reposDir: string
  create(name: string): Promise<BareRepository>
  open(name: string): Promise<BareRepository>
  duplicate(from: string, to: string): Promise<BareRepository>
  /** Like `Git.trimScratches`, with `maxBytes` as the limit of the total size. */
  trimScratches(maxBytes?: number): Promise<number>
  /** Closes a repository, even if its folder no longer exists. */
  forget(name: string): Promise<void>
}

/**
 * Opens the repositories in `reposDir` for this process alone. Throws `FolderLocked` if another process has them open,
 * `GitError` if Git is missing or older than 2.39.
 */
export async function openGit(options: OpenOptions): Promise<LocalGit> {
  const reposDir = resolve(options.reposDir)
  await makeReposDir(options.disk ?? realDisk, reposDir)
  // Take the lock before the cleanup: new repositories of another server, and the locks of its moves, would look like
  // garbage.
  const lock = options.shared ? null : takeLock(reposDir, join(reposDir, LOCK))
  try {
    await clearTemporary(reposDir)
    return await openLocked(reposDir, options, lock)
  } catch (error) {
    lock?.release()
    throw error
  }
}

async function openLocked(reposDir: string, options: OpenOptions, lock: Lock | null): Promise<LocalGit> {
  const launcher = await Launcher.open()
  let openings = 0
  try {
    const { unbuffered } = await programsOf(launcher, reposDir)
    const services: Services = {
      pool: new Pool(launcher, unbuffered, options.maxSilenceMs),
      openPacks: new OpenPacks(),
      caches: makeCaches(options.budget),
      scratches: new Scratches(scratchPath(reposDir)),
      disk: options.disk ?? realDisk,
      remote: options.remote ?? NO_REMOTES,
      remoteScratches: new RemoteScratches(reposDir, options.scratchBytes ?? SCRATCH_BYTES),
      signer: options.signingKeyFile ? await openSigner(launcher, options.signingKeyFile, signingHome(reposDir)) : null,
      maxBlobBytes: options.maxBlobBytes,
      maxFolderEntries: options.maxFolderEntries ?? Number.POSITIVE_INFINITY,
      nextOpening: () => ++openings,
      moved: (path, refs) => options.moved?.(basename(path, '.git'), refs),
      lostObjects: options.lostObjects ?? (() => async () => false),
    }
    return new Repositories(reposDir, services, lock, options)
  } catch (error) {
    await launcher.close()
    throw error
  }
}

/** Returns the folder for `gpg`. Its path has room for a socket, and is the same at the next start. */
const signingHome = (reposDir: string): string =>
  join(tmpdir(), `bindery-gpg-${createHash('sha256').update(reposDir).digest('hex').slice(0, 12)}`)

interface Programs {
  /** Whether `stdbuf` can make a program write without a buffer. */
  unbuffered: boolean
}

/** The available programs by the `PATH` variable. */
// bound: one per process, a few in tests
const found = new Map<string | undefined, Programs>()

/**
 * Returns the available programs, which do not change while a process runs. Throws `GitError` if Git is missing or too
 * old.
 */
async function programsOf(launcher: Launcher, cwd: string): Promise<Programs> {
  const { PATH: path } = hermeticEnvironment(cwd)
  const known = found.get(path)
  if (known) return known
  await checkGitVersion(cwd)
  const programs = { unbuffered: await hasStdbuf(launcher, cwd) }
  found.set(path, programs)
  return programs
}

/** Creates the folder durably. The name of a new folder is stored in its parent folder, which must be synced. */
async function makeReposDir(disk: Disk, reposDir: string): Promise<void> {
  const end = dirname((await mkdir(reposDir, { recursive: true, mode: 0o700 })) ?? reposDir)
  for (let folder = reposDir; folder !== end && folder !== dirname(folder); folder = dirname(folder))
    await syncReadable(disk, dirname(folder))
}

/** Syncs a folder if it is readable. An unreadable folder need not be synced, because it existed before. */
async function syncReadable(disk: Disk, folder: string): Promise<void> {
  await syncPath(disk, folder).catch((error: unknown) => {
    if (errorCode(error) !== 'EACCES') throw error
  })
}

/** Returns the version of Git. Throws `GitError` if it is missing or older than 2.39. */
export async function checkGitVersion(cwd: string): Promise<string> {
  const text = (await wholeCommand(cwd, ['version'], VERSION_MS)).stdout
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? []
  const recent = Number(major) > MIN_GIT[0] || (Number(major) === MIN_GIT[0] && Number(minor) >= MIN_GIT[1])
  if (!recent) throw new GitError(`Git ${MIN_GIT.join('.')} or later is required. Installed: ${text.trim() || 'none'}`)
  return text.trim()
}

async function hasStdbuf(launcher: Launcher, cwd: string): Promise<boolean> {
  try {
    const running = await launcher.start('stdbuf', ['-o0', 'true'], { cwd })
    running.stream.destroy()
    return (await running.ended).code === 0
  } catch {
    return false
  }
}

class Repositories implements LocalGit {
  readonly #open = new OpenRepositories<BareRepository>()
  // bound: the repositories
  readonly #unrecovered = new Set<string>()

  constructor(
    readonly reposDir: string,
    readonly services: Services,
    readonly lock: Lock | null,
    readonly options: Pick<OpenOptions, 'notice' | 'verifyMain'>,
  ) {}

  async create(name: string): Promise<BareRepository> {
    await createRepository(this.services.disk, this.reposDir, repositoryPath(this.reposDir, name))
    return this.open(name)
  }

  open(name: string): Promise<BareRepository> {
    const opening = this.#open.get(name, () => this.#openNow(name))
    return this.#unrecovered.has(name) ? opening.then((repository) => this.#recover(name, repository)) : opening
  }

  /** Removes leftovers of a crash. On a read-only file system, this waits until the repository can be written. */
  #recover(name: string, repository: BareRepository): BareRepository {
    try {
      repository.recover()
      this.#unrecovered.delete(name)
    } catch (error) {
      if (!isRefusedWrite(error)) throw error
      this.#unrecovered.add(name)
    }
    return repository
  }

  async exists(name: string): Promise<boolean> {
    try {
      return await repositoryExists(repositoryPath(this.reposDir, name))
    } catch (error) {
      if (error instanceof NoRepository) return false
      throw error
    }
  }

  head(name: string, ref: RefName): CommitId | null {
    const opened = this.#open.find(name)
    return opened
      ? opened.refs.head(ref)
      : new RefReader(repositoryPath(this.reposDir, name), this.services.caches.packedRefs).head(ref)
  }

  async duplicate(from: string, to: string): Promise<BareRepository> {
    const { path } = await this.open(from)
    const { disk } = this.services
    await createRepository(disk, this.reposDir, repositoryPath(this.reposDir, to), (building) =>
      fillDuplicate(disk, path, new RefReader(path), building),
    )
    const duplicate = await this.open(to)
    this.services.moved(duplicate.path, [...(await duplicate.refs.list('refs/heads/')).keys()])
    return duplicate
  }

  async rewrite(name: string, order: RewriteOrder, target: string | null): Promise<RewriteResult> {
    const { parts } = await this.open(name)
    const { reposDir } = this
    return target === null ? planRewrite(parts, order) : writeRewritten(parts, order, { reposDir, target })
  }

  async sizes(names: readonly string[]): Promise<Map<string, number>> {
    const sizes = new Map<string, number>()
    for (const name of names) sizes.set(name, await bytesBelow(repositoryPath(this.reposDir, name)))
    return sizes
  }

  async remove(name: string): Promise<void> {
    const path = repositoryPath(this.reposDir, name)
    await this.forget(name)
    await removeRepository(this.services.disk, this.reposDir, path)
    this.services.pool.drop(path)
  }

  async forget(name: string): Promise<void> {
    await (await this.#open.forget(name))?.close()
  }

  trimScratches(maxBytes?: number): Promise<number> {
    return this.services.remoteScratches.trim(Date.now(), maxBytes)
  }

  crowded(packs: number): Promise<string[]> {
    return crowdedRepositories(this.reposDir, packs)
  }

  get processesStarted(): number {
    return this.services.pool.launcher.started
  }

  async close(): Promise<void> {
    for (const one of await this.#open.all()) await one.close()
    this.services.openPacks.close()
    this.services.pool.close()
    await this.services.signer?.close()
    await this.services.pool.launcher.close()
    await this.services.scratches.close()
    this.lock?.release()
  }

  async #openNow(name: string): Promise<BareRepository> {
    const path = repositoryPath(this.reposDir, name)
    mustBeSupported(path)
    const repository = new BareRepository(path, this.services)
    this.#recover(name, repository)
    if (this.options.verifyMain) await repository.verifyHead(MAIN)
    for (const lock of listLocks(path))
      this.options.notice?.(
        `${path}/${lock} exists and blocks moves of the ref. If no Git process is running there, remove it`,
      )
    return repository
  }
}
