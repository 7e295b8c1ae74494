/** One pack and its index, open for reading. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import type { ObjectType } from '../objects/hash.js'
import { SmallIndex } from './small-index.js'
import { Unsure } from './unsure.js'

const OID_BYTES = 20
const HEAD_BYTES = 8 + 1024
const INDEX_MAGIC = 'ff744f6300000002'
const PACK_MAGIC = '5041434b00000002'
/**
 * Number of index entries that are read at once. Among more entries, the search reads single ones until few are left.
 */
const ROW = 128
/** Number of bytes that are read first: the head of an entry, and all of a small entry. */
const FIRST_BYTES = 4096
const TYPES: Record<number, ObjectType> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const BY_OFFSET = 6
const BY_NAME = 7

/** The head of a pack entry. */
export interface Entry {
  /** The type; null for a delta. */
  type: ObjectType | null
  /** Size of the inflated data in bytes: of the object or the delta. */
  size: number
  /** The offset of a delta's base. */
  base: number
  /** The offset of the deflated data. */
  data: number
}

// Reads are synchronous, so one buffer is enough for all of them.
const row = Buffer.allocUnsafe(ROW * OID_BYTES)
const first = Buffer.allocUnsafe(FIRST_BYTES)

/**
 * A pack. Reads are synchronous and small: from a file in the system's cache they take microseconds, while asynchronous
 * reads would wait in a queue behind every `fsync`. All methods throw `Unsure` if they cannot read something.
 */
export class PackFile {
  readonly #index: number
  readonly #pack: number
  readonly #upTo: Uint32Array
  readonly #end: number
  /** The checksum of all bytes, which is unique per pack. */
  readonly checksum: string

