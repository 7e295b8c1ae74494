// Selects the parts of a long page that may contain references, so that the whole page need not be parsed.
import { weigh } from './blocks/weight.js'
import { SENTINEL, windowEnd } from './windows.js'

/** Maximum cost (length times number of inline markers) of one window, and of all windows together. */
const MAX_COST = 250_000_000
const MAX_TOTAL_COST = 2_000_000_000
/**
 * Maximum weight of all windows together. Further windows are omitted, so that the rest is read before the deadline of
 * the threads.
 */
const MAX_TOTAL_WEIGHT = 2_500_000

/** Matches a part of a reference (`find-references.ts`). A window without a match contains no references. */
const MARKS =
  /\]\(|\]:|:\/\/|www\.|@|<[a-z][a-z0-9+.-]*:|<[a-z][^<]*(?:href|src|poster|data-card)|\{%[-\s]*(?:content-ref|page-ref|embed|file|include|openapi|swagger)\b/i
/** The start of blocks that may contain blank lines: fences and HTML. */
const OPENING = /```|~~~|</
const FENCE = /^(?:(`{3,})[^`\r\n]*|(~{3,})[^\r\n]*)(?=[\r\n]|$)/
/** Deeply nested containers, on one line or by indentation. */
const TOO_DEEP = /^(?:[ \t]{0,8}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}|^[ \t]{200,}(?:[-+*>]|\d{1,9}[.)])[ \t]/m

/** Maximum number of unclosed opening brackets in a window. micromark takes cubic time for nested images. */
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

/** Whether a text may contain a reference. Only the result false is certain. */
export const mayHaveReferences = (text: string): boolean => OPENING.test(text) || MARKS.test(text)

/**
 * Splits a page into windows that parse alone as they do within the page, and calls `read` for those that may contain
 * references. `read` receives the sentinel to append to the window, and returns whether it became a separate paragraph.
 * If not, the window is extended. Hostile windows (tens of thousands of brackets in one paragraph, a hundred nested
 * brackets, forty nested containers) are omitted, because they take micromark quadratic time.
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

/** Returns the end of the fenced code that starts at `start`, outside of any container; -1 if no fence starts there. */
function fenceEnd(markdown: string, start: number): number {
  const lineEnd = markdown.slice(start, start + 1000).search(/[\r\n]/)
  const opening = FENCE.exec(markdown.slice(start, lineEnd < 0 ? start + 1000 : start + lineEnd))
  if (!opening || lineEnd < 0) return -1
  const fence = opening[1] ?? opening[2] ?? ''
  const closing = new RegExp(`(?<=[\\r\\n]) {0,3}${fence}${fence.charAt(0)}*[ \\t]*(?:\\r\\n|\\r|\\n|$)`, 'g')
  closing.lastIndex = start + lineEnd
  return closing.test(markdown) ? closing.lastIndex : markdown.length
}
