/** The files that a thread has open, and what happens if one is damaged. */
import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusedWrite } from '../disk/folder-watch.js'
import { SpaceFile } from './space-file.js'

/** Most files that a thread keeps open. */
const MAX_OPEN = 32
/** How often the time of a file says that it was used, in milliseconds. */
const TOUCH_MS = 60_000
const ENDS = ['', '-wal', '-shm']

// bound: MAX_OPEN; least recently used first
const open = new Map<string, { file: SpaceFile; touched: number }>()

/** The path of a space's file. */
export const fileOf = (dir: string, space: string): string => join(dir, `${space}.db`)

/** A damaged file was deleted. */
export class DamagedFile extends Error {
  override name = 'DamagedFile'
}

/** The operating system refused to write a file, which stays as it is. */
export class RefusedFile extends Error {
  override name = 'RefusedFile'
}

/**
 * Runs work on the file of a space. If the file is damaged, it is deleted. Throws `DamagedFile` then, and `RefusedFile` if it may not be written.
 * @param make whether a missing file is made; else the result is null
 */
export function withFile<T>(path: string, make: boolean, work: (file: SpaceFile) => T): T | null {
  if (!make && !exists(path)) return null
  try {
    return work(opened(path))
  } catch (error) {
    // Another thread writes: nothing is damaged.
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw error
    if (isRefusedWrite(error)) {
      close(path)
      throw new RefusedFile((error as Error).message, { cause: error })
    }
    forgetFile(path)
    throw new DamagedFile((error as Error).message, { cause: error })
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

function opened(path: string): SpaceFile {
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
      // A file of another user: only the order of deletion suffers.
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
    // A damaged file may not even be closed.
  }
}

/** Deletes the files of a space. */
export function forgetFile(path: string): void {
  close(path)
  for (const end of ENDS) rmSync(path + end, { force: true, recursive: true })
}

/** Deletes the files that were not used for the longest time, until all together have at most `maxBytes`; `kept` stays. */
export function keepWithin(dir: string, maxBytes: number, kept: string): void {
  const files = readdirSync(dir)
    .filter((name) => name.endsWith('.db'))
    .map((name) => {
      const path = join(dir, name)
      const { size, mtimeMs } = statSync(path)
      return { path, bytes: size + sizeOf(`${path}-wal`), usedAt: mtimeMs }
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
