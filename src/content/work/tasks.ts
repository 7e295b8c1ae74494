import { parseDocument, SCHEMA_VERSION } from '../blocks/parse.js'
import { limitOf, verbatimDocument } from '../blocks/verbatim.js'
import type { DocumentNode } from '../types.js'
import { direct } from './direct.js'
import { decodeArguments } from './wire.js'

/**
 * A page's block tree as it stands in an answer: a first line of JSON with what is to be known of it (`limit`, or null), then
 * the tree's own JSON, which nobody has to read before it is sent.
 */
function answerOf(tree: DocumentNode): string {
  return `${JSON.stringify({ limit: limitOf(tree) })}\n${JSON.stringify(tree)}`
}

const json = Object.entries(direct).map(([name, task]) => [
  name,
  (...args: string[]): string => JSON.stringify((task as (...all: unknown[]) => unknown)(...decodeArguments(name, args))),
])

/** What a pool of threads is given to do: texts in, text out. */
export const tasks: Readonly<Record<string, (...args: string[]) => string>> = {
  ...Object.fromEntries(json),
  document: (markdown) => answerOf(parseDocument(markdown ?? '')),
  /** The answer for a page that is not taken apart. */
  verbatim: (markdown, limit) => answerOf(verbatimDocument(markdown ?? '', limit ?? '', SCHEMA_VERSION)),
  /** A text as a JSON string. */
  quote: (text) => JSON.stringify(text),
}
