/** What is printed, and what came of it: the files and messages that the service and the process that prints share. */

/** A chapter or page in the outline and the table of contents. */
export interface OutlineItem {
  title: string
  /** ID of the element that it leads to. Absent = only a heading for what is below. */
  anchor?: string
  items: OutlineItem[]
}

/**
 * A book to be printed. Its files are in one folder: this order as `order.json`, the documents, and pictures below `pictures/`.
 * Links within the book lead to `http://book.invalid/book#<ID>`, with `?page=<ID>` for the place that is next best.
 */
export interface PrintOrder {
  title: string
  author: string
  lang: string
  /** ISO time; every printing of the same order says the same. */
  date: string
  /** Document printed before the others, last: `[[page:<ID>]]` in it becomes the number of the page. */
  front: string | null
  /** Documents in order. Their pages are numbered from 1. */
  documents: string[]
  outline: OutlineItem[]
}

/** What came of a printing. */
export interface Printed {
  pages: number
  bytes: number
  /** Characters for which there was no glyph, at most 200. */
  missingGlyphs: string[]
  /** Largest sum of memory of all processes, in bytes. */
  peakBytes: number
}

/** The origin under which the engine sees the book. Nothing else is served to it. */
export const ORIGIN = 'http://book.invalid'

/** How a Chromium is started on this machine. */
export interface Engine {
  /** Path of the program. */
  path: string
  /** Command in front of it: other user, no network. */
  prefix: string[]
  /** Whether its own sandbox works here. */
  sandbox: boolean
  /** Folder of libraries that the machine lacks. */
  libraries?: string
  version: string
}
