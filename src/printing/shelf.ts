/**
 * Stores printed files in a folder, up to a total size. They can be deleted at any time and are then printed again on
 * request.
 */
import { errorCode } from '../kernel/thrown.js'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrintResult } from './order.js'

/** A stored PDF with its print result. */
export interface CachedPdf extends PrintResult {
  path: string
}

/** The PDF cache. `owner` is a space; `key` identifies the inputs of the PDF. */
export interface PdfCache {
  find(owner: string, key: string): Promise<CachedPdf | null>
  /**
   * Creates an empty work folder for a book. Deletes those that a crash left behind, because only one book is printed
   * at a time.
   */
  workFolder(job: string): Promise<string>
  /** Moves `book.pdf` out of a work folder, removes the folder, and deletes the least recently used PDFs. */
  keep(owner: string, key: string, folder: string, printed: PrintResult): Promise<void>
  discard(folder: string): Promise<void>
  /** Removes everything of an owner. */
  remove(owner: string): Promise<void>
}

const NAME = /^[\w-]{1,80}$/
const WORK = '.work-'

/**
 * Opens the cache.
 * @param maxBytes maximum total size of all PDFs
 */
export function openPdfCache(folder: string, maxBytes: number): PdfCache {
  const place = (owner: string, key: string): string => {
    if (!NAME.test(owner) || !NAME.test(key)) throw new Error(`${owner}/${key} is not a valid name for a PDF.`)
    return join(folder, owner, key)
  }
  return {
    async find(owner, key) {
      const path = `${place(owner, key)}.pdf`
      try {
        const printed: PrintResult = JSON.parse(await readFile(`${place(owner, key)}.json`, 'utf8'))
        const { size } = await stat(path)
        if (size !== printed.bytes) return null
        // Recently used files are kept longest.
        const now = new Date()
        await utimes(path, now, now)
        return { ...printed, path }
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
    async keep(owner, key, work, printed) {
      await mkdir(join(folder, owner), { recursive: true, mode: 0o700 })
      await syncFile(join(work, 'book.pdf'))
      await writeFile(`${place(owner, key)}.json`, JSON.stringify(printed), { mode: 0o600 })
      await rename(join(work, 'book.pdf'), `${place(owner, key)}.pdf`)
      await rm(work, { recursive: true, force: true })
      await dropOldest(folder, maxBytes, `${place(owner, key)}.pdf`)
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

async function dropOldest(folder: string, maxBytes: number, newest: string): Promise<void> {
  const files: { path: string; size: number; at: number }[] = []
  for (const owner of await readdir(folder))
    for (const name of await readdir(join(folder, owner)).catch(() => [])) {
      const path = join(folder, owner, name)
      const found = name.endsWith('.pdf') ? await stat(path).catch(() => null) : null
      if (found) files.push({ path, size: found.size, at: found.mtimeMs })
    }
  let bytes = files.reduce((sum, file) => sum + file.size, 0)
  for (const { path, size } of files.sort((a, b) => a.at - b.at)) {
    if (bytes <= maxBytes || path === newest) continue
    await rm(path, { force: true })
    await rm(path.replace(/\.pdf$/, '.json'), { force: true })
    bytes -= size
  }
}
