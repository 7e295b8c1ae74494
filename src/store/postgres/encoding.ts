/** Encodes strings and sort keys so that PostgreSQL compares them as JavaScript does. */
import { createHash } from 'node:crypto'
import type { SortKey } from '../../kernel/paging.js'

/**
 * Maximum length of a key. Longer keys are stored as their hash, because an entry of a B-tree is limited to about 2,700
 * bytes.
 */
const MAX_KEY_LENGTH = 200
/**
 * Number of indexed bytes of a sort key. The rest is compared as well, by sorting the few keys with the same indexed
 * part.
 */
const INDEXED_BYTES = 1_000

/** Characters that `text` cannot contain: NUL, and unpaired surrogates. */
const NOT_TEXT = /[\0\p{Cs}]/u

/**
 * Returns a string in the form in which a column compares it for equality: the string itself, for readability, or a
 * backslash and its hash if it is long or cannot be stored as `text`.
 */
export function keyText(text: string): string {
  if (text.length <= MAX_KEY_LENGTH && !text.startsWith('\\') && !NOT_TEXT.test(text)) return text
  return `\\${createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex')}`
}

const NUMBER = Buffer.from([1])
const TEXT = Buffer.from([2])
const END = Buffer.from([0])

/**
 * Encodes a number as bytes with the same sort order. The first bit of a double is its sign, and negative numbers sort
 * in reverse.
 */
function bytesOfNumber(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value === 0 ? 0 : value)
  const first = bytes.readUInt8(0)
  if (first < 0x80) bytes[0] = first | 0x80
  else for (let i = 0; i < 8; i++) bytes[i] = ~bytes.readUInt8(i) & 0xff
  return bytes
}

/**
 * Encodes a string as bytes without 0, in the order of its UTF-16 code units. Each unit is encoded separately, like a
 * UTF-8 code point with that number: plain UTF-8 would sort characters above U+FFFF after U+E000 to U+FFFF. The units 0
 * and 1 take two bytes.
 */
function bytesOfText(text: string): Buffer {
  if (/^[\x02-\x7f]*$/.test(text)) return Buffer.from(text, 'latin1')
  const bytes: number[] = []
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 2) bytes.push(1, unit + 1)
    else if (unit < 0x80) bytes.push(unit)
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f))
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f))
  }
  return Buffer.from(bytes)
}

/** Encodes a sort key as bytes in the order of `compareSortKeys`, in two parts. The first part is indexed. */
export function placeOf([value, id]: SortKey): { place: Buffer; rest: Buffer } {
  const parts = typeof value === 'number' ? [NUMBER, bytesOfNumber(value)] : [TEXT, bytesOfText(value), END]
  const bytes = Buffer.concat([...parts, bytesOfText(id)])
  return { place: bytes.subarray(0, INDEXED_BYTES), rest: bytes.subarray(INDEXED_BYTES) }
}
