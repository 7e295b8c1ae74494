/** What is known of a markdown file by its content alone. Made once per content, and kept in an index. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { MAY_BE_HEAVY, pageLimit } from './blocks/weight.js'
import { findReferences } from './find-references.js'
import { readPage } from './front-matter.js'
import { parseWhole, type Whole } from './gfm/scan-natively.js'
import { emptyOutline, type Outline, readOutline, type Section } from './outline/outline.js'
import type { Reference } from './reference.js'
import { decodeText } from './text.js'
import { firstHeading } from './title.js'
import type { PageAttributes } from './types.js'

/** Increases if other facts are made of the same file: an index of another version is dropped. */
export const FACTS_VERSION = 7

/** What the tree of pages shows of a file. */
export interface PageFacts {
  attributes: PageAttributes
  /** Where the body begins, in UTF-16 units of the decoded file. */
  bodyStart: number
  /** Without the name of the file, since several files may have the same content. */
  diagnostics: readonly Omit<Diagnostic, 'file'>[]
  /** Why the body is not parsed, as a sentence that begins with "It"; null if it is. */
  limit: string | null
  /** As in `PageSource`. */
  doubtful?: true
  /** It has blocks that only some visitors see: what is derived from its text must not be shown to all. */
  conditional?: true
}

/** Where a block with a condition may begin; also in code, since it costs a parse to know better. */
const CONDITIONAL_BLOCK = /\{%-?\s*if\b/

/** All facts of one content. */
export interface FileFacts {
  page: PageFacts
  references: readonly Reference[]
  outline: Outline
  sections: readonly Section[]
}

/** The kinds of facts, in the order of their lines. */
export const FACT_KINDS = ['page', 'references', 'outline', 'sections'] as const satisfies readonly (keyof FileFacts)[]

/** Makes the facts of a file of at most `MAX_TEXT_BYTES`. */
export function makeFacts(file: Uint8Array): FileFacts {
  const text = decodeText(file)
  const { attributes, bodyStart, diagnostics, markdown, doubtful } = readPage(text, '')
  const limit = markdown.length < MAY_BE_HEAVY ? null : pageLimit(markdown)
  let tree: Whole | null | undefined
  const parsed = (): Whole | null => (tree === undefined ? (tree = parseWhole(markdown)) : tree)
  const title = firstHeading(text)?.title || (attributes.title ?? '')
  return {
    page: {
      ...{ attributes, bodyStart, diagnostics: diagnostics.map(({ file: _, ...one }) => one), limit },
      ...(doubtful ? { doubtful } : {}),
      ...(CONDITIONAL_BLOCK.test(markdown) ? { conditional: true } : {}),
    },
    references: findReferences(markdown, parsed),
    ...(limit === null ? readOutline(markdown, title, parsed()) : { outline: emptyOutline(title), sections: [] }),
  }
}

/**
 * The facts of several files as lines of JSON: one for each of their kinds.
 * @param lengths the files' lengths in bytes, as a JSON list
 * @param bytes the files, one after the other
 */
export function factLines(lengths: string, bytes: Uint8Array): string {
  const lines: string[] = []
  let from = 0
  for (const length of JSON.parse(lengths) as number[]) {
    const facts = makeFacts(bytes.subarray(from, (from += length)))
    for (const kind of FACT_KINDS) lines.push(JSON.stringify(facts[kind]))
  }
  return lines.join('\n')
}
