/** The packs that are open, of all repositories together. */
import { LRUCache } from 'lru-cache'
import { PackFile } from './pack-file.js'

/** Each has two open files. */
const MAX_OPEN = 256
/** A pack that nobody reads is closed after this time: if somebody has deleted it, it still takes space on the disk until then. */
const IDLE_MS = 60_000

/** Packs by path, without extension. Reads are synchronous, so none is under way when one is closed. */
export class OpenPacks {
  // bound: MAX_OPEN
  readonly #open = new LRUCache<string, PackFile>({ max: MAX_OPEN, ttl: IDLE_MS, updateAgeOnGet: true, dispose: (pack) => pack.close() })
  #sweep: NodeJS.Timeout | null = null

  /** Throws what `PackFile` throws. */
  get(path: string): PackFile {
    const known = this.#open.get(path)
    if (known) return known
    const pack = new PackFile(path)
    this.#open.set(path, pack)
    this.#sweep ??= setInterval(() => this.#closeIdle(), IDLE_MS).unref()
    return pack
  }

  /** Closes the packs below a folder. */
  drop(folder: string): void {
    for (const path of [...this.#open.keys()]) if (path.startsWith(folder)) this.#open.delete(path)
  }

  close(): void {
    this.#open.clear()
    this.#closeIdle()
  }

  #closeIdle(): void {
    this.#open.purgeStale()
    if (this.#open.size > 0 || this.#sweep === null) return
    clearInterval(this.#sweep)
    this.#sweep = null
  }
}
