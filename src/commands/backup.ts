/**
 * Copies an installation into a new folder while its server may run. What refers to something is copied before it: documents before files and
 * repositories, and in a repository refs before objects. So the copy has everything that its documents and refs name.
 */
import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../config.js'
import { OperatorError } from './maintenance.js'

/** Paths in the data folder that the server makes again, or that belong to the running process. */
const LEFT_OUT_OF_DATA = /^((facts|dates)\.db.*|search|pdf|control|store\/lock|\.probe-.*)$|\.(tmp|new)$/
const LEFT_OUT_OF_REPOSITORIES = /\.lock$/
/** Maximum number of attempts to copy the documents between two checkpoints. Only changed files are copied again. */
const MAX_TRIES = 100
const AT_ONCE = 8

type Source = Pick<Config, 'dataDir' | 'reposDir' | 'databaseUrl'>

/** Copies data and repositories into the new folders `<folder>/data` and `<folder>/repos`. Returns how many files and spaces it has. Throws `OperatorError`. */
export async function backUp(config: Source, folder: string): Promise<{ files: number; repositories: number }> {
  const [dataDir, reposDir, target] = [resolve(config.dataDir), resolve(config.reposDir), resolve(folder)]
  if (config.databaseUrl !== null)
    throw new OperatorError(
      'With BINDERY_DATABASE_URL, everything is in the database: back it up with pg_dump (docs/administration.md).',
    )
  if (existsSync(target)) throw new OperatorError(`${target} exists: name a folder that does not exist.`)
  if (!existsSync(join(dataDir, 'store', 'store.json')))
    throw new OperatorError(`There is no installation in ${dataDir}: set BINDERY_DATA_DIR.`)
  // An interrupted backup must not be taken for a whole one.
  const partial = `${target}.partial`
  await rm(partial, { recursive: true, force: true })
  const data = new FolderCopy(dataDir, join(partial, 'data'), LEFT_OUT_OF_DATA)
  await copyDocuments(data)
  await data.copy('', (path) => path !== 'store')
  const repos = new FolderCopy(reposDir, join(partial, 'repos'), LEFT_OUT_OF_REPOSITORIES)
  const names = (await readdir(reposDir)).filter((name) => /^[^.].*\.git$/.test(name))
  for (const name of names) await copyRepository(repos, name)
  await promisify(execFile)('sync')
  await rename(partial, target)
  return { files: data.files + repos.files, repositories: names.length }
}

/**
 * The store is consistent if its manifest comes first and is still the same at the end: a checkpoint deletes what an earlier manifest needs only after it
 * has replaced it. Checkpoints and journals come before the log, which must not end before they do.
 */
async function copyDocuments(data: FolderCopy): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = data.stampOf('store/store.json')
    await data.copy('store/store.json')
    for (const path of ['store/documents', 'store/journals', 'store/log']) await data.mirror(path)
    if (before !== null && data.stampOf('store/store.json') === before) return
  }
  throw new OperatorError('The documents changed too fast to be copied. Try again when the server is less busy.')
}

/** Loose refs come before packed ones, as Git reads them. Objects are copied twice: a repack during the first time moves some into a new pack. */
async function copyRepository(repos: FolderCopy, name: string): Promise<void> {
  const inOrder = [`${name}/refs`, `${name}/packed-refs`, `${name}/objects`, `${name}/objects`]
  await repos.copy(name, (path) => !inOrder.includes(path))
  for (const path of inOrder) await repos.copy(path)
}

/** Copies parts of a folder; a part that is copied again is brought up to date. */
class FolderCopy {
  /** The copied files, with what tells one version of a file from the next. */
  // bound: the files of the installation
  readonly #copied = new Map<string, string>()

  constructor(
    readonly from: string,
    readonly to: string,
    readonly leftOut: RegExp,
  ) {}

  get files(): number {
    return this.#copied.size
  }

  /** Tells one version of a file from the next; null if there is none. */
  stampOf(path: string): string | null {
    const stat = statSync(join(this.from, path), { bigint: true, throwIfNoEntry: false })
    return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : null
  }

  /** Copies a file or folder (a path below `from`; empty = all), of which only what changed if it was copied before. Returns the files that were found. */
  async copy(path: string, wanted: (path: string) => boolean = () => true): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    await this.#list(path, wanted, found)
    const waiting = found.values()
    const work = async (): Promise<void> => {
      for (const file of waiting) await this.#copyFile(file)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return found
  }

  /** Like `copy`, and removes from the copy what the original has no more. */
  async mirror(path: string): Promise<void> {
    const found = await this.copy(path)
    for (const file of [...this.#copied.keys()].filter((one) => one.startsWith(`${path}/`) && !found.has(one))) {
      await rm(join(this.to, file), { force: true })
      this.#copied.delete(file)
    }
  }

  async #list(path: string, wanted: (path: string) => boolean, into: Set<string>): Promise<void> {
    const entries = await readdir(join(this.from, path), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTDIR') into.add(path)
        else if (error.code !== 'ENOENT') throw error
        return null
      },
    )
    if (entries === null) return
    await mkdir(join(this.to, path), { recursive: true, mode: 0o700 })
    for (const entry of entries) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (this.leftOut.test(below) || !wanted(below)) continue
      if (entry.isDirectory()) await this.#list(below, wanted, into)
      else if (entry.isFile()) into.add(below)
    }
  }

  async #copyFile(path: string): Promise<void> {
    const stamp = this.stampOf(path)
    if (stamp !== null && this.#copied.get(path) === stamp) return
    const target = join(this.to, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    try {
      await copyFile(join(this.from, path), target)
    } catch (error) {
      // It was deleted since it was listed: nothing that is copied later refers to it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    this.#copied.set(path, stamp ?? '')
  }
}
