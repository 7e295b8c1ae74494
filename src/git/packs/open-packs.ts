/** The packs that are open, of all repositories together. */
import { LRUCache } from 'lru-cache'
import { PackFile } from './pack-file.js'
import type { SmallIndex } from './small-index.js'

/** Each has two open files. */
const MAX_OPEN = 256
/** A pack that nobody reads is closed after this time: if somebody has deleted it, it still takes space on the disk until then. */
const IDLE_MS = 60_000
/** Of the indexes of small packs: some thousands. A repository may have hundreds of them, more than can be open. */
const INDEX_BYTES = 8 * 1024 * 1024

/** Packs by path, without extension. Reads are synchronous, so none is under way when one is closed. */
export class OpenPacks {
  // bound: MAX_OPEN
  readonly #open = new LRUCache<string, PackFile>({
    max: MAX_OPEN,
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    dispose: (pack) => pack.close(),
  })
  // bound: INDEX_BYTES
  readonly #indexes = new LRUCache<string, SmallIndex>({
    maxSize: INDEX_BYTES,
    sizeCalculation: ({ bytes }, path) => bytes + path.length,
  })
  #sweep: NodeJS.Timeout | null = null

  /** Where a pack has an object; null if it does not have it, as far as is known: if it is small, it may be gone. Throws what `PackFile` throws. */
  find(path: string, oid: Buffer): number | null {
    const index = this.#indexes.get(path)
    const place = index?.find(oid)
    if (place === null) return null
    const pack = this.get(path)
    // A repack may have put another pack with the same objects under the name.
    if (index && typeof place === 'number' && pack.checksum === index.checksum) return place
    const read = pack.smallIndex()
    if (read) this.#indexes.set(path, read)
    return pack.find(oid)
  }

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
    for (const found of [this.#open, this.#indexes])
      for (const path of [...found.keys()]) if (path.startsWith(folder)) found.delete(path)
  }

  close(): void {
    this.#open.clear()
    this.#indexes.clear()
    this.#closeIdle()
  }

  #closeIdle(): void {
    this.#open.purgeStale()
    if (this.#open.size > 0 || this.#sweep === null) return
    clearInterval(this.#sweep)
    this.#sweep = null
  }
}
