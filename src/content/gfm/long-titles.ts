/** Detects link titles with very many lines. They take the native parser quadratic time. */

/** Maximum number of lines in one title. The native parser takes 2 ms for such a title. */
const MAX_LINES = 1_000
/** The characters that open a title, after white space, and that close it unless a backslash precedes them. */
const TITLES = [
  { opening: /\s"/g, closing: /(?<!\\)"/g },
  { opening: /\s'/g, closing: /(?<!\\)'/g },
  { opening: /\s\(/g, closing: /(?<!\\)\)/g },
]

/**
 * Whether a link may have a title of more than `MAX_LINES` lines. Takes linear time, because the passages that are
 * examined do not overlap.
 */
export function hasLongTitle(text: string): boolean {
  return (
    hasManyLines(text) && text.includes('](') && TITLES.some(({ opening, closing }) => hasLong(text, opening, closing))
  )
}

function hasManyLines(text: string): boolean {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) if (++lines > MAX_LINES) return true
  return false
}

function hasLong(text: string, opening: RegExp, closing: RegExp): boolean {
  const blank = /\n[ \t\r]*\n/g
  let paragraphEnd = -1
  opening.lastIndex = 0
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const from = found.index + 2
    if (paragraphEnd < from) paragraphEnd = findFrom(text, blank, from)
    const end = Math.min(paragraphEnd, findFrom(text, closing, from))
    let lines = 0
    for (let at = text.indexOf('\n', from); at >= 0 && at < end; at = text.indexOf('\n', at + 1))
      if (++lines > MAX_LINES) return true
    opening.lastIndex = Math.max(from - 1, end - 1)
  }
  return false
}

/** Returns the next match of a pattern; the end of the text if there is none. */
function findFrom(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}
