/** Archives that are built byte by byte, so that they can contain data that no tool writes. */
import { deflateRawSync } from 'node:zlib'
import { crc32 } from './story-support.js'

export interface Entry {
  /** Raw bytes. A text is UTF-8. */
  name: string | Buffer
  data?: string | Buffer
  stored?: boolean
  /** Sizes and checksum follow the data. */
  descriptor?: boolean
  /** Unix mode, for symbolic links. */
  mode?: number
  /** Whether the name is declared as UTF-8. The default is true. */
  utf8?: boolean
  encrypted?: boolean
  /** The values that the archive states, if they are wrong. */
  crc?: number
  size?: number
  packed?: number
  method?: number
  /** The name in front of the data, if it differs. */
  localName?: string
  /** Index of another entry whose data this entry shares. */
  dataOf?: number
  /** The data, if they are already compressed. */
  deflated?: Buffer
}

interface Written {
  name: Buffer
  entry: Entry
  offset: number
  crc: number
  size: number
  packed: number
  flags: number
  method: number
}

const header = (one: Written, local: boolean): Buffer => {
  const unset = local && one.entry.descriptor === true
  const bytes = Buffer.alloc(26)
  bytes.writeUInt16LE(20, 0)
  bytes.writeUInt16LE(one.flags, 2)
  bytes.writeUInt16LE(one.method, 4)
  bytes.writeUInt32LE(0x5821_0000, 6)
  bytes.writeUInt32LE(unset ? 0 : one.crc, 10)
  bytes.writeUInt32LE(unset ? 0 : one.packed, 14)
  bytes.writeUInt32LE(unset ? 0 : one.size, 18)
  bytes.writeUInt16LE(
    (local && one.entry.localName !== undefined ? Buffer.from(one.entry.localName) : one.name).length,
    22,
  )
  return bytes
}
const signature = (number: number): Buffer => Buffer.from([0x50, 0x4b, number & 255, number >> 8])

function central(one: Written): Buffer {
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(one.entry.mode === undefined ? 0 : (one.entry.mode << 16) >>> 0, 6)
  rest.writeUInt32LE(one.offset, 10)
  return Buffer.concat([signature(0x0201), Buffer.from([20, 3]), header(one, false), rest, one.name])
}

/** An archive of the entries, in their order. `before` and `after` are put around it. */
export function rawZip(
  entries: readonly Entry[],
  { before = Buffer.alloc(0), after = Buffer.alloc(0), count = entries.length } = {},
): Buffer {
  const parts: Buffer[] = [before]
  let at = before.length
  const put = (bytes: Buffer): void => {
    parts.push(bytes)
    at += bytes.length
  }
  const written: Written[] = []
  for (const entry of entries) {
    const other = entry.dataOf === undefined ? undefined : written[entry.dataOf]
    const name = Buffer.isBuffer(entry.name) ? entry.name : Buffer.from(entry.name)
    if (other) {
      written.push({ ...other, name, entry: { ...entry, dataOf: 0 } })
      continue
    }
    const data = Buffer.from(entry.data ?? '')
    const packed = entry.deflated ?? (entry.stored ? data : deflateRawSync(data))
    const flags = (entry.utf8 === false ? 0 : 0x800) | (entry.descriptor ? 8 : 0) | (entry.encrypted ? 1 : 0)
    const one = {
      name,
      entry,
      offset: at,
      crc: entry.crc ?? crc32(data),
      size: entry.size ?? data.length,
      packed: entry.packed ?? packed.length,
      flags,
      method: entry.method ?? (entry.stored ? 0 : 8),
    }
    written.push(one)
    put(
      Buffer.concat([
        signature(0x0403),
        header(one, true),
        entry.localName === undefined ? name : Buffer.from(entry.localName),
        packed,
      ]),
    )
    if (entry.descriptor) {
      const sizes = Buffer.alloc(12)
      sizes.writeUInt32LE(one.crc, 0)
      sizes.writeUInt32LE(one.packed, 4)
      sizes.writeUInt32LE(one.size, 8)
      put(Buffer.concat([signature(0x0807), sizes]))
    }
  }
  const start = at
  for (const one of written) put(central(one))
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Math.min(count, 0xffff), 4)
  end.writeUInt16LE(Math.min(count, 0xffff), 6)
  end.writeUInt32LE(at - start, 8)
  end.writeUInt32LE(start, 12)
  return Buffer.concat([...parts, signature(0x0605), end, after])
}
