/** Reads TOML that anybody may have written. */
import { parse, TomlError } from 'smol-toml'
import { plain } from './plain.js'
import type { LineColumn } from './yaml-entry.js'

/** Longest TOML text, in characters, that is parsed. */
const MAX_TOML_LENGTH = 256 * 1024
/** Lists and inline tables that may be open at the same time. What dotted keys nest is bounded by `plain`. */
const MAX_DEPTH = 32

export type TomlResult =
  | { ok: true; value: Record<string, unknown> }
  | { ok: false; message: string; position: LineColumn }

/** Parses TOML within bounds of size, nesting and values; never throws. */
export function readToml(text: string): TomlResult {
  const invalid = (message: string, line = 1, column = 1): TomlResult => ({
    ok: false,
    message,
    position: { line, column },
  })
  if (text.length > MAX_TOML_LENGTH) return invalid(`it is longer than ${MAX_TOML_LENGTH} characters`)
  try {
    const value = parse(text.replace(/^\ufeff/, ''), { maxDepth: MAX_DEPTH, integersAsBigInt: 'asNeeded' })
    return { ok: true, value: plain(value) as Record<string, unknown> }
  } catch (thrown) {
    if (thrown instanceof TomlError)
      return invalid(messageOf(thrown).replace(/^Invalid TOML document: /, ''), thrown.line, thrown.column)
    return invalid(thrown instanceof RangeError ? 'it is nested too deeply' : messageOf(thrown))
  }
}

const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? ''
