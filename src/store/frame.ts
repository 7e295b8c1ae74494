// The format of a line of the log.
import { crc32 } from 'node:zlib'
import { correctBit, onlyDifference } from './flipped-bit.js'

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

/**
 * The content at an offset: a frame, the end, an interrupted write, or damage. `flipped` is the position of a byte with
 * a flipped bit that the checksum corrected.
 */
type ScannedFrame =
  | { kind: 'frame'; payload: string; next: number; flipped?: number }
  | { kind: 'end' }
  | { kind: 'torn' }
  | { kind: 'damaged'; what: string }

const HEX_SUM = /^[0-9a-f]{8}$/
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
  }
  const corrected = correctedFrame(bytes, offset, end)
  if (corrected) return corrected
  return isTorn(bytes.subarray(offset))
    ? { kind: 'torn' }
    : { kind: 'damaged', what: 'the checksum of a record is wrong' }
}

/**
 * Reads a frame with one flipped bit, wherever it is; null if there is more damage.
 * @param declared the end of the payload according to the length, which may be wrong
 */
function correctedFrame(bytes: Buffer, offset: number, declared: number): ScannedFrame | null {
  const newline = bytes.indexOf(NEWLINE, offset)
  for (const end of new Set([declared, newline])) {
    if (end < offset + HEAD || end >= bytes.length) continue
    const flippedEnd = onlyDifference(bytes.subarray(end, end + 1), Buffer.of(NEWLINE))
    const line = bytes.subarray(offset, end)
    const found = bytes[end] === NEWLINE ? correctedLine(line) : flippedEnd === null ? null : intactLine(line)
    if (found) return { kind: 'frame', payload: found.payload, next: end + 1, flipped: offset + found.at }
  }
  return null
}

/** A line without a flip: its line feed is flipped. */
function intactLine(line: Buffer): { payload: string; at: number } | null {
  const fits = line.toString('latin1', 0, 8) === hex(crc32(line.subarray(8)))
  return fits ? { payload: line.toString('utf8', HEAD), at: line.length } : null
}

/** A line with a flip in its checksum, or in everything after it. */
function correctedLine(line: Buffer): { payload: string; at: number } | null {
  const body = line.subarray(8)
  const inSum = onlyDifference(line.subarray(0, 8), Buffer.from(hex(crc32(body))))
  const sum = line.toString('latin1', 0, 8)
  const found =
    inSum !== null
      ? { bytes: body, at: inSum - 8 }
      : HEX_SUM.test(sum)
        ? correctBit(body, Number.parseInt(sum, 16))
        : null
  if (found === null || found.bytes.toString('latin1', 0, HEAD - 8) !== ` ${hex(line.length - HEAD)} `) return null
  return { payload: found.bytes.toString('utf8', HEAD - 8), at: found.at + 8 }
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
