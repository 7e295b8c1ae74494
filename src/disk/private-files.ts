/** Removes other users' access to the service's folders and files at start. */
import { errorCode } from '../kernel/thrown.js'
import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077

/**
 * Removes the access of other users to a folder and its files (`deep`: and everything below), which an older release or
 * a copy may have left. Skips files of other users, links, and special files.
 */
export function makePrivate(path: string, options: { deep: boolean }): void {
  restrict(path, FOLDER_MODE)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const one = join(path, entry.name)
    if (entry.isFile()) restrict(one, FILE_MODE)
    else if (entry.isDirectory() && options.deep) makePrivate(one, options)
  }
}

function restrict(path: string, mode: number): void {
  const stat = lstatSync(path)
  if (stat.uid === process.getuid?.() && (stat.mode & OTHERS) !== 0) chmodIfAllowed(path, mode)
}

/**
 * Changes the mode if possible. A read-only file system allows no change; the next start with write access makes it.
 */
function chmodIfAllowed(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    if (errorCode(error) !== 'EROFS') throw error
  }
}
