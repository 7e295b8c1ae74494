/** Reads the objects in a repository's packs without a Git process. Uncertain cases are left to Git. */
import { errorCode } from '../../kernel/thrown.js'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type BoundedCache, ownBytes } from '../../kernel/memory-budget.js'
import { REPACK_ATTEMPTS } from '../objects/disk.js'
import type { ObjectInfo, RawObject } from '../objects/loose.js'
import { applyDelta, readDeltaHead } from './delta.js'
import type { OpenPacks } from './open-packs.js'
import type { Entry, PackFile } from './pack-file.js'
import { Unsure } from './unsure.js'

/**
 * Maximum size in bytes. Larger objects, deltas and bases are left to Git, because they would block the main thread.
 */
const MAX_BYTES = 256 * 1024
/** Maximum length of a chain of deltas. By default, Git creates chains of at most 50. */
const MAX_CHAIN = 250
/** Age in milliseconds below which a changed folder may have changed again with the same times. */
const RACY_MS = 1000

/** The result of a lookup; null if certainly no pack has the object; 'unsure' if Git must look it up. */
export type PackLookup<T> = T | null | 'unsure'

type Look<T> = (pack: PackFile, offset: number) => T

/**
 * The packs of one repository. Their list is cached, and read again if no pack has an object and the folder has
 * changed. Deleted packs may still be read, as a long-lived Git process does: the ID of an object determines its
 * content. To check whether the repository still has an object, use `ObjectWriter`.
 */
export class PackedObjects {
  readonly #folder: string
  readonly #alternates: string
  #names: string[] = []
  #stamp = ''

  constructor(
    repository: string,
    readonly packs: OpenPacks,
    /** Bases of deltas by the checksum of their pack and their offset. */
    readonly bases: BoundedCache<RawObject>,
  ) {
    this.#folder = join(repository, 'objects/pack')
    this.#alternates = join(repository, 'objects/info/alternates')
  }

  /** Returns an object from a pack in the cached list. Null says nothing about other packs. */
  known(oid: string): PackLookup<RawObject> {
    return this.#search(this.#names, oid, this.#read)
  }

  /** Returns an object from any pack that is now in the folder. */
  find(oid: string): PackLookup<RawObject> {
    return this.#anywhere(oid, this.#read)
  }

  /** Returns the type and size of an object in a pack of the cached list. Null says nothing about other packs. */
  knownInfo(oid: string): PackLookup<ObjectInfo> {
    return this.#search(this.#names, oid, this.#readInfo)
  }

  /** Returns the type and size of an object in any pack that is now in the folder. */
  info(oid: string): PackLookup<ObjectInfo> {
    return this.#anywhere(oid, this.#readInfo)
  }

  /** Whether an admin made the repository borrow objects from another one, which only Git reads. */
  get borrows(): boolean {
    return existsSync(this.#alternates)
  }

  /** Closes the packs. */
  close(): void {
    this.packs.drop(this.#folder)
  }

  #anywhere<T>(oid: string, look: Look<T>): PackLookup<T> {
    try {
      return this.#searchAll(oid, look)
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      return 'unsure'
    }
  }

  #searchAll<T>(oid: string, look: Look<T>): PackLookup<T> {
    let found = this.#search(this.#names, oid, look)
    for (let attempt = 1; found === null; attempt++) {
      const before = this.#stampNow()
      const known = before.stamp === this.#stamp
      if (!known) {
        this.#names = this.#listNow()
        this.#stamp = ''
        found = this.#search(this.#names, oid, look)
        if (found !== null) break
      }
      const after = known ? before : this.#stampNow()
      if (before.stamp !== after.stamp && attempt < REPACK_ATTEMPTS) continue
      if (before.stamp !== after.stamp || Date.now() - after.changedMs < RACY_MS || this.borrows) return 'unsure'
      this.#stamp = after.stamp
      return null
    }
    return found
  }

  /**
   * Searches the most recently used pack first: most objects are in one large pack, and with many repositories, not all
   * packs can be open.
   */
  #search<T>(names: string[], oid: string, look: Look<T>): PackLookup<T> {
    const name = Buffer.from(oid, 'hex')
    let answer: 'unsure' | null = null
    for (const [place, one] of names.entries()) {
      try {
        const path = `${this.#folder}/${one}`
        const offset = this.packs.find(path, name)
        if (offset === null) continue
        if (place > 0) names.unshift(...names.splice(place, 1))
        return look(this.packs.get(path), offset)
      } catch (error) {
        // Read the list again: a pack no longer exists.
        if (errorCode(error) === 'ENOENT') this.#stamp = ''
        else if (error instanceof Unsure || errorCode(error) !== undefined) answer = 'unsure'
        else throw error
      }
    }
    return answer
  }

  readonly #read: Look<RawObject> = (pack, offset) => {
    const deltas: { key: string; data: Buffer }[] = []
    let at = offset
    for (;;) {
      const key = `${pack.checksum}:${at}`
      const known = this.bases.get(key)
      if (known) return this.#build(known, deltas)
      const entry = pack.entry(at)
      if (entry.size > MAX_BYTES || deltas.length > MAX_CHAIN) throw new Unsure('it would take too long')
      const data = pack.inflate(entry)
      if (entry.type !== null) {
        const base: RawObject = { type: entry.type, content: deltas.length > 0 ? ownBytes(data) : data }
        if (deltas.length > 0) this.bases.set(key, base)
        return this.#build(base, deltas)
      }
      deltas.push({ key, data })
      at = entry.base
    }
  }

  /** Applies deltas, the last one first. Caches results that may also be the base of other objects. */
  #build(base: RawObject, deltas: { key: string; data: Buffer }[]): RawObject {
    let object = base
    for (let delta = deltas.pop(); delta; delta = deltas.pop()) {
      object = { type: base.type, content: applyDelta(object.content, delta.data, MAX_BYTES) }
      if (deltas.length > 0) this.bases.set(delta.key, object)
    }
    return object
  }

  readonly #readInfo: Look<ObjectInfo> = (pack, offset) => {
    const outer = pack.entry(offset)
    let entry: Entry = outer
    for (let chain = 0; entry.type === null; chain++) {
      if (chain > MAX_CHAIN) throw new Unsure('it would take too long')
      entry = pack.entry(entry.base)
    }
    if (outer.type !== null) return { type: outer.type, size: outer.size }
    if (outer.size > MAX_BYTES) throw new Unsure('it would take too long')
    return { type: entry.type, size: readDeltaHead(pack.inflate(outer)).size }
  }

  #listNow(): string[] {
    const names = new Set(readdirSync(this.#folder))
    return [...names]
      .filter((name) => name.endsWith('.idx') && names.has(name.replace(/idx$/, 'pack')))
      .map((name) => name.slice(0, -'.idx'.length))
  }

  #stampNow(): { stamp: string; changedMs: number } {
    const stat = statSync(this.#folder, { bigint: true })
    return { stamp: `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}`, changedMs: Number(stat.ctimeNs / 1_000_000n) }
  }
}
