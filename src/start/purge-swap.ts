/**
 * Puts the result of `bindery purge-secret` in the place of the former data, and deletes the former data and everything
 * that was derived from it. A mark in the data folder is the commit point: before it, the former data counts; after it,
 * this command or the next start finishes the work.
 */
import { existsSync, readFileSync } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import { syncFolder } from '../disk/durable-folder.js'
import { takeLock } from '../disk/folder-lock.js'
import type { Store } from '../store/index.js'
import { removedObjects } from '../model/index.js'

type Folders = Pick<Config, 'dataDir' | 'reposDir'>

/** The content of the mark. */
interface PurgeMark {
  space: string
  /** Hashes of Git LFS objects that no space has any more. */
  lfs: string[]
}

const MARK = 'purge.json'
const STATE = 'purged'
const LOCK = 'purge-lock'
/** Files and folders of the data folder that contain content of spaces, and that the server makes again. */
const DERIVED = /^(?:facts\.db|dates\.db|structures\.db|translations\.db|search|pdf|bundles|cards)(?:-\w+)?$/

/** Returns the paths of a removal. */
export const purgePaths = ({ dataDir, reposDir }: Folders, space: string) => ({
  store: join(resolve(dataDir), 'store'),
  newStore: join(resolve(dataDir), 'store-purged'),
  oldStore: join(resolve(dataDir), 'store-former'),
  repository: join(resolve(reposDir), `${space}.git`),
  newRepository: join(resolve(reposDir), `.purged-${space}.git`),
})

/** Holds off other removals, and servers that would finish this one. Throws `FolderLocked`. */
export const lockPurge = ({ dataDir }: Folders) => takeLock(resolve(dataDir), join(resolve(dataDir), LOCK))

/** Makes the new store and the new repository count. Both must be durable. */
export async function commitPurge({ dataDir }: Folders, mark: PurgeMark): Promise<void> {
  const file = join(resolve(dataDir), MARK)
  await writeFile(`${file}.new`, JSON.stringify(mark), { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  await syncFolder(resolve(dataDir))
}

/** Finishes a removal after its commit point, and deletes the remains of one that did not reach it. */
export async function finishPurge(folders: Folders): Promise<void> {
  const [dataDir, reposDir] = [resolve(folders.dataDir), resolve(folders.reposDir)]
  const file = join(dataDir, MARK)
  if (existsSync(file)) {
    const mark: PurgeMark = JSON.parse(readFileSync(file, 'utf8'))
    const { store, newStore, oldStore, repository, newRepository } = purgePaths(folders, mark.space)
    if (existsSync(newStore)) await replace(store, newStore, oldStore)
    // The start deletes what has this name, so a kill leaves no readable repository.
    if (existsSync(newRepository)) await replace(repository, newRepository, join(reposDir, `.trash-${mark.space}`))
    await syncFolder(dataDir)
    await syncFolder(reposDir)
    await rm(oldStore, { recursive: true, force: true })
    await rm(join(reposDir, `.trash-${mark.space}`), { recursive: true, force: true })
    for (const oid of mark.lfs) await rm(join(dataDir, 'lfs', oid.slice(0, 2), oid), { force: true })
    await dropDerived(folders)
    await rm(file)
    await syncFolder(dataDir)
  }
  for (const [dir, name] of await remains(dataDir, reposDir))
    await rm(join(dir, name), { recursive: true, force: true })
}

/** Puts a folder in the place of another one, which gets a third name. Can be repeated after any step. */
async function replace(place: string, by: string, former: string): Promise<void> {
  if (existsSync(place)) {
    await rm(former, { recursive: true, force: true })
    await rename(place, former)
  }
  await rename(by, place)
}

async function remains(dataDir: string, reposDir: string): Promise<(readonly [string, string])[]> {
  const names = async (dir: string): Promise<string[]> => (existsSync(dir) ? readdir(dir) : [])
  const data = (await names(dataDir)).filter((name) => name === 'store-purged' || name === 'store-former')
  const repos = (await names(reposDir)).filter((name) => name.startsWith('.purged-'))
  return [...data.map((name) => [dataDir, name] as const), ...repos.map((name) => [reposDir, name] as const)]
}

/** Finishes an interrupted removal before a server opens the folders. Throws `FolderLocked` while the command runs. */
export async function resumePurge(folders: Folders): Promise<void> {
  const [dataDir, reposDir] = [resolve(folders.dataDir), resolve(folders.reposDir)]
  if (!existsSync(join(dataDir, MARK)) && (await remains(dataDir, reposDir)).length === 0) return
  const lock = lockPurge(folders)
  try {
    await finishPurge(folders)
  } finally {
    lock.release()
  }
}

/** Deletes the caches and indexes of the data folder, and the scratch repositories of remotes. */
export async function dropDerived({ dataDir, reposDir }: Folders): Promise<void> {
  for (const name of (await readdir(resolve(dataDir))).filter((one) => DERIVED.test(one)))
    await rm(join(resolve(dataDir), name), { recursive: true, force: true })
  await rm(join(resolve(reposDir), '.remotes'), { recursive: true, force: true })
}

/**
 * Deletes caches and indexes that were made before the last removal. On a node, the command may have run elsewhere.
 * Must be called before the indexes are opened.
 */
export async function dropOutdated(folders: Folders, store: Store): Promise<void> {
  const times = (await store.all(removedObjects)).map(({ at }) => at).sort()
  const last = times.at(-1)
  const file = join(resolve(folders.dataDir), STATE)
  if (last === undefined || (existsSync(file) && readFileSync(file, 'utf8') === last)) return
  await dropDerived(folders)
  await writeFile(file, last, { mode: 0o600 })
}
