// Cuts the parts out of a long page that may have references, so that not all of it has to be parsed.
import { weigh } from './blocks/weight.js'
import { SENTINEL, windowEnd } from './windows.js'

/** Highest cost (length times number of inline markers) of one window, and of all windows together. */
const MAX_COST = 250_000_000
const MAX_TOTAL_COST = 2_000_000_000
/** Highest weight of all windows together: what is beyond it is left out, so that the rest is read before the deadline of the threads. */
const MAX_TOTAL_WEIGHT = 2_500_000

/** What a reference (`find-references.ts`) contains: a window without any of these has none. */
const MARKS =
  /\]\(|\]:|:\/\/|www\.|@|<[a-z][a-z0-9+.-]*:|<[a-z][^<]*(?:href|src|poster|data-card)|\{%[-\s]*(?:content-ref|page-ref|embed|file|include|openapi|swagger)\b/i
/** The beginnings of blocks that may contain blank lines: fences and HTML. */
const OPENING = /```|~~~|</
const FENCE = /^(?:(`{3,})[^`\r\n]*|(~{3,})[^\r\n]*)(?=[\r\n]|$)/
/** Deeply nested containers, on one line or by indentation. */
const TOO_DEEP = /^(?:[ \t]{0,8}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}|^[ \t]{200,}(?:[-+*>]|\d{1,9}[.)])[ \t]/m

/** Most opening brackets in a window without a closing one between them that is theirs: micromark takes cubic time for nested images. */
const MAX_BRACKETS = 100

function hasDeepBrackets(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 91 && ++depth > MAX_BRACKETS) return true
    if (code === 93 && depth > 0) depth--
  }
  return false
}

/** Whether a text may contain a reference; if false, it certainly does not. */
export const mayHaveReferences = (text: string): boolean => OPENING.test(text) || MARKS.test(text)

/**
 * Splits a page into windows that parse on their own as they do within the page, and calls `read` for those that may contain
 * references. `read` gets the sentinel to add after the window, and returns whether that became a paragraph of its own; if not,
 * the window must be longer. A window that only an attacker would write (tens of thousands of brackets in one paragraph, a
 * hundred within one another, forty nested containers) is left out, since micromark would take quadratic time for it.
 * @param every also reads windows without references, and code
 */
export function readReferenceWindows(
  markdown: string,
  read: (text: string, start: number, sentinel: string) => boolean,
  every = false,
): void {
  let total = 0
  let weight = 0
  for (let start = 0; start < markdown.length; ) {
    const fence =
      !every && (markdown.startsWith('```', start) || markdown.startsWith('~~~', start))
        ? fenceEnd(markdown, start)
        : -1
    if (fence >= 0) {
      start = fence
      continue
    }
    for (let size = 1; ; ) {
      const end = windowEnd(markdown, start, size)
      size = 2 * (end - start)
      const text = markdown.slice(start, end)
      if (every || mayHaveReferences(text)) {
        const cost = text.length * (text.match(/[[\]()*_~`<>&@]/g)?.length ?? 0)
        const readable =
          cost <= MAX_COST &&
          total + cost <= MAX_TOTAL_COST &&
          !TOO_DEEP.test(text) &&
          !hasDeepBrackets(text) &&
          (weight += weigh(text)) <= MAX_TOTAL_WEIGHT
        if (readable) total += cost
        if (readable && !read(text, start, end < markdown.length ? SENTINEL : '')) continue
      }
      start = end
      break
    }
  }
}

/** Where the fenced code that begins at `start`, outside of any container, ends; -1 if no fence begins there. */
function fenceEnd(markdown: string, start: number): number {
  const lineEnd = markdown.slice(start, start + 1000).search(/[\r\n]/)
  const opening = FENCE.exec(markdown.slice(start, lineEnd < 0 ? start + 1000 : start + lineEnd))
  if (!opening || lineEnd < 0) return -1
  const fence = opening[1] ?? opening[2] ?? ''
  const closing = new RegExp(`(?<=[\\r\\n]) {0,3}${fence}${fence.charAt(0)}*[ \\t]*(?:\\r\\n|\\r|\\n|$)`, 'g')
  closing.lastIndex = start + lineEnd
  return closing.test(markdown) ? closing.lastIndex : markdown.length
}
