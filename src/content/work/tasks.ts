import { parseDocument, SCHEMA_VERSION } from '../blocks/parse.js'
import { limitOf, verbatimDocument } from '../blocks/verbatim.js'
import { parseSummary } from '../summary/parse.js'
import type { DocumentNode } from '../types.js'
import { direct } from './direct.js'
import { summaryLines } from './summary-rows.js'
import { TextTooCostly } from './text-work.js'
import { decodeArguments } from './wire.js'

/**
 * A page's block tree as it stands in an answer: a first line of JSON with what is to be known of it (`limit`, or null), then
 * the tree's own JSON, which nobody has to read before it is sent.
 */
function answerOf(tree: DocumentNode): string {
  return `${JSON.stringify({ limit: limitOf(tree) })}\n${JSON.stringify(tree)}`
}

/** Facts are read by the service itself: more than these it does not read at once. */
const MAX_FACTS = 4 * 1024 * 1024
/** What answers texts, whose JSON is read in a moment however long they are. */
const TEXTS = new Set(['print', 'setMembers', 'setYaml', 'changeSummary', 'setHeading', 'mergePage', 'mergeYaml'])

function facts(name: string, value: unknown): string {
  const made = JSON.stringify(value)
  if (made.length > MAX_FACTS && !TEXTS.has(name)) throw new TextTooCostly(`It says more than is kept of one file (${MAX_FACTS} bytes).`)
  return made
}

const json = Object.entries(direct).map(([name, task]) => [
  name,
  (...args: string[]): string => facts(name, (task as (...all: unknown[]) => unknown)(...decodeArguments(name, args))),
])

/** What a pool of threads is given to do: texts in, text out. */
export const tasks: Readonly<Record<string, (...args: string[]) => string>> = {
  ...Object.fromEntries(json),
  summary: (text) => summaryLines(parseSummary(text ?? '')),
  document: (markdown) => answerOf(parseDocument(markdown ?? '')),
  /** The answer for a page that is not taken apart. */
  verbatim: (markdown, limit) => answerOf(verbatimDocument(markdown ?? '', limit ?? '', SCHEMA_VERSION)),
  /** A text as a JSON string. */
  quote: (text) => JSON.stringify(text),
}
