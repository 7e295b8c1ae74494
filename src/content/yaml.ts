// Parses YAML within limits for length, depth and aliases.
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { plain } from './plain.js'
import { withoutZeroWidth } from './text.js'
import { checkNesting } from './yaml-depth.js'
import type { LineColumn, YamlEntry } from './yaml-entry.js'
import { ownMember } from '../kernel/guards.js'

/** Matches a key and a value that starts with a letter and contains no character with a meaning in YAML. */
const LINE = /^([A-Za-z][\w-]{0,63}): (\p{L}(?:[\p{L}\p{N} ,.()'/_-]*[\p{L}\p{N},.()'/_-])?)$/u
/** Plain scalars that YAML does not read as strings. */
const WORDS = /^(?:null|true|false)$/i

/** Returns the entries of the map; null if the text needs the full parser. The result equals that of the parser. */
export function readPlainYaml(text: string): YamlEntry[] | null {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const found = new Map<string, YamlEntry>()
  for (const [index, one] of lines.entries()) {
    const [, key, value] = LINE.exec(one) ?? []
    if (key === undefined || value === undefined || WORDS.test(value)) return null
    found.set(key, { key, value, text: value, position: { line: index + 1, column: 1 } })
  }
  return found.size === 0 ? null : [...found.values()]
}

/** Maximum length of a YAML text that is parsed, in characters. */
export const MAX_YAML_LENGTH = 256 * 1024
const MAX_ALIASES = 50

export type YamlResult =
  | {
      ok: true
      /** The top-level map's entries; empty for an empty text; null if the text is a scalar or list. */
      entries: YamlEntry[] | null
      value: unknown
    }
  | { ok: false; message: string; position: LineColumn }

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')

function entriesOf(document: Document, counter: LineCounter, value: unknown): YamlEntry[] | null {
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) return []
  if (!isMap(document.contents)) return null
  const found = new Map<string, YamlEntry>()
  for (const { key: keyNode, value: valueNode } of document.contents.items) {
    const key = withoutZeroWidth(String(isScalar(keyNode) ? keyNode.value : keyNode)).trim()
    if (key === '__proto__') continue
    const { line, col } = counter.linePos((isScalar(keyNode) && keyNode.range?.[0]) || 0)
    const text = !isScalar(valueNode)
      ? null
      : typeof valueNode.value === 'string'
        ? valueNode.value
        : (valueNode.source ?? String(valueNode.value ?? ''))
    const own = ownMember(value, key)
    // An alias is not a scalar node, but it may refer to one.
    found.set(key, {
      key,
      value: own,
      text: text ?? (own !== null && typeof own !== 'object' ? String(own) : null),
      position: { line, column: col },
    })
  }
  return [...found.values()]
}

/**
 * Runs work without stack traces. An invalid text may have tens of thousands of errors, and collecting their stacks
 * would take most of the time.
 */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function parse(text: string): YamlResult {
  checkNesting(text)
  const counter = new LineCounter()
  // Duplicate keys are accepted (the last one wins), because looking for them takes quadratic time. So do pretty
  // errors, each of which quotes its line.
  const options = {
    lineCounter: counter,
    uniqueKeys: false,
    stringKeys: true,
    logLevel: 'silent',
    prettyErrors: false,
  } as const
  const document = withoutStacks(() => parseDocument(text, options))
  const error = document.errors[0]
  if (error) {
    const { line, col } = counter.linePos(Math.max(0, error.pos[0]))
    return { ok: false, message: firstLine(error.message), position: { line, column: col } }
  }
  const value = plain(document.toJS({ maxAliasCount: MAX_ALIASES }))
  return { ok: true, entries: entriesOf(document, counter, value), value }
}

/**
 * Parses untrusted YAML within limits for size, nesting and aliases. Never throws. If zero-width characters make a text
 * invalid, it is read without them.
 */
export function readYaml(text: string, maxLength = MAX_YAML_LENGTH): YamlResult {
  if (text.length > maxLength)
    return { ok: false, message: `it is longer than ${maxLength} characters`, position: { line: 1, column: 1 } }
  const simple = readPlainYaml(text)
  if (simple !== null)
    return { ok: true, entries: simple, value: plain(Object.fromEntries(simple.map(({ key, value }) => [key, value]))) }
  const attempt = (source: string): YamlResult => {
    try {
      return parse(source)
    } catch (thrown) {
      const message =
        thrown instanceof RangeError
          ? 'it is nested too deeply'
          : firstLine(thrown instanceof Error ? thrown.message : String(thrown))
      return { ok: false, message, position: { line: 1, column: 1 } }
    }
  }
  const first = attempt(text)
  const cleaned = withoutZeroWidth(text)
  if (cleaned === text || (first.ok && first.entries !== null)) return first
  const second = attempt(cleaned)
  return second.ok ? second : first
}
