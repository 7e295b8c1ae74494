// The format of a line of the log.
import { crc32 } from 'node:zlib'

/**
 * The log consists of frames, one line each: `<crc32> <length> <payload>
 * `. Numbers have eight hexadecimal digits. The length is the size of the payload in bytes. The checksum covers `
 * <length> <payload>`. The payload is JSON, so a frame contains no other line feed and no zero byte. This distinguishes
 * an interrupted write from damage.
 */
const HEAD = 18
const NEWLINE = 0x0a
const hex = (n: number): string => n.toString(16).padStart(8, '0')

export function encodeFrame(payload: string): Buffer {
  const body = Buffer.from(payload)
  const length = Buffer.from(` ${hex(body.length)} `)
  return Buffer.concat([Buffer.from(hex(crc32(body, crc32(length)))), length, body, Buffer.of(NEWLINE)])
}

/** The content at an offset: a frame, the end, an interrupted write, or damage. */
type ScannedFrame =
  | { kind: 'frame'; payload: string; next: number }
  | { kind: 'end' }
  | { kind: 'torn' }
  | { kind: 'damaged'; what: string }

const HEX = /^[0-9a-f]{8} [0-9a-f]{8} $/

function declaredLength(bytes: Buffer, offset: number): number | null {
  const head = bytes.toString('latin1', offset, offset + HEAD)
  return HEX.test(head) ? Number.parseInt(head.slice(9, 17), 16) : null
}

/** Reads the frame at `offset`. */
export function scanFrame(bytes: Buffer, offset: number): ScannedFrame {
  if (offset === bytes.length) return { kind: 'end' }
  const length = declaredLength(bytes, offset)
  const end = length === null ? Number.POSITIVE_INFINITY : offset + HEAD + length
  if (end < bytes.length) {
    const sum = crc32(bytes.subarray(offset + 8, end))
    const fits = bytes.toString('latin1', offset, offset + 8) === hex(sum)
    if (fits && bytes[end] === NEWLINE)
      return { kind: 'frame', payload: bytes.toString('utf8', offset + HEAD, end), next: end + 1 }
    if (fits && bytes[end] !== 0) return { kind: 'damaged', what: 'a record does not end with a line feed' }
  }
  return isTorn(bytes.subarray(offset))
    ? { kind: 'torn' }
    : { kind: 'damaged', what: 'the checksum of a record is wrong' }
}

/**
 * Whether `rest` may come from an interrupted append: it is the start of a frame, or a frame with unwritten blocks
 * (zeros). A complete line without zeros, or anything after a line feed, was written completely and acknowledged.
 */
function isTorn(rest: Buffer): boolean {
  const newline = rest.indexOf(NEWLINE)
  if (newline === -1) return true
  return newline === rest.length - 1 && rest.includes(0)
}
