/** The files of specifications, by their content: a file is named by the hash of what is in it, and never changed. */
import { createHash } from 'node:crypto'
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { makeDurableFolder, syncFolder } from '../disk/durable-folder.js'
import { makePrivate } from '../disk/private-files.js'
import { readRanges } from '../disk/read-ranges.js'
import { newId } from '../kernel/ids.js'

/** A file that no document names may belong to one that is just being written. */
const YOUNG_MS = 60 * 60 * 1000
/** Files that are remembered as verified; any other is verified again. */
const MAX_VERIFIED = 5_000
const NAME = /^[0-9a-f]{64}$/

/** Keeps bytes by their hash (sha-256, hexadecimal). */
export interface SpecFiles {
  /** Writes a file; it is on the disk when this resolves. Returns its hash. Writing the same bytes again changes nothing. */
  write(bytes: Uint8Array): Promise<string>
  /** Rejects with `ENOENT` if there is none, or its bytes do not have this hash. */
  read(hash: string): Promise<Buffer>
  /** Reads some ranges of a file, in their order. Rejects with `ENOENT` if there is no such file, or it is damaged. */
  readRanges(hash: string, ranges: readonly { at: number; length: number }[]): Promise<Buffer[]>
  /** Whether a file is there; with `deep`, whether its bytes are those that it is named by. */
  check(hash: string, options: { deep: boolean }): Promise<'whole' | 'missing' | 'damaged'>
  /** Removes a file, if it is there. */
  remove(hash: string): Promise<void>
  /** Removes the files that are not in use, except new ones. Returns how many. */
  sweep(isUsed: (hash: string) => Promise<boolean>): Promise<number>
}

/** Opens the files in a folder, which is made if it is not there. */
export async function openSpecFiles(dir: string): Promise<SpecFiles> {
  await makeDurableFolder(dir)
  makePrivate(dir, { deep: false })
  const folderOf = (hash: string): string => join(dir, hash.slice(0, 2))
  const verified = new VerifiedFiles()
  return {
    async write(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex')
      const path = join(folderOf(hash), hash)
      if (await isWhole(path, bytes)) return hash
      await makeDurableFolder(folderOf(hash))
      const draft = `${path}.${newId()}`
      await writeSynced(draft, bytes)
      await rename(draft, path)
      await syncFolder(folderOf(hash))
      return hash
    },
    async read(hash) {
      const bytes = await readFile(join(folderOf(hash), hash))
      mustBeNamed(hash, bytes)
      return bytes
    },
    async readRanges(hash, ranges) {
      const path = join(folderOf(hash), hash)
      await verified.check(hash, path)
      return readRanges(path, ranges)
    },
    check: (hash, { deep }) => stateOf(join(folderOf(hash), hash), hash, deep),
    async remove(hash) {
      await rm(join(folderOf(hash), hash), { force: true })
      await syncFolder(folderOf(hash)).catch(() => {})
    },
    sweep: (isUsed) => sweepFiles(dir, isUsed),
  }
}

/** Throws an error with the code `ENOENT`, as for a missing file, if bytes do not have the hash that names them. */
function mustBeNamed(hash: string, bytes: Uint8Array): void {
  if (createHash('sha256').update(bytes).digest('hex') === hash) return
  throw Object.assign(
    new Error(`The file ${hash} of a specification is damaged. \`bindery fsck --deep\` repairs it as far as possible.`),
    { code: 'ENOENT' },
  )
}

/** Files whose bytes were compared with their hash. Reading a part must not cost a hash of the whole file each time. */
class VerifiedFiles {
  readonly #stamps = new LRUCache<string, string>({ max: MAX_VERIFIED })

  /** Throws an error with the code `ENOENT` if the file is missing or damaged. */
  async check(hash: string, path: string): Promise<void> {
    const { ino, size, mtimeMs } = await stat(path)
    const stamp = `${ino} ${size} ${mtimeMs}`
    if (this.#stamps.get(hash) === stamp) return
    mustBeNamed(hash, await readFile(path))
    this.#stamps.set(hash, stamp)
  }
}

/** Whether a file is there, with the bytes that it is named by if that is asked for. */
async function stateOf(path: string, hash: string, deep: boolean): Promise<'whole' | 'missing' | 'damaged'> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!found) return 'missing'
  if (found.size === 0) return 'damaged'
  const isNamedSo = async (): Promise<boolean> =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex') === hash
  return !deep || (await isNamedSo()) ? 'whole' : 'damaged'
}

/** Removes what nobody uses, unless it is new: who has just written it may still write its name down. */
async function sweepFiles(dir: string, isUsed: (hash: string) => Promise<boolean>): Promise<number> {
  let removed = 0
  for (const folder of await readdir(dir)) {
    for (const name of await readdir(join(dir, folder))) {
      const path = join(dir, folder, name)
      if (Date.now() - (await stat(path)).mtimeMs < YOUNG_MS || (NAME.test(name) && (await isUsed(name)))) continue
      await rm(path)
      removed++
    }
  }
  return removed
}

/** Whether the file is there, with these bytes. It gets a new time, so that a sweep does not delete it before the next document names it. */
async function isWhole(path: string, bytes: Uint8Array): Promise<boolean> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  try {
    if (!file || (await file.stat()).size !== bytes.length || !(await file.readFile()).equals(bytes)) return false
    const now = new Date()
    await file.utimes(now, now)
    return true
  } finally {
    await file?.close()
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
