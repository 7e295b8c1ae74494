// Creates folders that survive a power failure.
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRefusedWrite } from './folder-watch.js'
import { makePrivate } from './private-files.js'

/**
 * Creates a folder (absolute path) and its parents. They are durable when the promise resolves. Only the owner can
 * access new folders.
 */
export async function makeDurableFolder(path: string): Promise<void> {
  const end = dirname((await mkdir(path, { recursive: true, mode: 0o700 })) ?? path)
  // The parent folder stores a new name. Sync it even if the folder existed: its creator may have died before syncing
  // it.
  for (let folder = path; folder !== end && folder !== dirname(folder); folder = dirname(folder))
    await syncIfReadable(dirname(folder))
}

/**
 * Creates a folder for its owner alone, or deletes its content. If the system rejects that, for example on a read-only
 * file system, an existing folder stays as it is.
 */
export async function makeEmptyFolder(path: string): Promise<void> {
  try {
    await makeDurableFolder(path)
    makePrivate(path, { deep: false })
    for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true })
  } catch (error) {
    if (!isRefusedWrite(error) || !existsSync(path)) throw error
  }
}

/** Makes the entries of a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function syncIfReadable(path: string): Promise<void> {
  // A folder that this process may not read existed before.
  await syncFolder(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error
  })
}
