import { readFileSync, statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { basename, dirname, relative } from 'node:path'
import type { FileSystem } from './types.js'

// Names, addresses and hashes of tokens are for the owner alone.
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** The real one. */
export const nodeFileSystem: FileSystem = {
  async open(path, mode) {
    // No O_CREAT for 'append': a log that has vanished must be noticed, not begun again.
    const handle = await open(path, mode === 'append' ? 'r+' : 'w', FILE_MODE)
    let end = mode === 'append' ? (await handle.stat()).size : 0
    return {
      async append(data) {
        let written = 0
        while (written < data.length) written += (await handle.write(data, written, data.length - written, end + written)).bytesWritten
        end += data.length
      },
      async truncate(length) {
        await handle.truncate(length)
        end = length
      },
      datasync: () => handle.datasync(),
      close: () => handle.close(),
    }
  },
  // At once: files are read at a start alone, thousands of small ones, for each of which four turns of the loop cost more than the reading.
  readFile: async (path) => readFileSync(path),
  readLater: (path) => readFile(path),
  size: async (path) => statSync(path).size,
  readdir: (path) => readdir(path),
  mkdir: async (path) => void (await mkdir(path, FOLDER_MODE)),
  rename,
  unlink,
  async syncDir(path) {
    const handle = await open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

export const hasCode = (thrown: unknown, code: string): boolean => (thrown as { code?: unknown } | null)?.code === code

/**
 * Makes a folder and its missing parents; they are on the disk when this resolves. Below `base`, which is on the disk, that is so
 * also where an earlier attempt made some of the folders and failed before they were.
 */
export async function ensureDir(fs: FileSystem, path: string, base?: string): Promise<void> {
  if (base !== undefined && relative(base, dirname(path)) !== '') await ensureDir(fs, dirname(path), base)
  try {
    await fs.mkdir(path)
  } catch (thrown) {
    if (!hasCode(thrown, 'EEXIST') && !hasCode(thrown, 'ENOENT')) throw thrown
    if (hasCode(thrown, 'ENOENT')) {
      await ensureDir(fs, dirname(path))
      return ensureDir(fs, path)
    }
  }
  // Also where it existed: who made it may have died before the entry was on the disk.
  if (basename(path) !== '') await fs.syncDir(dirname(path))
}

/** Ending of a file being written; one that is left over was never in use. */
export const TEMPORARY = '.tmp'

/**
 * Puts `text` in place of `path`: a reader sees the old or the new file, whole. The folder is not synced: the caller does
 * that, once for all files of a folder, before it relies on the new one.
 */
export async function replaceFile(fs: FileSystem, path: string, text: Uint8Array | string): Promise<void> {
  const temporary = path + TEMPORARY
  const file = await fs.open(temporary, 'create')
  try {
    await file.append(typeof text === 'string' ? Buffer.from(text) : text)
    await file.datasync()
  } finally {
    await file.close()
  }
  await fs.rename(temporary, path)
}

/** The names in a folder; those of a folder that does not exist: none. Left-over temporary files are removed. */
export async function listDir(fs: FileSystem, path: string): Promise<string[]> {
  let names: string[]
  try {
    names = await fs.readdir(path)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return []
    throw thrown
  }
  for (const name of names) if (name.endsWith(TEMPORARY)) await fs.unlink(`${path}/${name}`)
  return names.filter((name) => !name.endsWith(TEMPORARY)).sort()
}

/** Removes a file, if it is there. */
export async function removeFile(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path)
  } catch (thrown) {
    if (!hasCode(thrown, 'ENOENT')) throw thrown
  }
}

/** A file's bytes; null where there is no file. */
export async function readIfThere(fs: FileSystem, path: string): Promise<Buffer | null> {
  try {
    return await fs.readFile(path)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return null
    throw thrown
  }
}
