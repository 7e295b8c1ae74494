/** What is known of a markdown file by its content alone. Made once per content, and kept in an index. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { MAY_BE_HEAVY, pageLimit } from './blocks/weight.js'
import { findReferences } from './find-references.js'
import { readPage } from './front-matter.js'
import type { Reference } from './reference.js'
import { decodeText } from './text.js'
import type { PageAttributes } from './types.js'

/** Increases if other facts are made of the same file: an index of another version is dropped. */
export const FACTS_VERSION = 1

/** What the tree of pages shows of a file. */
export interface PageFacts {
  attributes: PageAttributes
  /** Where the body begins, in UTF-16 units of the decoded file. */
  bodyStart: number
  /** Without the name of the file, since several files may have the same content. */
  diagnostics: readonly Omit<Diagnostic, 'file'>[]
  /** Why the body is not parsed, as a sentence that begins with "It"; null if it is. */
  limit: string | null
}

/** All facts of one content. */
export interface FileFacts {
  page: PageFacts
  references: readonly Reference[]
}

/** Makes the facts of a file of at most `MAX_TEXT_BYTES`. */
export function makeFacts(file: Uint8Array): FileFacts {
  const { attributes, bodyStart, diagnostics, markdown } = readPage(decodeText(file), '')
  const limit = markdown.length < MAY_BE_HEAVY ? null : pageLimit(markdown)
  return {
    page: { attributes, bodyStart, diagnostics: diagnostics.map(({ file: _, ...one }) => one), limit },
    references: findReferences(markdown),
  }
}

/**
 * The facts of several files as lines of JSON: two for each.
 * @param lengths the files' lengths in bytes, as a JSON list
 * @param bytes the files, one after the other
 */
export function factLines(lengths: string, bytes: Uint8Array): string {
  const lines: string[] = []
  let from = 0
  for (const length of JSON.parse(lengths) as number[]) {
    const { page, references } = makeFacts(bytes.subarray(from, (from += length)))
    lines.push(JSON.stringify(page), JSON.stringify(references))
  }
  return lines.join('\n')
}
