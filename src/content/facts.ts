/**
 * The facts about a markdown file that depend only on its content. They are computed once per content and stored in an
 * index.
 */
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

/** Increases if the facts of a file change. An index of another version is dropped. */
export const FACTS_VERSION = 10

/** The facts that the page tree shows. */
export interface PageFacts {
  attributes: PageAttributes
  /** The start of the body, in UTF-16 units of the decoded file. */
  bodyStart: number
  /** The diagnostics without the file's name, because several files may have the same content. */
  diagnostics: readonly Omit<Diagnostic, 'file'>[]
  /** The reason why the body is not parsed, as a sentence that starts with "It"; null if it is parsed. */
  limit: string | null
  /** See `PageSource`. */
  doubtful?: true
  /**
   * Whether the page has blocks that only some visitors see. Values that are derived from its text must not be shown to
   * all.
   */
  conditional?: true
}

/**
 * Matches the start of a block with a condition. Also matches in code, because excluding code would require a parse.
 */
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

/** Computes the facts of a file of at most `MAX_TEXT_BYTES`. */
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
 * Returns the facts of several files as lines of JSON, one line for each kind of facts.
 * @param lengths the files' lengths in bytes, as a JSON list
 * @param bytes the files, one after the other
 */
export function factLines(lengths: string, bytes: Uint8Array): string {
  const lines: string[] = []
  let from = 0
  const each: number[] = JSON.parse(lengths)
  for (const length of each) {
    const facts = makeFacts(bytes.subarray(from, (from += length)))
    for (const kind of FACT_KINDS) lines.push(JSON.stringify(facts[kind]))
  }
  return lines.join('\n')
}
