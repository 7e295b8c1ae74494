import { DocumentError, DocumentTooLarge } from '../blocks/document-error.js'
import { parseDocument } from '../blocks/parse.js'
import { placesOf } from '../blocks/places.js'
import { printDocument } from '../blocks/print.js'
import { pageLimit } from '../blocks/weight.js'
import { findFrontMatter, setFrontMatter } from '../edit/front-matter.js'
import { mergePage } from '../edit/merge-page.js'
import { mergeYaml } from '../edit/merge-yaml.js'
import { changeSummary } from '../edit/summary-change.js'
import { readYamlMap, setYamlKey, YamlEditError } from '../edit/yaml.js'
import { readPage } from '../front-matter.js'
import { codeSpans, findReferences } from '../links.js'
import { parseSummary } from '../summary/parse.js'
import { firstHeading, setFirstHeading } from '../title.js'
import { readYaml } from '../yaml.js'
import type { Outcome, TextTasks, TextWork } from './text-work.js'

/** The tasks, done here and now. */
export const direct: TextTasks = {
  page(text, file) {
    const { attributes, bodyStart, diagnostics } = readPage(text, file)
    return { attributes, bodyStart, diagnostics }
  },
  yaml: readYaml,
  summary: parseSummary,
  references: (markdown) => findReferences(markdown),
  codeSpans,
  places: (markdown) => placesOf(parseDocument(markdown)),
  limit: pageLimit,
  print(document, present) {
    try {
      return { done: printDocument(document, present) }
    } catch (error) {
      if (error instanceof DocumentTooLarge) return { refused: error.message, tooLarge: true }
      if (error instanceof DocumentError) return { refused: error.message }
      throw error
    }
  },
  setMembers(text, members, given) {
    const said = given === undefined ? new Set<string>() : keysOf(given)
    const changes = Object.entries(members).flatMap(([key, value]) => (said.has(key) ? [] : [[key, value ?? undefined] as const]))
    return changes.length === 0 ? { done: text } : edited(() => setFrontMatter(text, Object.fromEntries(changes)))
  },
  changeSummary,
  setYaml: (text, changes) => edited(() => Object.entries(changes).reduce((now, [key, value]) => setYamlKey(now, [key], value ?? undefined), text)),
  heading: (text) => firstHeading(text)?.title ?? null,
  setHeading: setFirstHeading,
  mergePage,
  mergeYaml,
}

function edited(edit: () => string): Outcome<string> {
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

/** Does the tasks where it is asked: for tools and tests that read what they trust. */
export const inPlace: TextWork = Object.fromEntries(
  Object.entries({ ...direct, pause: () => undefined }).map(([name, task]) => [
    name,
    async (...args: unknown[]) => (task as (...all: unknown[]) => unknown)(...args),
  ]),
) as unknown as TextWork
