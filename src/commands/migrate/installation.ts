/** An installation from the view of a migration: documents, repositories and files, in folders or in a database. */
import { createReadStream, existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Lock, takeLock } from '../../disk/folder-lock.js'
import { migrations } from '../../domain/upkeep/migrations.js'
import { FileRows, prepareFiles, type StoredFile } from '../../shared-files/index.js'
import { listRefs, prepareRepositories, storedRefs, storedRepositories } from '../../git/index.js'
import { journals } from '../../model/index.js'
import { type Database, IS_SERVER, openDatabase } from '../../postgres/index.js'
import { openEmbeddedSource, openPostgresSource, type StoreSource } from '../../store/index.js'
import { OperatorError } from '../maintenance.js'

/** Receives a line for the operator. */
export type Report = (line: string) => void

/** The kinds of files that cannot be rebuilt: OpenAPI specifications and Git LFS files. PDFs are printed again. */
export const SHELVES = ['openapi', 'lfs'] as const
export type Shelf = (typeof SHELVES)[number]

/** A file, named by the SHA-256 of its bytes. */
export interface MovedFile {
  name: string
  size: number
  read(): AsyncIterable<Uint8Array>
}

export interface Installation {
  /** Describes the installation, without a password. */
  readonly description: string
  readonly documents: StoreSource
  /** Names of the repositories, sorted. */
  repositories(): Promise<string[]>
  /** Returns the refs of a repository, as lines `<object> <ref>`, sorted. */
  refs(repository: string): Promise<string[]>
  files(shelf: Shelf): AsyncIterable<MovedFile>
  close(): Promise<void>
}

/** The folders of an installation. */
export interface Folders {
  dataDir: string
  reposDir: string
}

const HASH = /^[0-9a-f]{64}$/
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9_-]*\.git$/
/** Name of a server's lock file in the repository folder. */
const LOCK = '.bindery-lock'

/**
 * Opens an installation in folders for reading, and locks out servers. Throws `OperatorError`, `FolderLocked`,
 * `StoreDamaged`, `StoreTooOld`.
 */
export async function openFolders({ dataDir: data, reposDir: repos }: Folders): Promise<Installation> {
  const [dataDir, reposDir] = [resolve(data), resolve(repos)]
  for (const dir of [join(dataDir, 'store'), reposDir])
    if (!existsSync(dir))
      throw new OperatorError(
        `The folder ${dir} does not exist. Set BINDERY_DATA_DIR and BINDERY_REPOS_DIR to those of the installation.`,
      )
  const documents = await openEmbeddedSource({ dir: join(dataDir, 'store'), migrations, journals })
  let lock: Lock
  try {
    lock = takeLock(reposDir, join(reposDir, LOCK))
  } catch (error) {
    await documents.close()
    throw error
  }
  return {
    description: `the folders ${dataDir} and ${reposDir}`,
    documents,
    repositories: async () =>
      (await readdir(reposDir))
        .filter((name) => REPOSITORY.test(name))
        .map((name) => name.slice(0, -'.git'.length))
        .sort(),
    refs: async (name) => (await listRefs(join(reposDir, `${name}.git`))).sort(),
    files: (shelf) => filesIn(join(dataDir, shelf)),
    async close() {
      lock.release()
      await documents.close()
    },
  }
}

async function* filesIn(dir: string): AsyncGenerator<MovedFile> {
  for (const folder of existsSync(dir) ? (await readdir(dir)).sort() : []) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    for (const name of (await readdir(join(dir, folder))).sort()) {
      const path = join(dir, folder, name)
      if (HASH.test(name)) yield { name, size: (await stat(path)).size, read: () => createReadStream(path) }
    }
  }
}

/** Opens the database of an installation. The name of its connections distinguishes them from those of servers. */
export const openFor = (url: string): Database => openDatabase({ url, application: 'bindery migrate' })

/**
 * Opens an installation in a database for reading. `close` leaves the database open. Throws `OperatorError` if nodes
 * use it, `DatabaseAway`, `StoreTooOld`.
 */
export async function openNodes(database: Database, told: string): Promise<Installation> {
  await refuseRunning(database)
  await prepareFiles(database)
  await prepareRepositories(database)
  const documents = await openPostgresSource(database, migrations)
  return {
    description: told,
    documents,
    repositories: () => storedRepositories(database),
    refs: async (name) => (await storedRefs(database, name)).map(([ref, commit]) => `${commit} ${ref}`).sort(),
    async *files(shelf) {
      const rows = new FileRows(database, shelf)
      for await (const file of rows.list()) yield movedOf(rows, file)
    },
    close: () => documents.close(),
  }
}

const movedOf = (rows: FileRows, file: StoredFile): MovedFile => ({
  name: file.name,
  size: file.size,
  read: () => rows.read(file),
})

/** Throws `OperatorError` while servers are connected to the database. */
export async function refuseRunning(database: Database): Promise<void> {
  const text = `SELECT count(DISTINCT coalesce(client_addr::text, 'this machine'))::int AS hosts FROM pg_stat_activity
    WHERE datname = current_database() AND ${IS_SERVER}`
  const [row] = await database.query<{ hosts: number }>(text)
  if ((row?.hosts ?? 0) > 0)
    throw new OperatorError(
      'Servers are using the database. Stop all nodes, and wait until their connections have ended.',
    )
}

/** Describes a database. */
export function describeDatabase(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `the database ${decodeURIComponent(pathname.slice(1))} on ${hostname || 'this machine'}${port ? `:${port}` : ''}`
}
