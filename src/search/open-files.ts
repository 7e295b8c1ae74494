/** The index files that a thread has open, and the handling of damaged files. */
import { asError, errorCode } from '../kernel/thrown.js'
import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusedWrite } from '../disk/folder-watch.js'
import { removeFiles, SpaceFile } from './space-file.js'

/** Maximum number of open files per thread. */
const MAX_OPEN = 32
/** Minimum interval for updating a file's time of last use, in milliseconds. */
const TOUCH_MS = 60_000

// Size limit: MAX_OPEN; least recently used first
const open = new Map<string, { file: SpaceFile; touched: number }>()

/** Returns the path of a space's file. */
export const fileOf = (dir: string, space: string): string => join(dir, `${space}.db`)

/** Thrown after a damaged file was deleted. */
export class DamagedFile extends Error {
  override name = 'DamagedFile'
}

/** The operating system refused to write a file. The file is not changed. */
export class RefusedFile extends Error {
  override name = 'RefusedFile'
}

/**
 * Runs work on the file of a space. If the file is damaged, deletes it and throws `DamagedFile`. Throws `RefusedFile` if
 * the file cannot be written.
 * @param make whether to create a missing file; if false, the result for a missing file is null
 */
export function withFile<T>(path: string, make: boolean, work: (file: SpaceFile) => T): T | null {
  if (!make && !exists(path)) return null
  try {
    return work(openFile(path))
  } catch (error) {
    // Another thread is writing. The file is not damaged.
    if (errorCode(error)?.startsWith('SQLITE_BUSY')) throw error
    if (isRefusedWrite(error)) {
      close(path)
      throw new RefusedFile(asError(error).message, { cause: error })
    }
    forgetFile(path)
    throw new DamagedFile(asError(error).message, { cause: error })
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path).size >= 0
  } catch {
    close(path)
    return false
  }
}

function openFile(path: string): SpaceFile {
  const known = open.get(path)
  if (known && !known.file.isCurrent) close(path)
  const now = Date.now()
  const one = open.get(path) ?? { file: new SpaceFile(path), touched: 0 }
  open.delete(path)
  open.set(path, one)
  if (now - one.touched > TOUCH_MS) {
    one.touched = now
    try {
      utimesSync(path, now / 1000, now / 1000)
    } catch (error) {
      // The file belongs to another user. Only the order of deletion is affected.
      if (!isRefusedWrite(error)) throw error
    }
  }
  const [oldest] = open.keys()
  if (open.size > MAX_OPEN && oldest !== undefined) close(oldest)
  return one.file
}

function close(path: string): void {
  const known = open.get(path)
  open.delete(path)
  try {
    known?.file.close()
  } catch {
    // Closing a damaged file may fail.
  }
}

/** Deletes the files of a space. */
export function forgetFile(path: string): void {
  close(path)
  removeFiles(path)
}

/** Deletes the least recently used files until all files together have at most `maxBytes`. Does not delete `kept`. */
export function deleteLeastRecentlyUsed(dir: string, maxBytes: number, kept: string): void {
  const files = readdirSync(dir)
    .filter((name) => name.endsWith('.db'))
    .flatMap((name) => {
      const path = join(dir, name)
      // The other writer may have deleted it.
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat ? [{ path, bytes: stat.size + sizeOf(`${path}-wal`), usedAt: stat.mtimeMs }] : []
    })
    .sort((a, b) => a.usedAt - b.usedAt)
  let bytes = files.reduce((sum, one) => sum + one.bytes, 0)
  for (const one of files) {
    if (bytes <= maxBytes) return
    if (one.path === kept) continue
    forgetFile(one.path)
    bytes -= one.bytes
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
