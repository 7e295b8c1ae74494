/** PDFs in the database, with local copies, so that every node can serve the PDFs of all nodes. */
import { asError, errorCode } from '../kernel/thrown.js'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../postgres/index.js'
import { openPdfCache, type PdfCache, type PrintResult } from '../printing/index.js'
import { contentOf } from './chunks.js'
import { openCopies } from './copies.js'
import { FileRows } from './rows.js'

const NAME = /^[\w-]{1,80}$/

/**
 * Opens the shelf.
 * @param dir the folder of local copies and unfinished books
 * @param maxBytes the maximum size of all PDFs together, and of the local copies
 */
export async function openSharedShelf(database: Database, dir: string, maxBytes: number): Promise<PdfCache> {
  const rows = new FileRows(database, 'pdf')
  const copies = await openCopies(dir, rows, maxBytes)
  const local = openPdfCache(dir, maxBytes)
  const nameOf = (owner: string, key: string): string => {
    if (!NAME.test(owner) || !NAME.test(key)) throw new Error(`${owner}/${key} is not a valid name of a PDF.`)
    return `${owner}/${key}`
  }
  return {
    async find(owner, key) {
      const name = nameOf(owner, key)
      try {
        const found = await copies.use({ what: `PDF ${name}`, find: () => rows.find(name) }, async (path, file) => ({
          ...(file?.facts as PrintResult),
          path,
        }))
        await rows.touch(name)
        return found
      } catch (error) {
        // There is none, it was just dropped, or it is damaged: print it again.
        if (errorCode(error) === 'ENOENT' || asError(error).name === 'FileGone' || asError(error).name === 'WrongBytes')
          return null
        throw error
      }
    },
    workFolder: (job) => local.workFolder(job),
    async keep(owner, key, folder, printed) {
      const name = nameOf(owner, key)
      const book = join(folder, 'book.pdf')
      const content = await contentOf(createReadStream(book))
      await rows.put(name, { ...content, bytes: createReadStream(book), facts: printed })
      await copies.adopt(book, content)
      await rm(folder, { recursive: true, force: true })
      await rows.trim(maxBytes, name)
    },
    discard: (folder) => local.discard(folder),
    async remove(owner) {
      if (!NAME.test(owner)) return
      for await (const { name, hash } of rows.list(`${owner}/`)) {
        await rows.remove(name)
        await copies.forget(hash)
      }
    },
  }
}
