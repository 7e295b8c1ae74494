/** Derives a safe and unique file name from the name of a table or the ID of an owner. */
import { createHash } from 'node:crypto'

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,59}$/
// Device names on Windows, where a copy of the folder may be opened.
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Returns a file name for any string (owner or table): the string itself if it is short and plain. Otherwise, a
 * readable part of it and 128 bits of its hash. Strings with capitals get a hash, since a file system may not
 * distinguish `a` from `A`. The empty string becomes `_`.
 */
export function fileNameOf(text: string): string {
  if (text === '') return '_'
  if (PLAIN.test(text) && !RESERVED.test(text)) return text
  // JSON.stringify escapes lone surrogates. In UTF-8, they would all become the same replacement character.
  const hash = createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 32)
  return `${text.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40)}~${hash}`
}
