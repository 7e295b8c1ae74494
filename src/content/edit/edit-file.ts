/** Edits the text of one markdown file: body, first heading and front matter. */
import { DocumentError, DocumentTooLarge } from '../blocks/document-error.js'
import { printDocument } from '../blocks/print.js'
import { readPage } from '../front-matter.js'
import { decodeText, encodeText, encodingOf } from '../text.js'
import { firstHeading, setFirstHeading } from '../title.js'
import type { Outcome } from '../types.js'
import type { FileEdit, FileOutcome } from '../work/text-work.js'
import { findFrontMatterBlock, replaceBody, setFrontMatter } from './front-matter.js'
import { keepLineEnds } from './line-ends.js'
import { readYamlMap, YamlEditError } from './yaml.js'

/**
 * Edits a markdown file: first its body, then its first heading (if it is the old title), then its front matter.
 * Everything else keeps its bytes, encoding and line ends. Time and memory grow with the size of the file.
 */
export function editFile(file: Uint8Array, { document, title, members, set }: FileEdit): FileOutcome {
  const before = decodeText(file)
  let text = before
  if (document) {
    const given =
      'markdown' in document ? { done: replaceBody(text, document.markdown) } : withTree(text, document.document)
    if (!('done' in given))
      return { ...given, refused: `The block tree cannot be written: ${given.refused}`, member: 'document' }
    text = given.done
  }
  if (title && firstHeading(text)?.title === title.before) text = setFirstHeading(text, title.after)
  const given = document && 'markdown' in document ? document.markdown : undefined
  for (const [wanted, except] of [[set, undefined] as const, [members, given] as const]) {
    const edited = setMembers(text, wanted ?? {}, except)
    if (!('done' in edited)) return { refused: `The front matter cannot be edited: ${edited.refused}` }
    text = edited.done
  }
  if (text === before) return { done: file }
  return { done: encodeText(keepLineEnds(before, text), encodingOf(file)) }
}

/** Replaces a text's body with a block tree. If the tree was parsed from that body, unchanged parts keep their bytes. */
function withTree(text: string, document: object): Outcome<string> {
  const at = readPage(text, '').bodyStart
  const eol = at > 0 && !/[\r\n]$/.test(text.slice(at - 1, at)) ? '\n' : ''
  const printed = print(document, text.slice(at))
  return 'done' in printed ? { done: text.slice(0, at) + eol + printed.done } : printed
}

/** Prints a block tree as markdown. If it cannot be printed, the outcome contains the reason. */
export function print(document: object, present?: string): Outcome<string> {
  try {
    return { done: printDocument(document, present) }
  } catch (error) {
    if (error instanceof DocumentTooLarge) return { refused: error.message, tooLarge: true }
    if (error instanceof DocumentError) return { refused: error.message }
    throw error
  }
}

/** Sets keys of a text's front matter (null removes one), except those in the front matter of `given`. */
export function setMembers(text: string, members: Readonly<Record<string, unknown>>, given?: string): Outcome<string> {
  const wanted = Object.entries(members)
  if (wanted.length === 0) return { done: text }
  const except = given === undefined ? {} : frontMatterOf(given)
  const present = wanted.some(([key, value]) => isDefault(key, value)) ? frontMatterOf(text) : {}
  const changes = wanted.flatMap(([key, value]) => {
    if (Object.hasOwn(except, key) || (isDefault(key, value) && present[key] === value)) return []
    return [[key, isDefault(key, value) ? undefined : (value ?? undefined)] as const]
  })
  return changes.length === 0 ? { done: text } : edited(() => setFrontMatter(text, Object.fromEntries(changes)))
}

/** Runs an edit of YAML. If the edit fails, the outcome contains the reason. */
export function edited(edit: () => string): Outcome<string> {
  try {
    return { done: edit() }
  } catch (error) {
    if (error instanceof YamlEditError) return { refused: error.message }
    throw error
  }
}

const FLAGS: ReadonlySet<string> = new Set(['hidden', 'noIndex', 'noRobotsIndex'])

/**
 * Whether a value is the default of a key. Such a value is not written, so that setting and unsetting a flag leaves no
 * trace.
 */
const isDefault = (key: string, value: unknown): boolean => value === false && FLAGS.has(key)

/** Returns the front matter of a text; empty if it is missing or cannot be read. */
function frontMatterOf(text: string): Readonly<Record<string, unknown>> {
  const block = findFrontMatterBlock(text)
  if (!block) return {}
  try {
    return readYamlMap(text.slice(block.yamlStart, block.yamlEnd))
  } catch {
    return {}
  }
}
