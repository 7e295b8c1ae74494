/** Characters after which a piece ends at the next place that allows it. */
const PIECE_LENGTH = 8 * 1024
/** Highest product of length and inline markers of one piece, and of all pieces together. */
const MAX_COST = 250_000_000
const MAX_TOTAL_COST = 2_000_000_000

const LINE = /[^\r\n]*(?:\r\n|\n|\r|$)/y
const FENCE = /^\s*(?:[-+*>]\s+|\d{1,9}[.)]\s+)*(`{3,}|~{3,})/
/** HTML that may hold blank lines: its end is looked for, like a fence's. */
const RAW_HTML: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
]
/** Containers in containers, on one line or by indentation. */
const TOO_DEEP = /^(?:[ \t]{0,8}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}|^[ \t]{200,}(?:[-+*>]|\d{1,9}[.)])[ \t]/m

/**
 * Parts a page where a blank line precedes a line that is not indented, outside fences, so that each piece means alone
 * what it means in the page. micromark's time grows with the square of a page's (and of a paragraph's) length: pieces
 * keep honest pages fast, and a piece that only an attacker would write (tens of thousands of brackets in one
 * paragraph, forty containers in one another) is left out.
 */
export function piecesOf(markdown: string): Array<{ start: number; text: string }> {
  const found: Array<{ start: number; text: string }> = []
  let start = 0
  let total = 0
  const close = (end: number): void => {
    const text = markdown.slice(start, end)
    const cost = text.length * (text.match(/[[\]()*_~`<>&@]/g)?.length ?? 0)
    if (cost <= MAX_COST && total + cost <= MAX_TOTAL_COST && !TOO_DEEP.test(text)) {
      total += cost
      found.push({ start, text })
    }
    start = end
  }
  let fence: string | null = null
  let rawEnd: RegExp | null = null
  let afterBlank = false
  for (let at = 0; at < markdown.length; at = LINE.lastIndex) {
    LINE.lastIndex = at
    const line = LINE.exec(markdown)?.[0] ?? ''
    if (afterBlank && fence === null && rawEnd === null && at - start >= PIECE_LENGTH && /^\S/.test(line)) close(at)
    afterBlank = line.trim() === ''
    if (rawEnd !== null) {
      if (rawEnd.test(line)) rawEnd = null
      continue
    }
    const marker = FENCE.exec(line.slice(0, 200))?.[1]
    if (fence !== null) {
      if (marker?.startsWith(fence) && line.trim() === marker) fence = null
    } else if (marker !== undefined && !(marker.startsWith('`') && line.slice(line.indexOf(marker) + marker.length).includes('`'))) fence = marker
    else {
      const raw = RAW_HTML.find(([opening]) => opening.test(line))
      if (raw && !raw[1].test(line)) rawEnd = raw[1]
    }
  }
  close(markdown.length)
  return found
}
