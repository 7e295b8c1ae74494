/** Finds characters that no font has: they are not seen in a PDF, and their text cannot be found in it either. */
import { execFileSync } from 'node:child_process'
import { isShipped } from './fonts.js'

/** Most characters that are asked of the system, and named in the result. */
const MAX_ASKED = 400
const MAX_NAMED = 200
/** Controls, joiners, blanks, and marks, which are part of the character before. */
const INVISIBLE = /[\p{C}\p{Z}\p{M}]/u

/** Characters of the text for which neither a shipped font nor one of the system has a glyph. */
export function missingGlyphs(characters: Iterable<string>): string[] {
  const asked = [...new Set(characters)].filter((one) => !INVISIBLE.test(one) && !isShipped(one))
  return asked
    .slice(0, MAX_ASKED)
    .filter((one) => !systemHas(one.codePointAt(0) as number))
    .slice(0, MAX_NAMED)
}

/** Asks fontconfig. Without it, Chromium finds no fonts of the system either. */
function systemHas(codePoint: number): boolean {
  try {
    return (
      execFileSync('fc-list', [`:charset=${codePoint.toString(16)}`, 'family'], {
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: 10_000,
      }).length > 0
    )
  } catch {
    return false
  }
}
