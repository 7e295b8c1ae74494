/** The text tasks by name, for the thread pool. Each takes texts or files and returns one. */
import { parseDocument, SCHEMA_VERSION } from '../blocks/parse.js'
import { printPart, printSpecPage } from '../specs/print-parts.js'
import { limitOf, verbatimDocument } from '../blocks/verbatim.js'
import { factLines } from '../facts.js'
import { readPage } from '../front-matter.js'
import { parseSummary } from '../summary/parse.js'
import { decodeText } from '../text.js'
import type { DocumentNode } from '../types.js'
import { direct } from './direct.js'
import { summaryLines } from './summary-rows.js'
import { type FileOutcome, TextTooCostly } from './text-work.js'
import { decodeArguments, encodeOutcome, FILE_TASKS } from './wire.js'

/**
 * Returns a page's block tree in the form for clients: a line of JSON with its `limit` (or null), then the JSON of the
 * tree, which the service can send without parsing it.
 */
function treeLines(tree: DocumentNode): string {
  return `${JSON.stringify({ limit: limitOf(tree) })}\n${JSON.stringify(tree)}`
}

/** Maximum length of a JSON result that is not a text, because the service parses it on its main thread. */
const MAX_JSON = 4 * 1024 * 1024
/** Tasks whose result is a text. Its JSON is quick to parse, whatever its length. */
const TEXTS = new Set([
  'print',
  'setMembers',
  'setYaml',
  'changeSummary',
  'keepLineEnds',
  'mergePage',
  'mergeSummary',
  'mergeYaml',
  'pageNeeds',
  'weavePage',
])

function jsonOf(name: string, value: unknown): string {
  const json = JSON.stringify(value)
  if (json.length > MAX_JSON && !TEXTS.has(name))
    throw new TextTooCostly(`It has too many parts: they take more than ${MAX_JSON} bytes as JSON.`)
  return json
}

/** Declared as a method, so that a task may declare which of its arguments are texts and which are files. */
type Task = { run(...args: (string | Uint8Array)[]): string | Uint8Array }['run']

const named = Object.entries(direct).map(([name, task]): [string, Task] => [
  name,
  (...args) => {
    const result = (task as (...all: unknown[]) => unknown)(...decodeArguments(name, args))
    return FILE_TASKS.has(name) ? encodeOutcome(result as FileOutcome) : jsonOf(name, result)
  },
])

const bodyOf = (file: Uint8Array): string => readPage(decodeText(file), '').markdown

/** The tasks for the thread pool: texts and files in, a text or a file out. */
export const tasks: Readonly<Record<string, Task>> = {
  ...Object.fromEntries(named),
  summary: (text: string) => summaryLines(parseSummary(text)),
  facts: factLines,
  document: (markdown: string) => treeLines(parseDocument(markdown)),
  /** Returns the block tree of a page that exceeds a limit. */
  verbatim: (markdown: string, limit: string) => treeLines(verbatimDocument(markdown, limit, SCHEMA_VERSION)),
  /** Prints a part of a specification (as JSON), or a page with several parts, as markdown. */
  specPart: (part: string) => printPart(JSON.parse(part)),
  specPage: (page: string) => printSpecPage(JSON.parse(page)),
  /** Returns a text as a JSON string. */
  quote: (text: string) => JSON.stringify(text),
  /** The same two tasks for a page that is too large to be held as a string. */
  verbatimFile: (file: Uint8Array, limit: string) => treeLines(verbatimDocument(bodyOf(file), limit, SCHEMA_VERSION)),
  quoteFile: (file: Uint8Array) => JSON.stringify(bodyOf(file)),
}
