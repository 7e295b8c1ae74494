import { createHash } from 'node:crypto'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The hash of every file below a folder, by path, to detect changes. */
export async function folderBytes(dir: string, leaveOut: RegExp = /^$/): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(dir.length + 1)
    if (entry.isFile() && !leaveOut.test(name))
      found.set(
        name,
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      )
  }
  return new Map([...found].sort())
}

/** Copies a service folder without its command socket, which cannot be copied. */
export const copyFolder = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, filter: (path) => !path.endsWith('/data/control') })
