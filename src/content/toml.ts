/** Parses TOML from untrusted sources. */
import { parse, TomlError } from 'smol-toml'
import { plain } from './plain.js'
import type { LineColumn } from './yaml-entry.js'

/** Maximum length of a TOML text that is parsed, in characters. */
const MAX_TOML_LENGTH = 256 * 1024
/**
 * Maximum number of lists and inline tables that are open at the same time. `plain` limits the nesting of dotted keys.
 */
const MAX_DEPTH = 32

export type TomlResult =
  | { ok: true; value: Record<string, unknown> }
  | { ok: false; message: string; position: LineColumn }

/** Parses TOML within limits for size, nesting and values. Never throws. */
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
