/** Finds characters that no font contains. They are invisible in a PDF and cannot be found by searching. */
import { required } from '../kernel/defined.js'
import { execFileSync } from 'node:child_process'
import { isInBundledFont } from './fonts.js'

/** Maximum number of characters that are looked up in the system, and listed in the result. */
const MAX_LOOKUPS = 400
const MAX_LISTED = 200
/** Controls, joiners, white space, and marks, which belong to the preceding character. */
const INVISIBLE = /[\p{C}\p{Z}\p{M}]/u

/** Returns the characters of a text for which no bundled or system font has a glyph. */
export function missingGlyphs(characters: Iterable<string>): string[] {
  const asked = [...new Set(characters)].filter((one) => !INVISIBLE.test(one) && !isInBundledFont(one))
  return asked
    .slice(0, MAX_LOOKUPS)
    .filter((one) => !systemHas(required(one.codePointAt(0))))
    .slice(0, MAX_LISTED)
}

/** Queries fontconfig. Without it, Chromium does not find system fonts either. */
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
