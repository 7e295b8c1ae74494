/** Strings and sort keys in the form in which PostgreSQL compares them as JavaScript does. */
import { createHash } from 'node:crypto'
import type { SortKey } from '../../kernel/paging.js'

/** Longer keys are stored as their hash: an entry of a B-tree has about 2,700 bytes at most. */
const MAX_KEY_LENGTH = 200
/** How much of a sort key is indexed; what lies beyond is compared too, but found by sorting the few that agree until there. */
const INDEXED_BYTES = 1_000

/** What `text` cannot hold: NUL, and surrogates that are no pair. */
const NOT_TEXT = /[\0\p{Cs}]/u

/**
 * A string as it is compared for equality in a column: itself, so that people can read it, or a backslash and its hash if it is long or
 * cannot be a `text`.
 */
export function keyText(text: string): string {
  if (text.length <= MAX_KEY_LENGTH && !text.startsWith('\\') && !NOT_TEXT.test(text)) return text
  return `\\${createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex')}`
}

const NUMBER = Buffer.from([1])
const TEXT = Buffer.from([2])
const END = Buffer.from([0])

/** Bytes that are in the order of the numbers. The first bit of a double is its sign: negative ones are in reverse. */
function bytesOfNumber(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value === 0 ? 0 : value)
  const first = bytes[0] as number
  if (first < 0x80) bytes[0] = first | 0x80
  else for (let i = 0; i < 8; i++) bytes[i] = ~(bytes[i] as number) & 0xff
  return bytes
}

/**
 * Bytes, none of them 0, that are in the order of the UTF-16 code units of the strings. Each unit is written by itself, as UTF-8 writes a code
 * point of that number: UTF-8 itself would sort what lies beyond U+FFFF behind U+E000 to U+FFFF. 0 and 1 take two bytes.
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

/** A sort key as bytes in the order of `compareSortKeys`, in two parts: the first is indexed. */
export function placeOf([value, id]: SortKey): { place: Buffer; rest: Buffer } {
  const parts = typeof value === 'number' ? [NUMBER, bytesOfNumber(value)] : [TEXT, bytesOfText(value), END]
  const bytes = Buffer.concat([...parts, bytesOfText(id)])
  return { place: bytes.subarray(0, INDEXED_BYTES), rest: bytes.subarray(INDEXED_BYTES) }
}
