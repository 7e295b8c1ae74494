/** The files and messages that the service and the printing process share: the print order and its result. */

/** A chapter or page in the outline and the table of contents. */
export interface OutlineItem {
  title: string
  /** The ID of the target element. If absent, it is only a heading for the items below. */
  anchor?: string
  items: OutlineItem[]
}

/**
 * A book to print. Its files are in one folder: this order as `order.json`, the documents, and pictures below
 * `pictures/`. Links within the book point to `http://book.invalid/book#<ID>`, with `?page=<ID>` for the fallback
 * target.
 */
export interface PrintOrder {
  title: string
  author: string
  lang: string
  /** ISO time. It is the same for each printing of the same order. */
  date: string
  /**
   * The document at the front of the book, which is printed last: `[[page:<ID>]]` in it becomes the page number. null
   * if there is none.
   */
  front: string | null
  /** The documents in order. Their pages are numbered from 1. */
  documents: string[]
  outline: OutlineItem[]
}

/** The result of printing. */
export interface PrintResult {
  pages: number
  bytes: number
  /** Characters without a glyph, at most 200. */
  missingGlyphs: string[]
  /** The peak memory of all processes together, in bytes. */
  peakBytes: number
}

/** The origin of the book for the engine. Nothing else is served to it. */
export const ORIGIN = 'http://book.invalid'

/** A Chromium and the way to start it on this machine. */
export interface Engine {
  /** The path of the program. */
  path: string
  /** The command before it: another user, no network. */
  prefix: string[]
  /** Whether Chromium's sandbox works on this machine. */
  sandbox: boolean
  /** A folder with libraries that are missing on the machine. */
  libraries?: string
  version: string
}
