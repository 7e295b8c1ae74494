/** Stores the files of specifications by content. A file is named by the hash of its bytes, and never changes. */
import { createHash } from 'node:crypto'
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { makeDurableFolder, syncFolder } from '../disk/durable-folder.js'
import { makePrivate } from '../disk/private-files.js'
import { readRanges } from '../disk/read-ranges.js'
import { newId } from '../kernel/ids.js'

/**
 * Minimum age of an unused file that is deleted, in milliseconds. A newer file may belong to a document that is being
 * written.
 */
const MIN_AGE_MS = 60 * 60 * 1000
/** Maximum number of files that are remembered as verified. Other files are verified again. */
const MAX_VERIFIED = 5_000
const NAME = /^[0-9a-f]{64}$/

/** Stores bytes by their hash (sha-256, hexadecimal). */
export interface SpecFiles {
  /**
   * Writes a file and returns its hash. When it resolves, the file is synced to disk. Writing the same bytes again
   * changes nothing.
   */
  write(bytes: Uint8Array): Promise<string>
  /** Rejects with `ENOENT` if the file does not exist or its bytes do not match the hash. */
  read(hash: string): Promise<Buffer>
  /** Reads ranges of a file, in order. Rejects with `ENOENT` if the file does not exist or is damaged. */
  readRanges(hash: string, ranges: readonly { at: number; length: number }[]): Promise<Buffer[]>
  /** Checks whether a file exists; with `deep`, also whether its bytes match its name. */
  check(hash: string, options: { deep: boolean }): Promise<'whole' | 'missing' | 'damaged'>
  /** Removes a file if it exists. */
  remove(hash: string): Promise<void>
  /** Removes unused files, except new ones. Returns the number of removed files. */
  sweep(isUsed: (hash: string) => Promise<boolean>): Promise<number>
}

/** Opens the files in a folder. Creates the folder if it does not exist. */
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
      verifyHash(hash, bytes)
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

/** Throws an error with the code `ENOENT`, as for a missing file, if the bytes do not match the hash. */
function verifyHash(hash: string, bytes: Uint8Array): void {
  if (createHash('sha256').update(bytes).digest('hex') === hash) return
  throw Object.assign(
    new Error(`The file ${hash} of a specification is damaged. \`bindery fsck --deep\` repairs it as far as possible.`),
    { code: 'ENOENT' },
  )
}

/** Files whose bytes were compared with their hash. Reading a part must not hash the whole file each time. */
class VerifiedFiles {
  readonly #stamps = new LRUCache<string, string>({ max: MAX_VERIFIED })

  /** Throws an error with the code `ENOENT` if the file is missing or damaged. */
  async check(hash: string, path: string): Promise<void> {
    const { ino, size, mtimeMs } = await stat(path)
    const stamp = `${ino} ${size} ${mtimeMs}`
    if (this.#stamps.get(hash) === stamp) return
    verifyHash(hash, await readFile(path))
    this.#stamps.set(hash, stamp)
  }
}

/** Hash of the empty file, which a specification without parts has. */
const EMPTY = createHash('sha256').digest('hex')

/** Checks whether a file exists; with `deep`, also whether its bytes match its name. */
async function stateOf(path: string, hash: string, deep: boolean): Promise<'whole' | 'missing' | 'damaged'> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!found) return 'missing'
  if (found.size === 0 && hash !== EMPTY) return 'damaged'
  const matchesHash = async (): Promise<boolean> =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex') === hash
  return !deep || (await matchesHash()) ? 'whole' : 'damaged'
}

/** Removes unused files, unless they are new. The writer of a new file may not have stored its name yet. */
async function sweepFiles(dir: string, isUsed: (hash: string) => Promise<boolean>): Promise<number> {
  let removed = 0
  for (const folder of await readdir(dir)) {
    for (const name of await readdir(join(dir, folder))) {
      const path = join(dir, folder, name)
      if (Date.now() - (await stat(path)).mtimeMs < MIN_AGE_MS || (NAME.test(name) && (await isUsed(name)))) continue
      await rm(path)
      removed++
    }
  }
  return removed
}

/**
 * Whether the file exists with these bytes. Updates its time, so that a sweep does not delete it before the next
 * document refers to it.
 */
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
