/** Removes other users' access to the service's own folders and files when it starts. */
import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077

/**
 * Takes away what others than the owner may do with a folder and the files in it (`deep`: with all below it), as an older
 * release or a copy may have left them. What is not ours, links, and what is neither file nor folder is left alone.
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

/** A read-only file system changes no modes; the next start that can does. */
function chmodIfAllowed(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EROFS') throw error
  }
}
