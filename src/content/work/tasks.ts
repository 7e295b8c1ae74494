/** The work on texts as named tasks for the pool of threads: each takes texts or files and returns one. */
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
 * A page's block tree as it is sent to clients: a line of JSON with its `limit` (or null), then the tree's own JSON, which the
 * service can send without parsing it.
 */
function treeLines(tree: DocumentNode): string {
  return `${JSON.stringify({ limit: limitOf(tree) })}\n${JSON.stringify(tree)}`
}

/** Longest JSON of a result that is not a text, since the service parses it on its main thread. */
const MAX_JSON = 4 * 1024 * 1024
/** Tasks whose result is a text: its JSON is parsed quickly, however long it is. */
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

/** Declared as a method, so that a task may say which of its arguments are texts and which are files. */
type Task = { run(...args: (string | Uint8Array)[]): string | Uint8Array }['run']

const named = Object.entries(direct).map(([name, task]): [string, Task] => [
  name,
  (...args) => {
    const made = (task as (...all: unknown[]) => unknown)(...decodeArguments(name, args))
    return FILE_TASKS.has(name) ? encodeOutcome(made as FileOutcome) : jsonOf(name, made)
  },
])

const bodyOf = (file: Uint8Array): string => readPage(decodeText(file), '').markdown

/** The table of tasks for the pool of threads: texts and files in, a text or a file out. */
export const tasks: Readonly<Record<string, Task>> = {
  ...Object.fromEntries(named),
  summary: (text: string) => summaryLines(parseSummary(text)),
  facts: factLines,
  document: (markdown: string) => treeLines(parseDocument(markdown)),
  /** The block tree of a page that is beyond a limit. */
  verbatim: (markdown: string, limit: string) => treeLines(verbatimDocument(markdown, limit, SCHEMA_VERSION)),
  /** A part of a specification (as JSON), and a page of several, as markdown. */
  specPart: (part: string) => printPart(JSON.parse(part)),
  specPage: (page: string) => printSpecPage(JSON.parse(page)),
  /** A text as a JSON string. */
  quote: (text: string) => JSON.stringify(text),
  /** The same two for a page that is too large to be held as a string. */
  verbatimFile: (file: Uint8Array, limit: string) => treeLines(verbatimDocument(bodyOf(file), limit, SCHEMA_VERSION)),
  quoteFile: (file: Uint8Array) => JSON.stringify(bodyOf(file)),
}
