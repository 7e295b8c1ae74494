/** Parses the JSON and YAML of specifications, with limits for nesting, aliases and values. */
import { asError } from '../kernel/thrown.js'
import { parseYaml } from '@redocly/openapi-core'
import { isEndlessChain, MAX_HOPS } from './values.js'
import { ownMember } from '../kernel/guards.js'

/** Maximum nesting of lists and maps. It is far more than specifications need, and small enough for recursive code. */
const MAX_NESTING = 100
/** Maximum number of values, with aliases expanded. A specification of 10 MiB without aliases has fewer. */
const MAX_VALUES = 3_000_000
const MAX_ALIASES = 100_000
const TOO_DEEP = `It cannot be read: its lists and objects are nested more than ${MAX_NESTING} levels deep. Name the inner schemas and refer to them`

/**
 * Thrown if a text cannot be parsed or exceeds a limit. The message is a sentence without its period; line and column
 * are 1-based and present if known.
 */
export class ParseFailure extends Error {
  override name = 'ParseFailure'
  constructor(
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message)
  }
}

/** Parses a JSON or YAML text. Throws `ParseFailure`. */
export function parseText(text: string): unknown {
  const value = parseJson(text) ?? readYaml(text)
  measure(value, new Map(), 0)
  checkReferences(value)
  return value
}

/** Throws if a chain of references is too long or circular. The library resolves each chain from its start. */
function checkReferences(document: unknown): void {
  const seen = new Set<object>()
  const left: unknown[] = [document]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one !== 'object' || one === null || seen.has(one)) continue
    seen.add(one)
    if (isEndlessChain(document, one))
      throw new ParseFailure(
        `It cannot be read: the reference ${String(ownMember(one, '$ref')).slice(0, 200)} is circular, or starts a chain of more than ${MAX_HOPS} references`,
      )
    for (const value of Object.values(one)) left.push(value)
  }
}

/**
 * Returns undefined if the text is not JSON. The YAML parser, which also accepts JSON, then reports the position of the
 * error.
 */
function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readYaml(text: string): unknown {
  try {
    return parseYaml(text, { maxDepth: MAX_NESTING, maxAliases: MAX_ALIASES })
  } catch (thrown) {
    const { reason, message, mark }: Error & { reason?: string; mark?: { line: number; column: number } } =
      asError(thrown)
    const why = reason ?? message.split('\n')[0] ?? 'it cannot be read'
    throw new ParseFailure(
      why.includes('maxDepth') ? TOO_DEEP : `This is not valid JSON or YAML: ${why}`,
      mark && mark.line + 1,
      mark && mark.column + 1,
    )
  }
}

interface Size {
  values: number
  height: number
}

/**
 * Counts values with aliases expanded. Throws for too many values, for too much nesting, and for a value that contains
 * itself.
 */
function measure(value: unknown, known: Map<object, Size | null>, depth: number): Size {
  if (typeof value !== 'object' || value === null) return { values: 1, height: 0 }
  const before = known.get(value)
  if (before === null) throw new ParseFailure('It cannot be read: an alias contains itself')
  if (before && before.height + depth <= MAX_NESTING) return before
  if (depth > MAX_NESTING) throw new ParseFailure(TOO_DEEP)
  known.set(value, null)
  const size = { values: 1, height: 0 }
  for (const one of Object.values(value)) {
    const inner = measure(one, known, depth + 1)
    size.values += inner.values
    size.height = Math.max(size.height, inner.height + 1)
    if (size.values > MAX_VALUES)
      throw new ParseFailure(
        `It cannot be read: it has more than ${MAX_VALUES} values, counted with its aliases expanded`,
      )
  }
  known.set(value, size)
  return size
}
