/** Stores generated files in a folder, up to a total size. */
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FileShelf, ShelvedFacts } from '../kernel/file-shelf.js'
import { errorCode } from '../kernel/thrown.js'

const NAME = /^[\w-]{1,80}$/
const WORK = '.work-'

/**
 * Opens a shelf.
 * @param made the name of the file that a job leaves in its work folder, such as `book.pdf`
 * @param maxBytes maximum total size of all files
 */
export function openFileShelf<F extends ShelvedFacts>(folder: string, made: string, maxBytes: number): FileShelf<F> {
  const extension = extname(made)
  /** An upper bound of the total size of the files. Null = not counted yet. */
  let bytes: number | null = null
  const place = (owner: string, key: string): string => {
    if (!NAME.test(owner) || !NAME.test(key)) throw new Error(`${owner}/${key} is not a valid name for a ${made}.`)
    return join(folder, owner, key)
  }
  return {
    async find(owner, key) {
      const path = place(owner, key) + extension
      try {
        const facts: F = JSON.parse(await readFile(`${place(owner, key)}.json`, 'utf8'))
        const { size } = await stat(path)
        if (size !== facts.bytes) return null
        // Recently used files are kept longest.
        const now = new Date()
        await utimes(path, now, now)
        return { ...facts, path }
      } catch (error) {
        if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null
        throw error
      }
    },
    async workFolder(job) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      for (const name of await readdir(folder))
        if (name.startsWith(WORK)) await rm(join(folder, name), { recursive: true, force: true })
      const work = join(folder, `${WORK}${job.replace(/[^\w-]/g, '-').slice(-80)}`)
      await mkdir(work, { mode: 0o700 })
      return work
    },
    async keep(owner, key, work, facts) {
      await mkdir(join(folder, owner), { recursive: true, mode: 0o700 })
      await syncFile(join(work, made))
      await writeFile(`${place(owner, key)}.json`, JSON.stringify(facts), { mode: 0o600 })
      await rename(join(work, made), place(owner, key) + extension)
      await rm(work, { recursive: true, force: true })
      bytes = bytes === null ? null : bytes + facts.bytes
      if (bytes === null || bytes > maxBytes)
        bytes = await dropOldest(folder, extension, maxBytes, place(owner, key) + extension)
    },
    discard: (work) => rm(work, { recursive: true, force: true }),
    async remove(owner) {
      if (NAME.test(owner)) await rm(join(folder, owner), { recursive: true, force: true })
    },
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Deletes the least recently used files until the others have at most `maxBytes`, and returns their size. */
async function dropOldest(folder: string, extension: string, maxBytes: number, newest: string): Promise<number> {
  const files: { path: string; size: number; at: number }[] = []
  for (const owner of await readdir(folder))
    for (const name of await readdir(join(folder, owner)).catch(() => [])) {
      const path = join(folder, owner, name)
      const found = name.endsWith(extension) ? await stat(path).catch(() => null) : null
      if (found) files.push({ path, size: found.size, at: found.mtimeMs })
    }
  let bytes = files.reduce((sum, file) => sum + file.size, 0)
  for (const { path, size } of files.sort((a, b) => a.at - b.at)) {
    if (bytes <= maxBytes || path === newest) continue
    await rm(path, { force: true })
    await rm(`${path.slice(0, -extension.length)}.json`, { force: true })
    bytes -= size
  }
  return bytes
}
