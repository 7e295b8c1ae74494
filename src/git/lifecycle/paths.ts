/** Where repositories are, and how they are removed. */
import { join } from 'node:path'
import { isRefusedWrite } from '../../disk/folder-watch.js'
import { newId } from '../../kernel/ids.js'
import { GitError, NoRepository } from '../errors.js'
import { errorCode, exists, type Disk, syncPath } from '../objects/disk.js'
import { readdir, rename, rm, stat } from 'node:fs/promises'

/** Names of repositories: the IDs of their spaces, and what tests call them. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/** Temporary folders: repositories being created or deleted, and objects of merges. Deleted at start. */
const TEMPORARY = /^\.(new|trash|scratch)-/

/** A new name for the folder of objects that merges make. */
export const scratchPath = (reposDir: string): string => join(reposDir, `.scratch-${newId()}`)

/** The folder of the repository called `name`. Throws `NoRepository` if that is not a valid name. */
export function repositoryPath(reposDir: string, name: string): string {
  if (!NAME.test(name)) throw new NoRepository(`${JSON.stringify(name)} is not the name of a repository`)
  return join(reposDir, `${name}.git`)
}

/** Whether there is a repository at a path. */
export const repositoryExists = (path: string): Promise<boolean> => exists(join(path, 'HEAD'))

/** The bytes of all files below a folder; of those that are there. */
export async function bytesBelow(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries)
    if (entry.isFile())
      bytes += await stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      )
  return bytes
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
  for (const name of (await readdir(reposDir)).filter((one) => TEMPORARY.test(one)))
    await rm(join(reposDir, name), { recursive: true, force: true }).catch((error: unknown) => {
      // On a read-only file system it stays until a start that can delete it.
      if (!isRefusedWrite(error)) throw error
    })
}
