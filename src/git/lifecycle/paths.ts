/** The paths of repositories, and their removal. */
import { errorCode } from '../../kernel/thrown.js'
import { join } from 'node:path'
import { isRefusedWrite } from '../../disk/folder-watch.js'
import { newId } from '../../kernel/ids.js'
import { GitError, NoRepository } from '../errors.js'
import { exists, type Disk, syncPath } from '../objects/disk.js'
import { readdir, rename, rm, stat } from 'node:fs/promises'

/** Valid names of repositories: the IDs of their spaces, and the names that tests use. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/**
 * Temporary folders: repositories that are being created or deleted, and objects of merges. They are deleted at start.
 */
const TEMPORARY = /^\.(new|trash|scratch)-/

/** Returns a new path for the folder with the objects of merges. */
export const scratchPath = (reposDir: string): string => join(reposDir, `.scratch-${newId()}`)

/** Returns the path of the repository `name`. Throws `NoRepository` if the name is not valid. */
export function repositoryPath(reposDir: string, name: string): string {
  if (!NAME.test(name)) throw new NoRepository(`${JSON.stringify(name)} is not a valid repository name`)
  return join(reposDir, `${name}.git`)
}

/** Whether there is a repository at a path. */
export const repositoryExists = (path: string): Promise<boolean> => exists(join(path, 'HEAD'))

/** Returns the total size of all files below a folder in bytes. Skips files that disappear during the scan. */
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

/** Renames a repository, so that it disappears at once, then deletes it. Throws `NoRepository`. */
export async function removeRepository(disk: Disk, reposDir: string, path: string): Promise<void> {
  const trash = join(reposDir, `.trash-${newId()}`)
  try {
    await rename(path, trash)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new NoRepository(`${path} is not a repository`, { cause: error })
    throw new GitError(`cannot remove ${path}`, { cause: error })
  }
  await syncPath(disk, reposDir)
  await rm(trash, { recursive: true, force: true })
}

/** Deletes repositories that a crash left partly created or partly deleted. */
export async function clearTemporary(reposDir: string): Promise<void> {
  for (const name of (await readdir(reposDir)).filter((one) => TEMPORARY.test(one)))
    await rm(join(reposDir, name), { recursive: true, force: true }).catch((error: unknown) => {
      // On a read-only file system, the folder stays until a start that can delete it.
      if (!isRefusedWrite(error)) throw error
    })
}
