/** The Git LFS objects in the database, with local copies of those that are read. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type LfsFiles, openLfsFiles } from '../lfs/index.js'
import type { Database } from '../postgres/index.js'
import { openCopies } from './copies.js'
import { FileRows } from './rows.js'

/**
 * Opens the objects.
 * @param dir the folder of local copies
 * @param maxBytes the maximum size of local copies
 */
export async function openSharedLfsFiles(database: Database, dir: string, maxBytes: number): Promise<LfsFiles> {
  const rows = new FileRows(database, 'lfs')
  // Drafts are written as in the embedded mode. A complete draft becomes a local copy.
  const local = await openLfsFiles(dir)
  const copies = await openCopies(dir, rows, maxBytes)
  const wanted = (oid: string) => ({
    what: `Git LFS object with the hash ${oid}`,
    hash: oid,
    find: () => rows.find(oid),
  })
  return {
    async draft(object) {
      const draft = await local.draft(object)
      const { oid, size } = object
      return {
        ...draft,
        async commit() {
          const wrong = await draft.commit()
          if (wrong !== null) return wrong
          await rows.put(oid, { bytes: createReadStream(copies.pathOf(oid)), size, hash: oid })
          await copies.added({ size, hash: oid })
          return null
        },
      }
    },
    has: async ({ oid, size }) => (await rows.find(oid))?.size === size,
    stream: (oid, range) =>
      Readable.from(
        bytesOf(() => copies.use(wanted(oid), (path) => open(path, 'r')), range),
        { objectMode: false },
      ),
    head: (oid, most) =>
      copies.use(wanted(oid), async (path) => {
        const file = await open(path, 'r')
        try {
          const { size } = await file.stat()
          const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, most)), 0, Math.min(size, most), 0)
          return buffer.subarray(0, bytesRead)
        } finally {
          await file.close()
        }
      }),
    sweep: (isUsed) => rows.sweep(isUsed),
  }
}

/** Yields the bytes of a file, which is opened when they are first needed. */
async function* bytesOf(
  opened: () => ReturnType<typeof open>,
  range: { start: number; end: number } | undefined,
): AsyncGenerator<Buffer> {
  const file = await opened()
  try {
    const pieces: AsyncIterable<Buffer> = file.createReadStream({ ...range, autoClose: false })
    yield* pieces
  } finally {
    await file.close()
  }
}
