/** Text files: encodings and sizes. */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Maximum size of a markdown file that is held as a string, in bytes: a parsed page has up to a megabyte, plus its
 * front matter. A larger file is kept as bytes that only threads decode, and links in it are not rewritten.
 */
export const MAX_TEXT_BYTES = 1024 * 1024 + 128 * 1024

/**
 * Maximum size of a markdown file that is shown and can be edited, in bytes. Larger files can be changed only with Git.
 */
export const MAX_EDITED_BYTES = 10 * 1024 * 1024

/** The encoding of a text file. */
type TextEncoding = 'utf-8' | 'latin1'

/**
 * Returns the encoding of a file: UTF-8 if its bytes are valid UTF-8, else Latin-1, in which every byte is a character.
 */
export function encodingOf(bytes: Uint8Array): TextEncoding {
  try {
    utf8.decode(bytes)
    return 'utf-8'
  } catch {
    return 'latin1'
  }
}

/**
 * Returns a file's text. Nothing is dropped or normalized (BOM, CRLF and zero-width characters are preserved), so that
 * `encodeText(decodeText(bytes), encodingOf(bytes))` gives the same bytes.
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
}

/** Whether the bytes can be shown as text: UTF-8 without NUL. */
export const isText = (bytes: Uint8Array): boolean => !bytes.includes(0) && encodingOf(bytes) === 'utf-8'

/** Encodes a text. If it contains characters that Latin-1 does not have, it becomes UTF-8. */
export const encodeText = (text: string, encoding: TextEncoding = 'utf-8'): Uint8Array =>
  Buffer.from(text, encoding === 'latin1' && !/[^\0-\xff]/.test(text) ? 'latin1' : 'utf8')

/**
 * Zero-width characters that editors leave behind: U+200B, U+2060 and byte order marks. (Joiners have a meaning and are
 * preserved.)
 */
const ZERO_WIDTH = /[\u200b\u2060\ufeff]/g

/** Returns `text` without zero-width characters. */
export const withoutZeroWidth = (text: string): string => text.replace(ZERO_WIDTH, '')
