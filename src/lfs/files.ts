/**
 * The files of LFS objects, named by the SHA-256 of their bytes. A file exists completely or not at all, and never
 * changes.
 */
import { createHash } from 'node:crypto'
import { createReadStream, renameSync, statSync, unlinkSync } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { makeDurableFolder, makeEmptyFolder, syncFolder } from '../disk/durable-folder.js'
import { makePrivate } from '../disk/private-files.js'
import { newId } from '../kernel/ids.js'
import type { LfsObject } from './batch.js'

/**
 * Minimum age of an unused file before it is removed, in milliseconds. A younger file may belong to a document that is
 * being written.
 */
const YOUNG_MS = 60 * 60 * 1000
const NAME = /^[0-9a-f]{64}$/

/** A file that is being written. */
interface LfsDraft {
  write(chunk: Uint8Array): Promise<void>
  /**
   * Stores the file, which is durable when the promise resolves. If its bytes do not match the object, returns a
   * sentence and does not store it.
   */
  commit(): Promise<string | null>
  /** Removes the draft if it was not stored. */
  discard(): Promise<void>
}

/** The stored objects. */
export interface LfsFiles {
  draft(object: LfsObject): Promise<LfsDraft>
  /** Whether an object exists with this size. */
  has(object: LfsObject): Promise<boolean>
  /** Returns the bytes of an object, or a part of them (both ends included). */
  stream(oid: string, range?: { start: number; end: number }): Readable
  /** Returns the first bytes of an object, at most `most`. Rejects with `ENOENT` if it does not exist. */
  head(oid: string, most: number): Promise<Buffer>
  /** Removes unused objects that were written more than an hour ago. Returns their number. */
  sweep(isUsed: (oid: string) => Promise<boolean>): Promise<number>
}

/** Opens the files in a folder, which is created if it does not exist. Removes incomplete files of a crash. */
export async function openLfsFiles(dir: string): Promise<LfsFiles> {
  const drafts = join(dir, 'drafts')
  await makeEmptyFolder(drafts)
  makePrivate(dir, { deep: false })
  const folderOf = (oid: string): string => join(dir, oid.slice(0, 2))
  const pathOf = (oid: string): string => join(folderOf(oid), oid)
  return {
    draft: (object) => openDraft(join(drafts, newId()), folderOf(object.oid), object),
    async has({ oid, size }) {
      const found = await stat(pathOf(oid)).catch(() => null)
      return found?.size === size
    },
    stream: (oid, range) => createReadStream(pathOf(oid), range),
    async head(oid, most) {
      const file = await open(pathOf(oid), 'r')
      try {
        const { size } = await file.stat()
        const bytes = Buffer.alloc(Math.min(size, most))
        const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
        return bytes.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    async sweep(isUsed) {
      let removed = 0
      for (const folder of await readdir(dir)) {
        if (folder.length !== 2) continue
        for (const name of await readdir(join(dir, folder))) {
          const path = join(dir, folder, name)
          if (!NAME.test(name) || (await isUsed(name)) || isYoung(path)) continue
          // In the same step as the check of its time, like the rename of a new file, so that a file that was just
          // written is never removed.
          unlinkSync(path)
          removed++
        }
      }
      return removed
    },
  }
}

const isYoung = (path: string): boolean => Date.now() - statSync(path).mtimeMs < YOUNG_MS

async function openDraft(path: string, folder: string, { oid, size }: LfsObject): Promise<LfsDraft> {
  const file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await file.close()
    isOpen = false
  }
  return {
    async write(chunk) {
      bytes += chunk.byteLength
      hash.update(chunk)
      // `write` may accept only a part of the bytes.
      for (let at = 0; at < chunk.byteLength; ) at += (await file.write(chunk, at)).bytesWritten
    },
    async commit() {
      if (bytes !== size) return `The server sent ${bytes} bytes, but the pointer states ${size}.`
      if (hash.digest('hex') !== oid) return 'The hash of the downloaded file differs from the hash in the pointer.'
      await file.sync()
      await close()
      await makeDurableFolder(folder)
      renameSync(path, join(folder, oid))
      await syncFolder(folder)
      return null
    },
    async discard() {
      await close()
      await rm(path, { force: true })
    },
  }
}
