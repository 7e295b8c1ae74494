/** Opens the folder of repositories: takes its lock, checks the version of Git, starts the processes, and removes what a crash left. */
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
import { clearTemporary, removeRepository, repositoryExists, repositoryPath, scratchPath } from './lifecycle/paths.js'
import { fillDuplicate } from './lifecycle/duplicate.js'
import { makeCaches } from './objects/caches.js'
import { type Disk, disk as realDisk, errorCode, syncPath } from './objects/disk.js'
import { Scratches } from './objects/scratch.js'
import { OpenPacks } from './packs/open-packs.js'
import { hermeticEnvironment } from './process/environment.js'
import { Launcher } from './process/launcher.js'
import { Pool } from './process/pool.js'
import { wholeCommand } from './process/whole-command.js'
import { listLocks } from './refs/locks.js'
import { RefReader } from './refs/reader.js'
import { OpenRepositories } from './open-repositories.js'
import { noRemote, type RemoteOperations } from './remote/operations.js'
import { openSigner } from './signing/signer.js'
import { BareRepository } from './repository.js'
import type { Services } from './repository-contents.js'
import type { Git, GitOptions } from './types.js'

/** Name of the lock file in the folder of the repositories. */
const LOCK = '.bindery-lock'
const SCRATCH_BYTES = 4 * 1024 ** 3
const MAIN = 'refs/heads/main' as RefName
const VERSION_MS = 30_000
const MIN_GIT = [2, 39] as const

export interface OpenOptions extends GitOptions {
  /** How remotes are reached. Default: not at all. */
  remote?: RemoteOperations
  /** File of the private key that signs commits, without a passphrase. Default: commits are not signed. */
  signingKeyFile?: string | null
  /** Memory for all caches. Default: 256 MiB for this module alone. */
  budget?: MemoryBudget
  /** Most bytes of all scratch repositories of remotes together. Default: 4 GiB. */
  scratchBytes?: number
  /** Opens the folder although another process has it open; for tests. */
  shared?: boolean
  /** How long a long-lived Git process may take without any output before it is killed, in milliseconds; for tests. */
  maxSilenceMs?: number
  /** The file operations of durable writes; for tests. */
  disk?: Disk
  /** Called with a message for the operator, such as that a lock file was left behind. */
  notice?: (message: string) => void
  /** `open` fails if main names a commit that the repository does not have. Not for copies, which are completed after they are opened. */
  verifyMain?: boolean
  /** Called after refs were moved through this module, with the repository's name. */
  moved?: (name: string, refs: readonly RefName[]) => void
}

/** The repositories of one folder, with what a node needs of them that keeps their truth in a database. */
export interface LocalGit extends Git {
  readonly reposDir: string
  create(name: string): Promise<BareRepository>
  open(name: string): Promise<BareRepository>
  duplicate(from: string, to: string): Promise<BareRepository>
  /** As `Git.trimScratches`; too large is more than `maxBytes`. */
  trimScratches(maxBytes?: number): Promise<number>
  /** Closes a repository, whether or not its folder is still there. */
  forget(name: string): Promise<void>
}

/** Opens the repositories in `reposDir`, for this process alone. Throws `FolderLocked` if another process has them open, `GitError` if Git is missing or older than 2.39. */
export async function openGit(options: OpenOptions): Promise<LocalGit> {
  const reposDir = resolve(options.reposDir)
  await makeReposDir(options.disk ?? realDisk, reposDir)
  // Before anything is cleaned up: what another server is building, or the locks of its moves, would look like garbage.
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
      remote: options.remote ?? noRemote,
      remoteScratches: new RemoteScratches(reposDir, options.scratchBytes ?? SCRATCH_BYTES),
      signer: options.signingKeyFile ? await openSigner(launcher, options.signingKeyFile, signingHome(reposDir)) : null,
      maxBlobBytes: options.maxBlobBytes,
      nextOpening: () => ++openings,
      moved: (path, refs) => options.moved?.(basename(path, '.git'), refs),
    }
    return new Repositories(reposDir, services, lock, options)
  } catch (error) {
    await launcher.close()
    throw error
  }
}

/** The folder of `gpg`: its path has room for a socket, and it is the same one at the next start. */
const signingHome = (reposDir: string): string =>
  join(tmpdir(), `bindery-gpg-${createHash('sha256').update(reposDir).digest('hex').slice(0, 12)}`)

interface Programs {
  /** Whether `stdbuf` can make a program write without a buffer. */
  unbuffered: boolean
}

/** By the path on which programs are found. */
// bound: a process has one, a test a few
const found = new Map<string | undefined, Programs>()

/** Which programs there are: they stay the same while a process runs. Throws `GitError` if Git is missing or too old. */
async function programsOf(launcher: Launcher, cwd: string): Promise<Programs> {
  const { PATH: path } = hermeticEnvironment(cwd)
  const known = found.get(path)
  if (known) return known
  await mustBeRecent(cwd)
  const programs = { unbuffered: await hasStdbuf(launcher, cwd) }
  found.set(path, programs)
  return programs
}

/** Creates the folder durably: the name of a new folder is stored in the one above it, which must be synced. */
async function makeReposDir(disk: Disk, reposDir: string): Promise<void> {
  const end = dirname((await mkdir(reposDir, { recursive: true, mode: 0o700 })) ?? reposDir)
  for (let folder = reposDir; folder !== end && folder !== dirname(folder); folder = dirname(folder))
    await syncReadable(disk, dirname(folder))
}

/** A folder that we may not read cannot be synced, and need not be: it existed before. */
async function syncReadable(disk: Disk, folder: string): Promise<void> {
  await syncPath(disk, folder).catch((error: unknown) => {
    if (errorCode(error) !== 'EACCES') throw error
  })
}

async function mustBeRecent(cwd: string): Promise<void> {
  const text = (await wholeCommand(cwd, ['version'], VERSION_MS)).stdout
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? []
  const recent = Number(major) > MIN_GIT[0] || (Number(major) === MIN_GIT[0] && Number(minor) >= MIN_GIT[1])
  if (!recent) throw new GitError(`Git ${MIN_GIT.join('.')} or later is needed; found: ${text.trim() || 'none'}`)
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

  /** Removes what a crash left. On a read-only file system that waits until the repository can be written to. */
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
      ? opened.head(ref)
      : new RefReader(repositoryPath(this.reposDir, name), this.services.caches.packedRefs).head(ref)
  }

  async duplicate(from: string, to: string): Promise<BareRepository> {
    const { path } = await this.open(from)
    const { disk } = this.services
    await createRepository(disk, this.reposDir, repositoryPath(this.reposDir, to), (building) =>
      fillDuplicate(disk, path, new RefReader(path), building),
    )
    const duplicate = await this.open(to)
    this.services.moved(duplicate.path, [...(await duplicate.refs('refs/heads/')).keys()])
    return duplicate
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
        `${path}/${lock} exists: if no Git process is running there, remove it, or the ref cannot be moved`,
      )
    return repository
  }
}
