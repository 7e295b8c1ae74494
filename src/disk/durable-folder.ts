// Makes folders that are still there after a power cut.
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRefusedWrite } from './folder-watch.js'
import { makePrivate } from './private-files.js'

/** Makes a folder (absolute path) and those above it; they are on the disk when this resolves. Only its owner may look into new ones. */
export async function makeDurableFolder(path: string): Promise<void> {
  const end = dirname((await mkdir(path, { recursive: true, mode: 0o700 })) ?? path)
  // A new name is kept by the folder above it. Also where the folder was there: who made it may have died before its sync.
  for (let folder = path; folder !== end && folder !== dirname(folder); folder = dirname(folder))
    await syncIfReadable(dirname(folder))
}

/** Makes a folder for its owner alone, or deletes what is in it. If that is refused, as on a read-only file system, a folder that is there stays as it is. */
export async function makeEmptyFolder(path: string): Promise<void> {
  try {
    await makeDurableFolder(path)
    makePrivate(path, { deep: false })
    for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true })
  } catch (error) {
    if (!isRefusedWrite(error) || !existsSync(path)) throw error
  }
}

/** Writes a folder's names to the disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function syncIfReadable(path: string): Promise<void> {
  // A folder that is not ours to read was there before.
  await syncFolder(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error
  })
}
