/** Reads YAML of the simplest form, of which most front matter consists: lines of `key: words`. It takes a twentieth of the parser's time. */
import type { YamlEntry } from './yaml-entry.js'

/** A key and a value that begins with a letter, in which no character means anything to YAML. */
const LINE = /^([A-Za-z][\w-]{0,63}): (\p{L}(?:[\p{L}\p{N} ,.()'/_-]*[\p{L}\p{N},.()'/_-])?)$/u
/** What is no string although it looks like one. */
const WORDS = /^(?:null|true|false)$/i

/** The entries of the map; null if only the parser can read the text. What is returned is what the parser makes of it. */
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
