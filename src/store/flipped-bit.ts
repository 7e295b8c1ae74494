/**
 * Corrects a single flipped bit with the checksum that covers it. CRC-32 is linear: the difference between the stored
 * and the computed checksum depends only on the position of the flipped bit, and each position has another one.
 */
import { crc32 } from 'node:zlib'

/** The polynomial of CRC-32, reflected. */
const POLYNOMIAL = 0xedb88320

/**
 * Maximum number of bytes in which a flip is searched. More than one flipped bit may look like another single one. The
 * probability of that is the number of bits divided by 2^32: 1 in 2,048 at this size. Zeros or foreign data almost never
 * are valid JSON afterwards.
 */
const MAX_BYTES = 256 * 1024

/** Bytes with a corrected bit, and the position of the flipped byte. */
interface CorrectedBytes {
  readonly bytes: Buffer
  readonly at: number
}

/** Returns a copy of the bytes in which one flipped bit is corrected, or null if no single flip explains the checksum. */
export function correctBit(bytes: Buffer, expected: number): CorrectedBytes | null {
  if (bytes.length > MAX_BYTES) return null
  const difference = (crc32(bytes) ^ expected) | 0
  let effect = POLYNOMIAL | 0
  for (let at = bytes.length - 1; at >= 0; at--) {
    for (let bit = 7; bit >= 0; bit--) {
      if (effect === difference) {
        const corrected = Buffer.from(bytes)
        corrected[at] = (bytes[at] ?? 0) ^ (1 << bit)
        return { bytes: corrected, at }
      }
      effect = (effect >>> 1) ^ (effect & 1 ? POLYNOMIAL : 0)
    }
  }
  return null
}

/** Returns the position of the only bit in which two texts differ, in bytes; null if they differ in more or in none. */
export function onlyDifference(one: Uint8Array, other: Uint8Array): number | null {
  if (one.length !== other.length) return null
  let found: number | null = null
  for (const [at, byte] of one.entries()) {
    const bits = byte ^ (other[at] ?? 0)
    if (bits === 0) continue
    if (found !== null || (bits & (bits - 1)) !== 0) return null
    found = at
  }
  return found
}
