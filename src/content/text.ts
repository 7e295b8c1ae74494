const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Bytes of a markdown file that is held as a text: a page that is taken apart has a megabyte, and front matter besides. A larger
 * one stays bytes, which only threads look into; links in it are not rewritten.
 */
export const MAX_TEXT_BYTES = 1024 * 1024 + 128 * 1024

/** Bytes of a markdown file that is shown, and edited: one that is larger is left to Git. */
export const MAX_EDITED_BYTES = 10 * 1024 * 1024

/** How a file's bytes are text. */
export type TextEncoding = 'utf-8' | 'latin1'

/** What the bytes are: UTF-8 where they are valid UTF-8, else Latin-1, in which every byte is a character. */
export function encodingOf(bytes: Uint8Array): TextEncoding {
  try {
    utf8.decode(bytes)
    return 'utf-8'
  } catch {
    return 'latin1'
  }
}

/**
 * A file's text. Nothing is dropped or normalised (BOM, CRLF, zero-width characters stay), so that
 * `encodeText(decodeText(bytes), encodingOf(bytes))` gives the same bytes.
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
}

/** Whether the bytes are text that can be shown: UTF-8 without NUL. */
export const isText = (bytes: Uint8Array): boolean => !bytes.includes(0) && encodingOf(bytes) === 'utf-8'

/** The bytes of `text`. Text that has outgrown Latin-1 becomes UTF-8. */
export const encodeText = (text: string, encoding: TextEncoding = 'utf-8'): Uint8Array =>
  Buffer.from(text, encoding === 'latin1' && !/[^\0-\xff]/.test(text) ? 'latin1' : 'utf8')

/** Zero-width characters that editors leave behind: U+200B, U+2060 and byte order marks. (Joiners carry meaning and stay.) */
const ZERO_WIDTH = /[\u200b\u2060\ufeff]/g

/** `text` without zero-width characters. */
export const withoutZeroWidth = (text: string): string => text.replace(ZERO_WIDTH, '')
