// The file operations of the store. Tests can make them fail.
import { errorCode } from '../kernel/thrown.js'
import { closeSync, fsync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { basename, dirname, relative } from 'node:path'
import { promisify } from 'node:util'
import { takeLock } from '../disk/folder-lock.js'
import { isRefusedWrite } from '../disk/folder-watch.js'
import type { FileSystem, OpenFile } from './types.js'

// The store contains names, e-mail addresses and hashes of tokens: only its owner may read it.
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
/** Maximum size of a synchronous write, which goes only to memory. Handing it to a thread would take longer. */
const SMALL_WRITE = 64 * 1024
const sync = promisify(fsync)

/** The real file system. */
export const nodeFileSystem: FileSystem = {
  async open(path, mode) {
    // No O_CREAT for 'append': a missing log must cause an error instead of being created again.
    const handle = await open(path, mode === 'append' ? 'r+' : 'w', FILE_MODE)
    let end = mode === 'append' ? (await handle.stat()).size : 0
    return {
      async append(data) {
        const small = data.length <= SMALL_WRITE
        for (let at = 0; at < data.length; )
          at += small
            ? writeSync(handle.fd, data, at, data.length - at, end + at)
            : (await handle.write(data, at, data.length - at, end + at)).bytesWritten
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
  // Synchronous: only a start uses it, to read thousands of small files. Awaiting each file would take longer than
  // reading it.
  readFile: async (path) => readFileSync(path),
  readLater: (path) => readFile(path),
  size: async (path) => statSync(path).size,
  readdir: (path) => readdir(path),
  mkdir: async (path) => void (await mkdir(path, FOLDER_MODE)),
  rename,
  unlink,
  async syncDir(path) {
    const folder = openSync(path, 'r')
    try {
      await sync(folder)
    } finally {
      closeSync(folder)
    }
  },
  lock: takeLock,
}

export const hasCode = (thrown: unknown, code: string): boolean => errorCode(thrown) === code

/**
 * Creates a folder and its missing parents. All are durable when the promise resolves. With `base`, an already durable
 * folder, this also applies to folders in between that an earlier attempt created but did not sync.
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
  // Sync even an existing folder: an earlier process may have created it and died before syncing the entry.
  if (basename(path) !== '') await fs.syncDir(dirname(path))
}

/** Suffix of a file that is being written. A leftover one was never used. */
export const TEMPORARY = '.tmp'

/**
 * Replaces a file: a reader sees either the complete old file or the complete new one. Does not sync the folder: the
 * caller does that once for all files of a folder, before it relies on the new files.
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

/** Returns the names in a folder; none if it does not exist. Removes leftover temporary files. */
export async function listDir(fs: FileSystem, path: string): Promise<string[]> {
  let names: string[]
  try {
    names = await fs.readdir(path)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return []
    throw thrown
  }
  for (const name of names) if (name.endsWith(TEMPORARY)) await removeLeftover(fs, `${path}/${name}`)
  return names.filter((name) => !name.endsWith(TEMPORARY)).sort()
}

/** Removes an unused file. On a read-only file system, it stays. */
export async function removeLeftover(fs: FileSystem, path: string): Promise<void> {
  await fs.unlink(path).catch((thrown: unknown) => {
    if (!isRefusedWrite(thrown)) throw thrown
  })
}

/** Opens a file for appending. If it cannot be written now, opens it at its first use. */
export async function openForAppending(fs: FileSystem, path: string): Promise<OpenFile> {
  try {
    return await fs.open(path, 'append')
  } catch (thrown) {
    if (!isRefusedWrite(thrown)) throw thrown
  }
  let file: OpenFile | null = null
  const opened = async (): Promise<OpenFile> => (file ??= await fs.open(path, 'append'))
  return {
    append: async (data) => (await opened()).append(data),
    truncate: async (length) => (await opened()).truncate(length),
    datasync: async () => (await opened()).datasync(),
    close: async () => file?.close(),
  }
}

/** Removes a file if it exists. */
export async function removeFile(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path)
  } catch (thrown) {
    if (!hasCode(thrown, 'ENOENT')) throw thrown
  }
}

/** Returns the bytes of a file; null if it does not exist. */
export async function readIfThere(fs: FileSystem, path: string): Promise<Buffer | null> {
  try {
    return await fs.readFile(path)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return null
    throw thrown
  }
}
