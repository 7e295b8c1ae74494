/** The files of LFS objects, by the SHA-256 of their bytes. A file is there whole or not at all, and is never changed. */
import { createHash } from 'node:crypto'
import { createReadStream, renameSync, statSync, unlinkSync } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { makeDurableFolder, makeEmptyFolder, syncFolder } from '../disk/durable-folder.js'
import { makePrivate } from '../disk/private-files.js'
import { newId } from '../kernel/ids.js'
import type { LfsObject } from './batch.js'

/** A file that no document names may belong to one that is just being written. */
const YOUNG_MS = 60 * 60 * 1000
const NAME = /^[0-9a-f]{64}$/

/** A file that is being written. */
interface LfsDraft {
  write(chunk: Uint8Array): Promise<void>
  /** Keeps it: it is on the disk when this resolves. Returns a sentence if its bytes are not those of the object, and does not keep it then. */
  commit(): Promise<string | null>
  /** Removes what was not kept. */
  discard(): Promise<void>
}

/** Keeps objects. */
export interface LfsFiles {
  draft(object: LfsObject): Promise<LfsDraft>
  /** Whether an object is there, with this size. */
  has(object: LfsObject): Promise<boolean>
  /** An object's bytes, or a part of them (both ends included). */
  stream(oid: string, range?: { start: number; end: number }): Readable
  /** The first bytes of an object, `most` at most. Rejects with `ENOENT` if it is not there. */
  head(oid: string, most: number): Promise<Buffer>
  /** Removes objects that are not in use and were written more than an hour ago. Returns how many. */
  sweep(isUsed: (oid: string) => Promise<boolean>): Promise<number>
}

/** Opens the files in a folder, which is made if it is not there. What a crash left half written is removed. */
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
          // In the same step as the last look at its time, and so is the rename of a new one: what was just written is never removed.
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
      // `write` may take a part of the bytes.
      for (let at = 0; at < chunk.byteLength; ) at += (await file.write(chunk, at)).bytesWritten
    },
    async commit() {
      if (bytes !== size) return `What the server sent has ${bytes} bytes, but the pointer says ${size}.`
      if (hash.digest('hex') !== oid) return 'The hash of what the server sent differs from that in the pointer.'
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
