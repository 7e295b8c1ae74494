import { createHash } from 'node:crypto'

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,59}$/
// Device names on Windows, where a copy of the folder may be looked at.
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * A file name for any string (owner or table): itself where it is short and plain, else what is readable of it and
 * 128 bits of its hash. Case counts into the hash, since a file system may not tell `a` from `A`. The empty string is `_`.
 */
export function fileNameOf(text: string): string {
  if (text === '') return '_'
  if (PLAIN.test(text) && !RESERVED.test(text)) return text
  // JSON.stringify escapes lone surrogates, which UTF-8 would fold into one replacement character.
  const hash = createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 32)
  return `${text.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40)}~${hash}`
}
