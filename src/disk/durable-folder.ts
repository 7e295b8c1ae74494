// Makes folders that are still there after a power cut.
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes a folder (absolute path) and those above it; they are on the disk when this resolves. Only its owner may look into new ones. */
export async function makeDurableFolder(path: string): Promise<void> {
  const end = dirname((await mkdir(path, { recursive: true, mode: 0o700 })) ?? path)
  // A new name is kept by the folder above it. Also where the folder was there: who made it may have died before its sync.
  for (let folder = path; folder !== end && folder !== dirname(folder); folder = dirname(folder)) await syncIfReadable(dirname(folder))
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
