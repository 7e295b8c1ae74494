/**
 * Reads the files of an installation in an order that is consistent even while its server runs. References are read
 * before their targets: documents before files and repositories, and in a repository refs before objects. So a copy
 * contains everything that its documents and refs name.
 */
import { existsSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.js'
import { errorCode } from '../../kernel/thrown.js'
import { isSealed } from '../../store/index.js'
import { OperatorError } from '../maintenance.js'

/** Paths in the data folder that the server can rebuild, or that belong to the running process. */
const LEFT_OUT_OF_DATA =
  /^((facts|dates|structures)\.db.*|search|pdf|bundles|cards|control|store\/lock|\.probe-.*)$|\.(tmp|new)$/
const LEFT_OUT_OF_REPOSITORIES = /\.lock$/
/** Maximum number of attempts to read the documents between two checkpoints. Only changed files are read again. */
const MAX_TRIES = 100
const AT_ONCE = 8

export type Source = Pick<Config, 'dataDir' | 'reposDir' | 'databaseUrl'>

/** Receives the files. Paths start with `data/` or `repos/`. */
export interface Sink {
  folder(path: string): Promise<void>
  /** Receives a file, or a newer version of it. Throws `ENOENT` if the source was deleted after it was listed. */
  file(path: string, source: string): Promise<void>
  /** The source no longer has the file. */
  removed(path: string): Promise<void>
}

/** Throws `OperatorError` if there is no installation. */
export function requireInstallation({ dataDir }: Source): void {
  if (!existsSync(join(resolve(dataDir), 'store', 'store.json')))
    throw new OperatorError(`There is no installation in ${resolve(dataDir)}. Set BINDERY_DATA_DIR.`)
}

/** Passes all files of an installation in folders to the sink. Throws `OperatorError`. */
export async function capture(
  source: Source,
  sink: Sink,
  tell: (progress: string) => void,
): Promise<{ files: number; repositories: number }> {
  requireInstallation(source)
  const [dataDir, reposDir] = [resolve(source.dataDir), resolve(source.reposDir)]
  const data = new FolderReader({ from: dataDir, to: 'data', leftOut: LEFT_OUT_OF_DATA, sink })
  tell('documents')
  await readDocuments(data)
  await data.read('', (path) => path !== 'store')
  const repos = new FolderReader({ from: reposDir, to: 'repos', leftOut: LEFT_OUT_OF_REPOSITORIES, sink })
  const names = (await readdir(reposDir)).filter((name) => /^[^.].*\.git$/.test(name))
  await sink.folder('repos')
  for (const [at, name] of names.entries()) {
    tell(`repository ${at + 1} of ${names.length}`)
    await readRepository(repos, name)
  }
  return { files: data.files + repos.files, repositories: names.length }
}

/**
 * The copy is consistent if the manifest is read first and has not changed at the end: a checkpoint deletes files of
 * the earlier manifest only after it has replaced it. Checkpoints and journals are read before the log, which must not
 * end before they do.
 */
async function readDocuments(data: FolderReader): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = data.stampOf('store/store.json')
    await data.read('store/store.json')
    for (const path of ['store/documents', 'store/journals', 'store/log']) await data.mirror(path)
    if (before !== null && data.stampOf('store/store.json') === before) return
  }
  throw new OperatorError('The documents changed too fast to be copied. Try again when the server is less busy.')
}

/**
 * Reads a repository. Loose refs are read before packed ones, in the order in which Git reads them. Objects are read
 * twice, because a repack during the first pass moves some of them into a new pack.
 */
async function readRepository(repos: FolderReader, name: string): Promise<void> {
  const inOrder = [`${name}/refs`, `${name}/packed-refs`, `${name}/objects`, `${name}/objects`]
  await repos.read(name, (path) => !inOrder.includes(path))
  for (const path of inOrder) await repos.read(path)
}

/**
 * Returns the damaged files of documents, as paths in the data folder. A backup contains them as they are, so that a
 * repair can be tried on it.
 */
export async function damagedDocuments({ dataDir }: Source): Promise<string[]> {
  const documents = join('store', 'documents')
  const damaged: string[] = []
  // A new installation has only a log.
  const names = existsSync(join(dataDir, documents)) ? await readdir(join(dataDir, documents), { recursive: true }) : []
  for (const name of names) {
    if (!name.endsWith('.json')) continue
    // The next checkpoint may remove a file after it was listed.
    const bytes = await readFile(join(dataDir, documents, name)).catch(() => null)
    if (bytes !== null && !isSealed(bytes)) damaged.push(join(documents, name))
  }
  return damaged
}

interface Reading {
  from: string
  /** Prefix of the paths in the sink. */
  to: string
  leftOut: RegExp
  sink: Sink
}

/** Returns a stamp that identifies a version of a file; null if it does not exist. */
export function stampOf(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : null
}

/** Reads parts of a folder. If a part is read again, only changed files are. */
class FolderReader {
  /** The files that were read, with the stamp of the version. */
  // bound: the files of the installation
  readonly #seen = new Map<string, string>()

  constructor(private readonly how: Reading) {}

  get files(): number {
    return this.#seen.size
  }

  stampOf(path: string): string | null {
    return stampOf(join(this.how.from, path))
  }

  /** Reads a file or folder (a path below `from`; empty = all). Returns the files that exist. */
  async read(path: string, wanted: (path: string) => boolean = () => true): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    await this.#list(path, wanted, found)
    const waiting = found.values()
    const work = async (): Promise<void> => {
      for (const file of waiting) await this.#readFile(file)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return found
  }

  /** Like `read`, but also reports files that the folder no longer has. */
  async mirror(path: string): Promise<void> {
    const found = await this.read(path)
    for (const file of [...this.#seen.keys()].filter((one) => one.startsWith(`${path}/`) && !found.has(one))) {
      await this.how.sink.removed(this.#target(file))
      this.#seen.delete(file)
    }
  }

  #target(path: string): string {
    return path === '' ? this.how.to : `${this.how.to}/${path}`
  }

  async #list(path: string, wanted: (path: string) => boolean, into: Set<string>): Promise<void> {
    const { from, leftOut, sink } = this.how
    const entries = await readdir(join(from, path), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR') into.add(path)
      else if (error.code !== 'ENOENT') throw error
      return null
    })
    if (entries === null) return
    await sink.folder(this.#target(path))
    for (const entry of entries) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (leftOut.test(below) || !wanted(below)) continue
      if (entry.isDirectory()) await this.#list(below, wanted, into)
      else if (entry.isFile()) into.add(below)
    }
  }

  async #readFile(path: string): Promise<void> {
    const stamp = this.stampOf(path)
    if (stamp !== null && this.#seen.get(path) === stamp) return
    try {
      await this.how.sink.file(this.#target(path), join(this.how.from, path))
    } catch (error) {
      // The file was deleted after it was listed. Nothing that is read later refers to it.
      if (errorCode(error) === 'ENOENT' && this.stampOf(path) === null) return
      throw error
    }
    this.#seen.set(path, stamp ?? '')
  }
}
