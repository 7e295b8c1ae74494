// Creates repositories.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../kernel/ids.js'
import { GitError, NoRepository, RepositoryExists, UnsupportedRepository } from '../errors.js'
import { type Disk, errorCode, exists, syncPath, writeSynced } from '../objects/disk.js'

/**
 * Settings of a new repository. The server passes the same ones to its own Git processes; here they are for administrators who use
 * Git in the folder: what they write is durable too, nothing is pruned automatically, and every branch has a reflog.
 */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = true
\tfsync = all
\tfsyncMethod = fsync
[gc]
\tauto = 0
[maintenance]
\tauto = false
[receive]
\tfsckObjects = true
\tdenyDeleteCurrent = refuse
[merge]
\tdirectoryRenames = false
`
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
/** Temporary folders: repositories being created or deleted, and objects of merges. Deleted at start. */
const TEMPORARY = /^\.(new|trash|scratch)-/

/** A new name for the folder of objects that merges make. */
export const scratchPath = (reposDir: string): string => join(reposDir, `.scratch-${newId()}`)

/** The folder of the repository called `name`. Throws `NoRepository` if that is not a valid name. */
export function repositoryPath(reposDir: string, name: string): string {
  if (!NAME.test(name)) throw new NoRepository(`${JSON.stringify(name)} is not the name of a repository`)
  return join(reposDir, `${name}.git`)
}

export const repositoryExists = (path: string): Promise<boolean> => exists(join(path, 'HEAD'))

/** Creates a bare repository under a temporary name, calls `fill` to add to it, and renames it. Throws `RepositoryExists`. */
export async function createRepository(disk: Disk, reposDir: string, path: string, fill: (building: string) => Promise<void> = async () => {}): Promise<void> {
  const building = join(reposDir, `.new-${newId()}`)
  try {
    for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) await mkdir(join(building, folder), { recursive: true })
    await writeSynced(disk, join(building, 'HEAD'), [Buffer.from('ref: refs/heads/main\n')], 0o644)
    await writeSynced(disk, join(building, 'config'), [Buffer.from(CONFIG)], 0o644)
    await fill(building)
    for (const folder of ['objects/info', 'objects/pack', 'objects', 'refs/heads', 'refs/tags', 'refs', 'info', '.'])
      await syncPath(disk, join(building, folder))
    await rename(building, path)
    await syncPath(disk, reposDir)
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw new RepositoryExists(`${path} exists already`, { cause: error })
    throw error
  }
}

/**
 * Throws `NoRepository`, and `UnsupportedRepository` for what this code cannot read: SHA-256, reftable, alternates. Reads
 * synchronously: a start opens thousands of repositories, and to await each small file would take longer than reading it.
 */
export function mustBeSupported(path: string): void {
  const config = textOf(join(path, 'config'))
  if (config === null || !existsSync(join(path, 'HEAD'))) throw new NoRepository(`${path} is not a repository`)
  if (/\b(objectformat\s*=\s*"?sha256|refstorage\s*=\s*"?reftable)/i.test(config))
    throw new UnsupportedRepository(`${path} uses SHA-256 or reftable, which are not supported`)
  if ((textOf(join(path, 'objects/info/alternates')) ?? '').trim() !== '') throw new UnsupportedRepository(`${path} borrows objects from another repository`)
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Renames a repository, so that it is gone at once, then deletes it. Throws `NoRepository`. */
export async function removeRepository(disk: Disk, reposDir: string, path: string): Promise<void> {
  const trash = join(reposDir, `.trash-${newId()}`)
  try {
    await rename(path, trash)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new NoRepository(`${path} is not a repository`, { cause: error })
    throw new GitError(`${path} cannot be removed`, { cause: error })
  }
  await syncPath(disk, reposDir)
  await rm(trash, { recursive: true, force: true })
}

/** Deletes what a crash left half created or half deleted. */
export async function clearTemporary(reposDir: string): Promise<void> {
  for (const name of await readdir(reposDir)) if (TEMPORARY.test(name)) await rm(join(reposDir, name), { recursive: true, force: true })
}
