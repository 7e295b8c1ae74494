/** Finds and reads the YAML front matter at the top of a markdown page. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { readAttributes } from './page-attributes.js'
import type { PageSource } from './types.js'
import { MAX_YAML_LENGTH, readYaml } from './yaml.js'

const OPENING = /^(?:\ufeff|\u200b|\u200c|\u200d|\u2060)*---[ \t]*(?:\r\n|\n|\r)/
const CLOSING = /^---[ \t]*(?:\r\n|\n|\r|$)/

/**
 * Maximum length of front matter that is read, in characters. It is smaller than for a YAML file, because a space has
 * thousands of pages.
 */
export const MAX_FRONT_MATTER = 64 * 1024
/** Matches a possible `if` or `hidden` key in invalid YAML. */
const GATES = /\b(?:if|hidden)\b["']?\s*:/
/**
 * Maximum number of characters that are searched for the closing fence. It is larger than the limit for reading, so
 * that front matter that is too long is reported.
 */
const MAX_FENCED = 2 * MAX_YAML_LENGTH

/** Returns the offsets of the YAML between the fences, and of the body; null if the text has no front matter. */
export function findFrontMatter(text: string): { yamlStart: number; yamlEnd: number; bodyStart: number } | null {
  const opening = OPENING.exec(text.slice(0, 256))
  if (!opening) return null
  const yamlStart = opening[0].length
  for (let at = yamlStart; at < Math.min(text.length, MAX_FENCED); ) {
    if (text.startsWith('---', at)) {
      const blank = /[^ \t]|$/g
      blank.lastIndex = at + 3
      const end = blank.exec(text)?.index ?? text.length
      const closing = CLOSING.exec(`---${text.slice(end, end + 2)}`)
      if (closing) return { yamlStart, yamlEnd: at, bodyStart: end + closing[0].length - 3 }
    }
    const lineEnd = /\r\n|\n|\r/g
    lineEnd.lastIndex = at
    const next = lineEnd.exec(text)
    if (!next) return null
    at = next.index + next[0].length
  }
  return null
}

/**
 * Splits a markdown file into front matter and body. Never throws: front matter that is not valid YAML gives a
 * diagnostic and no attributes. If the text between the fences is not a map, the first `---` is a thematic break and
 * the whole text is the body. `file` is the path in diagnostics.
 */
export function readPage(text: string, file: string): PageSource {
  const whole: PageSource = { attributes: {}, markdown: text, bodyStart: 0, diagnostics: [] }
  const found = findFrontMatter(text)
  if (!found) return whole
  const diagnostics: Diagnostic[] = []
  const body = { markdown: text.slice(found.bodyStart), bodyStart: found.bodyStart, diagnostics }
  const yaml = readYaml(text.slice(found.yamlStart, found.yamlEnd), MAX_FRONT_MATTER)
  if (!yaml.ok) {
    // The opening fence is line 1 of the file.
    const { line, column } = yaml.position
    const message = `The front matter is not valid YAML (${yaml.message}), so it is ignored. Correct it there.`
    diagnostics.push({ code: 'invalid-front-matter', message, file, line: line + 1, column })
    const doubtful = GATES.test(text.slice(found.yamlStart, found.yamlEnd))
    return { attributes: {}, ...body, ...(doubtful ? { doubtful } : {}) }
  }
  if (yaml.entries === null) return whole
  const report = (message: string, line: number, column: number): void =>
    void diagnostics.push({ code: 'invalid-front-matter', message, file, line: line + 1, column })
  const attributes = readAttributes(yaml.entries, report)
  const given = (key: string): boolean =>
    yaml.entries?.some((entry) => entry.key === key && entry.value !== null && entry.value !== undefined) ?? false
  const doubtful =
    (given('if') && attributes.condition === undefined) || (given('hidden') && attributes.hidden === undefined)
  return { attributes, ...body, ...(doubtful ? { doubtful } : {}) }
}