  /**
   * Opens `<path>.pack` and `<path>.idx`. Throws system errors such as ENOENT, and `Unsure` if the two do not belong
   * together.
   */
  constructor(path: string) {
    this.#index = openSync(`${path}.idx`, 'r')
    try {
      this.#pack = openSync(`${path}.pack`, 'r')
    } catch (error) {
      closeSync(this.#index)
      throw error
    }
    try {
      this.#upTo = this.#readFanOut()
      this.#end = fstatSync(this.#pack).size - OID_BYTES
      this.checksum = this.#readChecksum()
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    closeSync(this.#index)
    closeSync(this.#pack)
  }

  /** Returns the offset of an object; null if the pack does not have it. */
  find(oid: Buffer): number | null {
    const byte = oid.readUInt8(0)
    let low = byte === 0 ? 0 : this.#countUpTo(byte - 1)
    let high = this.#countUpTo(byte)
    while (high - low > ROW) {
      const middle = (low + high) >> 1
      this.#read(this.#index, row, OID_BYTES, HEAD_BYTES + middle * OID_BYTES)
      const order = oid.compare(row, 0, OID_BYTES)
      if (order === 0) return this.#offsetAt(middle)
      if (order < 0) high = middle
      else low = middle + 1
    }
    if (low >= high) return null
    this.#read(this.#index, row, (high - low) * OID_BYTES, HEAD_BYTES + low * OID_BYTES)
    const found = searchRow(oid, high - low)
    return found === null ? null : this.#offsetAt(low + found)
  }

  /** Returns the IDs of all objects; null if there are more than `max`. */
  names(max: number): string[] | null {
    const count = this.#countUpTo(255)
    if (count > max) return null
    const names = Buffer.allocUnsafe(count * OID_BYTES)
    this.#read(this.#index, names, names.length, HEAD_BYTES)
    return Array.from({ length: count }, (_, place) =>
      names.toString('hex', place * OID_BYTES, (place + 1) * OID_BYTES),
    )
  }

  /** Returns the index for use in memory; null if it is too large. */
  smallIndex(): SmallIndex | null {
    const count = this.#countUpTo(255)
    if (count > SmallIndex.MAX_OBJECTS) return null
    const names = Buffer.allocUnsafeSlow(count * OID_BYTES)
    this.#read(this.#index, names, names.length, HEAD_BYTES)
    const offsets = Buffer.allocUnsafe(4 * count)
    this.#read(this.#index, offsets, offsets.length, HEAD_BYTES + count * (OID_BYTES + 4))
    return new SmallIndex(
      this.checksum,
      names,
      Uint32Array.from({ length: count }, (_, place) => offsets.readUInt32BE(4 * place)),
    )
  }

  /** Returns the head of the entry at an offset. */
  entry(offset: number): Entry {
    const length = Math.min(FIRST_BYTES, this.#end - offset)
    if (offset < 12 || length <= 0) throw new Unsure('an offset is outside of the pack')
    this.#read(this.#pack, first, length, offset)
    let at = 0
    const next = (): number => {
      if (at >= length) throw new Unsure('an entry is truncated')
      return first.readUInt8(at++)
    }
    let byte = next()
    const kind = (byte >> 4) & 7
    let size = byte & 15
    for (let factor = 16; byte >= 0x80; factor *= 128) {
      byte = next()
      size += (byte & 0x7f) * factor
    }
    const type = TYPES[kind] ?? null
    let base = 0
    if (kind === BY_OFFSET) base = offset - readBack(next)
    else if (kind === BY_NAME) base = this.#baseByName(first.subarray(at, (at += OID_BYTES)))
    else if (type === null) throw new Unsure('an entry has an unknown type')
    return { type, size, base, data: offset + at }
  }

  /** Returns the inflated data of an entry. */
  inflate({ size, data }: Entry): Buffer {
    // zlib output of incompressible bytes is slightly longer than its input.
    const length = Math.min(size + (size >> 10) + 64, this.#end - data)
    const deflated = length <= FIRST_BYTES ? first : Buffer.allocUnsafe(length)
    this.#read(this.#pack, deflated, length, data)
    try {
      const inflated = inflateSync(deflated.subarray(0, length), {
        chunkSize: Math.max(64, size + 1),
        maxOutputLength: size + 1,
      })
      if (inflated.length === size) return inflated
    } catch (error) {
      throw new Unsure('an entry is damaged', { cause: error })
    }
    throw new Unsure('the size of an entry does not match its header')
  }

  #readFanOut(): Uint32Array {
    const head = Buffer.allocUnsafe(HEAD_BYTES)
    this.#read(this.#index, head, HEAD_BYTES, 0)
    if (head.toString('hex', 0, 8) !== INDEX_MAGIC) throw new Unsure('the index has an unsupported version')
    const upTo = new Uint32Array(256)
    // A loop, because the pack of one edit is opened to find a few objects: callbacks took most of that time.
    for (let byte = 0, before = 0; byte < 256; byte++) {
      const count = head.readUInt32BE(8 + 4 * byte)
      if (count < before) throw new Unsure('the index is damaged')
      upTo[byte] = before = count
    }
    return upTo
  }

  /**
   * Returns the checksum of the pack, which is stored at the end of the index. Throws `Unsure` if they differ: the pack was
   * truncated, or replaced after the index was opened.
   */
  #readChecksum(): string {
    const two = Buffer.allocUnsafe(2 * OID_BYTES)
    this.#read(this.#index, two, OID_BYTES, fstatSync(this.#index).size - 2 * OID_BYTES)
    this.#read(this.#pack, two.subarray(OID_BYTES), OID_BYTES, this.#end)
    if (two.compare(two, 0, OID_BYTES, OID_BYTES) !== 0) throw new Unsure('the index belongs to another pack')
    const checksum = two.toString('hex', 0, OID_BYTES)
    this.#read(this.#pack, two, 8, 0)
    if (two.toString('hex', 0, 8) !== PACK_MAGIC) throw new Unsure('the pack has an unsupported version')
    return checksum
  }

  /** Returns the number of objects whose ID starts with a byte up to this one. */
  #countUpTo(byte: number): number {
    return this.#upTo[byte] ?? 0
  }

  #offsetAt(place: number): number {
    const count = this.#countUpTo(255)
    const offsets = HEAD_BYTES + count * (OID_BYTES + 4)
    this.#read(this.#index, first, 4, offsets + 4 * place)
    const offset = first.readUInt32BE(0)
    if (offset < 2 ** 31) return offset
    this.#read(this.#index, first, 8, offsets + 4 * count + 8 * (offset - 2 ** 31))
    return first.readUInt32BE(0) * 2 ** 32 + first.readUInt32BE(4)
  }

  #baseByName(oid: Buffer): number {
    const base = this.find(Buffer.from(oid))
    if (base === null) throw new Unsure('the base of a delta is not in its pack')
    return base
  }

  #read(file: number, into: Buffer, length: number, at: number): void {
    if (at < 0 || readSync(file, into, 0, length, at) !== length) throw new Unsure('the file is too short')
  }
}

/** Returns the distance to the base of a delta. */
function readBack(next: () => number): number {
  let byte = next()
  let back = byte & 0x7f
  while (byte >= 0x80) {
    byte = next()
    back = (back + 1) * 128 + (byte & 0x7f)
  }
  return back
}

/** Binary search in the first `count` IDs of `row`. */
function searchRow(oid: Buffer, count: number): number | null {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    const order = oid.compare(row, middle * OID_BYTES, (middle + 1) * OID_BYTES)
    if (order === 0) return middle
    if (order < 0) high = middle
    else low = middle + 1
  }
  return null
}
