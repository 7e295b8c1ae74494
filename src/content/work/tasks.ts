import { parseDocument, SCHEMA_VERSION } from '../blocks/parse.js'
import { limitOf, verbatimDocument } from '../blocks/verbatim.js'
import { readPage } from '../front-matter.js'
import { parseSummary } from '../summary/parse.js'
import { decodeText } from '../text.js'
import type { DocumentNode } from '../types.js'
import { direct } from './direct.js'
import { summaryLines } from './summary-rows.js'
import { type FileOutcome, TextTooCostly } from './text-work.js'
import { decodeArguments, encodeOutcome, FILE_TASKS } from './wire.js'

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
const TEXTS = new Set(['print', 'setMembers', 'setYaml', 'changeSummary', 'keepLineEnds', 'mergePage', 'mergeSummary', 'mergeYaml'])

function facts(name: string, value: unknown): string {
  const made = JSON.stringify(value)
  if (made.length > MAX_FACTS && !TEXTS.has(name)) throw new TextTooCostly(`It says more than is kept of one file (${MAX_FACTS} bytes).`)
  return made
}

/** Each knows which of its arguments are texts and which are files (a method's type, for that reason). */
type Task = { run(...args: (string | Uint8Array)[]): string | Uint8Array }['run']

const named = Object.entries(direct).map(([name, task]): [string, Task] => [
  name,
  (...args) => {
    const made = (task as (...all: unknown[]) => unknown)(...decodeArguments(name, args))
    return FILE_TASKS.has(name) ? encodeOutcome(made as FileOutcome) : facts(name, made)
  },
])

const bodyOf = (file: Uint8Array): string => readPage(decodeText(file), '').markdown

/** What a pool of threads is given to do: texts and files in, text or a file out. */
export const tasks: Readonly<Record<string, Task>> = {
  ...Object.fromEntries(named),
  summary: (text: string) => summaryLines(parseSummary(text)),
  document: (markdown: string) => answerOf(parseDocument(markdown)),
  /** The answer for a page that is not taken apart. */
  verbatim: (markdown: string, limit: string) => answerOf(verbatimDocument(markdown, limit, SCHEMA_VERSION)),
  /** A text as a JSON string. */
  quote: (text: string) => JSON.stringify(text),
  /** The two answers for a page that is too large to be held as a text. */
  verbatimFile: (file: Uint8Array, limit: string) => answerOf(verbatimDocument(bodyOf(file), limit, SCHEMA_VERSION)),
  quoteFile: (file: Uint8Array) => JSON.stringify(bodyOf(file)),
}
