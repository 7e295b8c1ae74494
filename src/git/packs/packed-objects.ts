/** Reads the objects in a repository's packs without a Git process. What it is not sure of is left to Git. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type BoundedCache, ownBytes } from '../../kernel/memory-budget.js'
import { errorCode, REPACK_ATTEMPTS } from '../objects/disk.js'
import type { ObjectInfo, RawObject } from '../objects/loose.js'
import { applyDelta, readDeltaHead } from './delta.js'
import type { OpenPacks } from './open-packs.js'
import type { Entry, PackFile } from './pack-file.js'
import { Unsure } from './unsure.js'

/** Larger objects, deltas and bases are left to Git: they would hold up the main thread. */
const MAX_BYTES = 256 * 1024
/** Git makes chains of at most 50 deltas, unless it is told otherwise. */
const MAX_CHAIN = 250
/** A folder that changed this recently may have changed again without another time. */
const RACY_MS = 1000

/** An answer; null if it is certain that no pack has the object; 'unsure' if Git has to be asked. */
export type PackLookup<T> = T | null | 'unsure'

type Look<T> = (pack: PackFile, offset: number) => T

/**
 * The packs of one repository. Their list is kept, and read again when an object is in none of them and their folder has changed.
 * A pack that somebody has deleted may still be read, as by a long-lived Git process: an object's name determines its content, and
 * whether the repository still has it is a question for `ObjectWriter`.
 */
export class PackedObjects {
  readonly #folder: string
  readonly #alternates: string
  #names: string[] = []
  #stamp = ''

  constructor(
    repository: string,
    readonly packs: OpenPacks,
    /** Bases of deltas, by the checksum of their pack and their offset. */
    readonly bases: BoundedCache<RawObject>,
  ) {
    this.#folder = join(repository, 'objects/pack')
    this.#alternates = join(repository, 'objects/info/alternates')
  }

  /** An object from a pack that is in the list already. Null says nothing about other packs. */
  known(oid: string): PackLookup<RawObject> {
    return this.#search(this.#names, oid, this.#read)
  }

  /** An object, from whatever pack is in the folder now. */
  find(oid: string): PackLookup<RawObject> {
    return this.#anywhere(oid, this.#read)
  }

  /** Type and size of an object in a pack that is in the list already. Null says nothing about other packs. */
  knownInfo(oid: string): PackLookup<ObjectInfo> {
    return this.#search(this.#names, oid, this.#readInfo)
  }

  /** Type and size of an object, from whatever pack is in the folder now. */
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

  /** Looks first where the last object was found: most are in one large pack, and of many repositories not all packs can be open. */
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
        // A pack that is gone is no longer in the list when that is read again.
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
      if (entry.size > MAX_BYTES || deltas.length > MAX_CHAIN) throw new Unsure('it would take long')
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

  /** Applies deltas, the last one first. What other objects may have as their base too is kept. */
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
      if (chain > MAX_CHAIN) throw new Unsure('it would take long')
      entry = pack.entry(entry.base)
    }
    if (outer.type !== null) return { type: outer.type, size: outer.size }
    if (outer.size > MAX_BYTES) throw new Unsure('it would take long')
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
