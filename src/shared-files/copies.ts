/**
 * Local copies of files in the database, named by the SHA-256 of their bytes: a verified and bounded cache that can be
 * deleted at any time.
 */
import { required } from '../kernel/defined.js'
import { errorCode } from '../kernel/thrown.js'
import { createReadStream } from 'node:fs'
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDurableFolder, makeEmptyFolder } from '../disk/durable-folder.js'
import { makePrivate } from '../disk/private-files.js'
import { newId } from '../kernel/ids.js'
import { type Content, contentOf } from './chunks.js'
import { FileGone, type FileRows, type StoredFile } from './rows.js'

const NAME = /^[0-9a-f]{64}$/
const FOLDER = /^[0-9a-f]{2}$/
const DRAFTS = 'arriving'
/** Maximum number of files that this process remembers as verified. */
const TRUSTED = 10_000
/** Maximum number of attempts for a copy that is dropped before it is used. */
const TRIES = 3

/** A request to read a file. */
interface FileRequest {
  what: string
  hash?: string
  find: () => Promise<StoredFile | null>
}

/**
 * Opens the copies in a folder, which is created if it does not exist. Removes incomplete files of a crash.
 * @param maxBytes the maximum size of all copies together
 */
export async function openCopies(dir: string, rows: FileRows, maxBytes: number): Promise<LocalCopies> {
  await makeEmptyFolder(join(dir, DRAFTS))
  makePrivate(dir, { deep: false })
  return new LocalCopies(dir, rows, maxBytes)
}

export class LocalCopies {
  readonly #dir: string
  readonly #rows: FileRows
  readonly #maxBytes: number
  /** Copies that are being created. */
  // bound: files that are requested at the same time
  readonly #arriving = new Map<string, Promise<string>>()
  // bound: TRUSTED
  readonly #trusted = new Set<string>()
  /** Size of all copies in bytes, counted when the first one is created. */
  #bytes: number | null = null

  constructor(dir: string, rows: FileRows, maxBytes: number) {
    this.#dir = dir
    this.#rows = rows
    this.#maxBytes = maxBytes
  }

  /** Returns the path of the copy with this hash, whether or not it exists. */
  pathOf(hash: string): string {
    return join(this.#dir, hash.slice(0, 2), hash)
  }

  /** Returns the path of the copy with this hash if its bytes are right. Removes a wrong copy. */
  async findLocal(hash: string): Promise<string | null> {
    const path = this.pathOf(hash)
    if (!this.#trusted.has(hash)) {
      const found = await contentOf(createReadStream(path)).catch(noneIfMissing)
      if (found === null) return null
      if (found.hash !== hash) {
        await rm(path, { force: true })
        return null
      }
      this.#trust(hash)
    }
    const now = new Date()
    // Record the last use. This also checks whether the copy still exists.
    if ((await utimes(path, now, now).catch(noneIfMissing)) === null) {
      this.#trusted.delete(hash)
      return null
    }
    return path
  }

  /**
   * Calls `use` with the path of a copy, which is fetched if it does not exist, and with the result of `find` if it was
   * called. Throws errors of `use`, an error with the code `ENOENT` if there is no such file, `WrongBytes`,
   * `DatabaseAway`.
   * @param request `hash`, if it is known without a query; `find` queries the database; `what` names the file in errors
   */
  async use<T>(
    { hash, find, what }: FileRequest,
    use: (path: string, file: StoredFile | null) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      const local = hash === undefined ? null : await this.findLocal(hash)
      const file = local === null ? await find() : null
      if (local === null && file === null)
        throw Object.assign(new Error(`The database has no ${what}.`), { code: 'ENOENT' })
      try {
        return await use(local ?? (await this.#fetch(required(file))), file)
      } catch (error) {
        // The copy was dropped before its use, or replaced while it was read.
        const again = error instanceof FileGone || errorCode(error) === 'ENOENT'
        if (!again || tries === TRIES) throw error
      }
    }
  }

  /** Returns the path of a copy of a stored file. */
  async #fetch(file: StoredFile): Promise<string> {
    const path = await this.findLocal(file.hash)
    if (path !== null) return path
    let arriving = this.#arriving.get(file.hash)
    if (!arriving) {
      arriving = this.#make(file).finally(() => this.#arriving.delete(file.hash))
      this.#arriving.set(file.hash, arriving)
    }
    return arriving
  }

  async #make(file: StoredFile): Promise<string> {
    const draft = join(this.#dir, DRAFTS, newId())
    try {
      const handle = await open(draft, 'wx', 0o600)
      try {
        for await (const part of this.#rows.read(file)) await handle.writeFile(part)
        await handle.sync()
      } finally {
        await handle.close()
      }
      return await this.adopt(draft, file)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  /** Moves a file with this content into the copies. */
  async adopt(path: string, { hash, size }: Content): Promise<string> {
    await makeDurableFolder(join(this.#dir, hash.slice(0, 2)))
    await rename(path, this.pathOf(hash))
    await this.added({ hash, size })
    return this.pathOf(hash)
  }

  /** Counts a copy that was moved into its place. */
  async added({ hash, size }: Content): Promise<void> {
    this.#trust(hash)
    this.#bytes =
      this.#bytes === null ? (await this.#list()).reduce((sum, one) => sum + one.size, 0) : this.#bytes + size
    if (this.#bytes > this.#maxBytes) await this.#dropOldest(hash)
  }

  async forget(hash: string): Promise<void> {
    this.#trusted.delete(hash)
    await rm(this.pathOf(hash), { force: true })
  }

  #trust(hash: string): void {
    if (this.#trusted.size >= TRUSTED) this.#trusted.clear()
    this.#trusted.add(hash)
  }

  async #list(): Promise<{ hash: string; size: number; at: number }[]> {
    const found: { hash: string; size: number; at: number }[] = []
    for (const folder of await readdir(this.#dir)) {
      if (!FOLDER.test(folder)) continue
      for (const hash of await readdir(join(this.#dir, folder))) {
        const stats = NAME.test(hash) ? await stat(this.pathOf(hash)).catch(noneIfMissing) : null
        if (stats) found.push({ hash, size: stats.size, at: stats.mtimeMs })
      }
    }
    return found
  }

  async #dropOldest(newest: string): Promise<void> {
    const all = await this.#list()
    let bytes = all.reduce((sum, { size }) => sum + size, 0)
    for (const { hash, size } of all.sort((a, b) => a.at - b.at)) {
      if (bytes <= this.#maxBytes || hash === newest) continue
      await this.forget(hash)
      bytes -= size
    }
    this.#bytes = bytes
  }
}

function noneIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
