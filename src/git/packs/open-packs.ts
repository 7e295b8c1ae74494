/** The open packs of all repositories. */
import { LRUCache } from 'lru-cache'
import { PackFile } from './pack-file.js'
import type { SmallIndex } from './small-index.js'

/** Maximum number of open packs. Each has two open files. */
const MAX_OPEN = 256
/** Time after which an unused pack is closed, in milliseconds. A deleted pack occupies space on the disk until then. */
const IDLE_MS = 60_000
/**
 * Maximum memory of the indexes of small packs, enough for a few thousand. A repository may have hundreds of packs,
 * more than can be open.
 */
const INDEX_BYTES = 8 * 1024 * 1024

/** Packs by path, without extension. Reads are synchronous, so none is in progress when a pack is closed. */
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

  /**
   * Returns the offset of an object in a pack; null if the pack is not known to have it: a small pack may have been
   * deleted. Throws what `PackFile` throws.
   */
  find(path: string, oid: Buffer): number | null {
    const index = this.#indexes.get(path)
    const place = index?.find(oid)
    if (place === null) return null
    const pack = this.get(path)
    // A repack may have replaced the pack by another one with the same name and objects.
    if (index && typeof place === 'number' && pack.checksum === index.checksum) return place
    const read = pack.smallIndex()
    if (read) this.#indexes.set(path, read)
    return pack.find(oid)
  }

  /** Returns an open pack. Throws what `PackFile` throws. */
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
