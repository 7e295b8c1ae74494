/** The formats of packs without deltas, and of their indexes (gitformat-pack(5)). */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DamagedObject } from '../errors.js'
import { deflateContent, storedContent } from './loose.js'
import type { EncodedObject, ObjectType } from './hash.js'
import { required } from '../../kernel/defined.js'

const OID_BYTES = 20
const TYPES: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 }
const INDEX_MAGIC = Buffer.from('ff744f6300000002', 'hex')
const FANOUT_BYTES = 1024
/**
 * Maximum size of commits and trees that are stored uncompressed, in bytes. They consist mostly of object IDs, which
 * hardly compress, and setting up a compressor takes longer than everything else. A repack by Git turns them into
 * deltas.
 */
const STORED_BYTES = 1024
/** Maximum offset. Larger offsets would need a table that this index does not have. */
export const MAX_OFFSET = 0x7fff_ffff

/** An object in a pack: the offset of its entry, and the checksum of the entry. */
export interface PackEntry {
  oid: string
  offset: number
  crc: number
}

const sumOf = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).digest()

/** Returns the header of a pack with this number of objects. */
export function packHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  header.writeUInt32BE(count, 8)
  return header
}

/** Returns an object as a pack entry without a delta. */
export async function packEntry({ header, content }: EncodedObject): Promise<Buffer> {
  const type = header.toString('latin1', 0, header.indexOf(0x20)) as ObjectType
  const lead: number[] = []
  let [size, byte] = [Math.floor(content.length / 16), (TYPES[type] << 4) | (content.length % 16)]
  for (; size > 0; size = Math.floor(size / 128)) {
    lead.push(byte | 0x80)
    byte = size % 128
  }
  const isShort = type !== 'blob' && content.length <= STORED_BYTES
  return Buffer.concat([Buffer.from([...lead, byte]), isShort ? storedContent(content) : await deflateContent(content)])
}

/** Returns the version 2 index of a pack that ends with `checksum`. */
export function packIndex(entries: readonly PackEntry[], checksum: Buffer): Buffer {
  const sorted = entries
    .map((entry) => ({ ...entry, name: Buffer.from(entry.oid, 'hex') }))
    .sort((a, b) => a.name.compare(b.name))
  const fanout = Buffer.alloc(FANOUT_BYTES)
  for (let byte = 0, upTo = 0; byte < 256; byte++) {
    while (upTo < sorted.length && required(sorted[upTo]).name.readUInt8(0) <= byte) upTo++
    fanout.writeUInt32BE(upTo, 4 * byte)
  }
  const numbers = (of: (entry: PackEntry) => number): Buffer => {
    const table = Buffer.alloc(4 * sorted.length)
    for (const [at, entry] of sorted.entries()) table.writeUInt32BE(of(entry), 4 * at)
    return table
  }
  const names = sorted.map(({ name }) => name)
  const body = Buffer.concat([
    INDEX_MAGIC,
    fanout,
    ...names,
    numbers(({ crc }) => crc),
    numbers(({ offset }) => offset),
    checksum,
  ])
  return Buffer.concat([body, sumOf(body)])
}

/** A pack entry with its bytes. */
export interface RawEntry {
  oid: string
  bytes: Buffer
}

/**
 * Returns the entries of a pack in file order, or null if one of them is a delta. Throws `DamagedObject` if the files
 * are damaged or do not belong together.
 */
export function entriesOf(pack: Buffer, index: Buffer): RawEntry[] | null {
  const count =
    index.length < INDEX_MAGIC.length + FANOUT_BYTES ? 0 : index.readUInt32BE(INDEX_MAGIC.length + FANOUT_BYTES - 4)
  const names = INDEX_MAGIC.length + FANOUT_BYTES
  const [sums, offsets] = [names + OID_BYTES * count, names + (OID_BYTES + 4) * count]
  const end = offsets + 4 * count
  if (
    index.length !== end + 2 * OID_BYTES ||
    !index.subarray(0, 8).equals(INDEX_MAGIC) ||
    !index.subarray(end, end + OID_BYTES).equals(pack.subarray(-OID_BYTES)) ||
    !sumOf(index.subarray(0, end + OID_BYTES)).equals(index.subarray(-OID_BYTES))
  )
    throw new DamagedObject('the index of a pack is damaged or belongs to another pack')
  const at = (table: number, entry: number): number => index.readUInt32BE(table + 4 * entry)
  const order = Array.from({ length: count }, (_, entry) => entry).sort((a, b) => at(offsets, a) - at(offsets, b))
  const found: RawEntry[] = []
  for (const [place, entry] of order.entries()) {
    const next = order[place + 1]
    const bytes = pack.subarray(at(offsets, entry), next === undefined ? pack.length - OID_BYTES : at(offsets, next))
    if (bytes.length === 0 || crc32(bytes) !== at(sums, entry)) throw new DamagedObject('an entry of a pack is damaged')
    const type = (bytes.readUInt8(0) >> 4) & 7
    if (type > TYPES.tag) return null
    found.push({ oid: index.toString('hex', names + OID_BYTES * entry, names + OID_BYTES * (entry + 1)), bytes })
  }
  return found
}
