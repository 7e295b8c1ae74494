/** The files of specifications in the database, with local copies of those that are read. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { readRanges } from '../disk/read-ranges.js'
import type { Database } from '../postgres/index.js'
import type { SpecFiles } from '../openapi/index.js'
import { contentOf } from './chunks.js'
import { openCopies } from './copies.js'
import { FileRows } from './rows.js'

/** Maximum size of the local copies in bytes. The files are small, and read in ranges. */
const COPIES_BYTES = 1024 ** 3

/**
 * Opens the files.
 * @param dir the folder of local copies
 */
export async function openSharedSpecFiles(database: Database, dir: string): Promise<SpecFiles> {
  const rows = new FileRows(database, 'openapi')
  const copies = await openCopies(dir, rows, COPIES_BYTES)
  const wanted = (hash: string) => ({
    what: `file of a specification with the hash ${hash}`,
    hash,
    find: () => rows.find(hash),
  })
  return {
    async write(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex')
      await rows.put(hash, { bytes: oneOf(bytes), size: bytes.byteLength, hash })
      return hash
    },
    read: (hash) => copies.use(wanted(hash), (path) => readFile(path)),
    readRanges: (hash, ranges) => copies.use(wanted(hash), (path) => readRanges(path, ranges)),
    async check(hash, { deep }) {
      const file = await rows.find(hash)
      if (!file) return 'missing'
      if (file.size === 0 || file.hash !== hash) return 'damaged'
      if (!deep) return 'whole'
      const whole = await contentOf(rows.read(file)).then(
        () => true,
        (error: Error) => {
          if (error.name === 'WrongBytes' || error.name === 'FileGone') return false
          throw error
        },
      )
      return whole ? 'whole' : 'damaged'
    },
    async remove(hash) {
      await rows.remove(hash)
      await copies.forget(hash)
    },
    sweep: (isUsed) => rows.sweep(isUsed),
  }
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
