import { DocumentError, DocumentTooLarge } from '../blocks/document-error.js'
import { printDocument } from '../blocks/print.js'
import { readPage } from '../front-matter.js'
import { decodeText, encodeText, encodingOf } from '../text.js'
import { firstHeading, setFirstHeading } from '../title.js'
import type { DocumentNode, Outcome } from '../types.js'
import type { FileEdit, FileOutcome } from '../work/text-work.js'
import { findFrontMatter, replaceBody, setFrontMatter } from './front-matter.js'
import { keepLineEnds } from './line-ends.js'
import { readYamlMap, YamlEditError } from './yaml.js'

/**
 * A markdown file with an edit made: its text first, then the title in its first heading (where that says the title until
 * now), then its front matter. All else keeps its bytes, its encoding and its line ends. Time and memory grow with the file.
 */
export function editFile(file: Uint8Array, { document, title, members, set }: FileEdit): FileOutcome {
  const before = decodeText(file)
  let text = before
  if (document) {
    const given = 'markdown' in document ? { done: replaceBody(text, document.markdown) } : withTree(text, document.document)
    if (!('done' in given)) return { ...given, refused: `The block tree cannot be written: ${given.refused}`, member: 'document' }
    text = given.done
  }
  if (title && firstHeading(text)?.title === title.before) text = setFirstHeading(text, title.after)
  const said = document && 'markdown' in document ? document.markdown : undefined
  for (const [wanted, yields] of [[set, undefined] as const, [members, said] as const]) {
    const edited = setMembers(text, wanted ?? {}, yields)
    if (!('done' in edited)) return { refused: `The front matter cannot be edited: ${edited.refused}` }
    text = edited.done
  }
  if (text === before) return { done: file }
  return { done: encodeText(keepLineEnds(before, text), encodingOf(file)) }
}

/** The text with a block tree in place of its body. A tree that was read from that body keeps the bytes of what it does not change. */
function withTree(text: string, document: DocumentNode): Outcome<string> {
  const at = readPage(text, '').bodyStart
  const eol = at > 0 && !/[\r\n]$/.test(text.slice(at - 1, at)) ? '\n' : ''
  const printed = print(document, text.slice(at))
  return 'done' in printed ? { done: text.slice(0, at) + eol + printed.done } : printed
}

/** A block tree as markdown; what cannot be written is told, with its reason. */
export function print(document: DocumentNode, present?: string): Outcome<string> {
  try {
    return { done: printDocument(document, present) }
  } catch (error) {
    if (error instanceof DocumentTooLarge) return { refused: error.message, tooLarge: true }
    if (error instanceof DocumentError) return { refused: error.message }
    throw error
  }
}

/** The text with keys of its front matter set (null removes one), but for those that the markdown `given` says itself. */
export function setMembers(text: string, members: Readonly<Record<string, unknown>>, given?: string): Outcome<string> {
  const said = given === undefined ? new Set<string>() : keysOf(given)
  const changes = Object.entries(members).flatMap(([key, value]) => (said.has(key) ? [] : [[key, value ?? undefined] as const]))
  return changes.length === 0 ? { done: text } : edited(() => setFrontMatter(text, Object.fromEntries(changes)))
}

/** What an edit of YAML comes to, or why it cannot be made. */
export function edited(edit: () => string): Outcome<string> {
  try {
    return { done: edit() }
  } catch (error) {
    if (error instanceof YamlEditError) return { refused: error.message }
    throw error
  }
}

function keysOf(markdown: string): Set<string> {
  const block = findFrontMatter(markdown)
  if (!block) return new Set()
  try {
    return new Set(Object.keys(readYamlMap(markdown.slice(block.yamlStart, block.yamlEnd))))
  } catch {
    return new Set()
  }
}
