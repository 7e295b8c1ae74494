/** Generated files in the database, with local copies, so that every node can serve the files of all nodes. */
import { asError, errorCode } from '../kernel/thrown.js'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileShelf } from '../disk/file-shelf.js'
import type { FileShelf, ShelvedFacts } from '../kernel/file-shelf.js'
import type { Database } from '../postgres/index.js'
import { contentOf } from './chunks.js'
import { openCopies } from './copies.js'
import { FileRows } from './rows.js'

const NAME = /^[\w-]{1,80}$/

/** The location of the files of a shelf. */
interface SharedShelfOptions {
  /** The name of the shelf in the database. */
  shelf: string
  /** The name of the file that a job leaves in its work folder. */
  made: string
  /** The folder of local copies and unfinished files. */
  dir: string
  /** The maximum size of all files together, and of the local copies. */
  maxBytes: number
}

/** Opens a shelf. */
export async function openSharedShelf<F extends ShelvedFacts>(
  database: Database,
  { shelf, made, dir, maxBytes }: SharedShelfOptions,
): Promise<FileShelf<F>> {
  const rows = new FileRows(database, shelf)
  const copies = await openCopies(dir, rows, maxBytes)
  const local = openFileShelf<F>(dir, made, maxBytes)
  const nameOf = (owner: string, key: string): string => {
    if (!NAME.test(owner) || !NAME.test(key)) throw new Error(`${owner}/${key} is not a valid name of a ${made}.`)
    return `${owner}/${key}`
  }
  return {
    async find(owner, key) {
      const name = nameOf(owner, key)
      try {
        const what = `${shelf} ${name}`
        const found = await copies.use({ what, find: () => rows.find(name) }, async (path, file) => ({
          ...(file?.facts as F),
          path,
        }))
        await rows.touch(name)
        return found
      } catch (error) {
        // It is missing, was just dropped, or is damaged: generate it again.
        if (errorCode(error) === 'ENOENT' || asError(error).name === 'FileGone' || asError(error).name === 'WrongBytes')
          return null
        throw error
      }
    },
    workFolder: (job) => local.workFolder(job),
    async keep(owner, key, folder, facts) {
      const name = nameOf(owner, key)
      const file = join(folder, made)
      const content = await contentOf(createReadStream(file))
      await rows.put(name, { ...content, bytes: createReadStream(file), facts })
      await copies.adopt(file, content)
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
