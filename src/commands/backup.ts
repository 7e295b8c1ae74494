/**
 * Copies an installation into a new folder, even while its server runs. References are copied before their targets:
 * documents before files and
 * repositories, and in a repository refs before objects. So the copy contains everything that its documents and refs
 * name.
 */
import { errorCode } from '../kernel/thrown.js'
import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../config.js'
import { OperatorError } from './maintenance.js'

/** Paths in the data folder that the server can rebuild, or that belong to the running process. */
const LEFT_OUT_OF_DATA = /^((facts|dates)\.db.*|search|pdf|bundles|cards|control|store\/lock|\.probe-.*)$|\.(tmp|new)$/
const LEFT_OUT_OF_REPOSITORIES = /\.lock$/
/** Maximum number of attempts to copy the documents between two checkpoints. Only changed files are copied again. */
const MAX_TRIES = 100
const AT_ONCE = 8

type Source = Pick<Config, 'dataDir' | 'reposDir' | 'databaseUrl'>

/**
 * Copies data and repositories into the new folders `<folder>/data` and `<folder>/repos`. Returns the number of files
 * and repositories. Throws `OperatorError`.
 */
export async function backUp(config: Source, folder: string): Promise<{ files: number; repositories: number }> {
  const [dataDir, reposDir, target] = [resolve(config.dataDir), resolve(config.reposDir), resolve(folder)]
  if (config.databaseUrl !== null)
    throw new OperatorError(
      'With BINDERY_DATABASE_URL, all data is in the database. Back it up with pg_dump (docs/administration.md).',
    )
  if (existsSync(target)) throw new OperatorError(`${target} exists. Name a folder that does not exist.`)
  if (!existsSync(join(dataDir, 'store', 'store.json')))
    throw new OperatorError(`There is no installation in ${dataDir}. Set BINDERY_DATA_DIR.`)
  // An interrupted backup must not look like a complete one.
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
 * The copy is consistent if the manifest is copied first and has not changed at the end: a checkpoint deletes files of
 * the earlier manifest only after it
 * has replaced it. Checkpoints and journals are copied before the log, which must not end before they do.
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

/**
 * Copies a repository. Loose refs are copied before packed ones, in the order in which Git reads them. Objects are
 * copied twice, because a repack during the first copy moves some of them into a new pack.
 */
async function copyRepository(repos: FolderCopy, name: string): Promise<void> {
  const inOrder = [`${name}/refs`, `${name}/packed-refs`, `${name}/objects`, `${name}/objects`]
  await repos.copy(name, (path) => !inOrder.includes(path))
  for (const path of inOrder) await repos.copy(path)
}

/** Copies parts of a folder. A part that is copied again is updated. */
class FolderCopy {
  /** The copied files, with the stamp of the copied version. */
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

  /** Returns a stamp that identifies a version of a file; null if it does not exist. */
  stampOf(path: string): string | null {
    const stat = statSync(join(this.from, path), { bigint: true, throwIfNoEntry: false })
    return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : null
  }

  /**
   * Copies a file or folder (a path below `from`; empty = all). If it was copied before, only changes are copied.
   * Returns the files that exist.
   */
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

  /** Like `copy`, but also removes files that the original no longer has. */
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
      // The file was deleted after it was listed. Nothing that is copied later refers to it.
      if (errorCode(error) === 'ENOENT') return
      throw error
    }
    this.#copied.set(path, stamp ?? '')
  }
}
