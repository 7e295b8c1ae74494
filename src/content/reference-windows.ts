import { SENTINEL, windowEnd } from './windows.js'

/** Highest product of length and inline markers of one piece, and of all pieces together. */
const MAX_COST = 250_000_000
const MAX_TOTAL_COST = 2_000_000_000

/** Whatever a reference needs (`links.ts`): without any of these a piece has none. */
const MARKS =
  /\]\(|\]:|:\/\/|www\.|@|<[a-z][a-z0-9+.-]*:|<[a-z][^<]*(?:href|src|poster|data-card)|\{%[-\s]*(?:content-ref|page-ref|embed|file|include|openapi|swagger)\b/i
/** Begins of what may hold blank lines: fences and HTML. */
const OPENING = /```|~~~|</
const FENCE = /^(?:(`{3,})[^`\r\n]*|(~{3,})[^\r\n]*)(?=[\r\n]|$)/
/** Containers in containers, on one line or by indentation. */
const TOO_DEEP = /^(?:[ \t]{0,8}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){40}|^[ \t]{200,}(?:[-+*>]|\d{1,9}[.)])[ \t]/m

/**
 * Parts a page into pieces that mean alone what they mean in the page, and hands those that may hold references to
 * `read` with a sentinel behind them; it answers whether the sentinel stood alone (else the piece must be longer).
 * micromark's time grows with the square of a page's (and of a paragraph's) length: pieces keep honest pages fast, most
 * need not be read at all, and a piece that only an attacker would write (tens of thousands of brackets in one
 * paragraph, forty containers in one another) is left out. `every` = pieces without references and code too.
 */
export function readReferenceWindows(markdown: string, read: (text: string, start: number, sentinel: string) => boolean, every = false): void {
  let total = 0
  for (let start = 0; start < markdown.length; ) {
    const fence = !every && (markdown.startsWith('```', start) || markdown.startsWith('~~~', start)) ? fenceEnd(markdown, start) : -1
    if (fence >= 0) {
      start = fence
      continue
    }
    for (let size = 1; ; ) {
      const end = windowEnd(markdown, start, size)
      size = 2 * (end - start)
      const text = markdown.slice(start, end)
      if (every || OPENING.test(text) || MARKS.test(text)) {
        const cost = text.length * (text.match(/[[\]()*_~`<>&@]/g)?.length ?? 0)
        const readable = cost <= MAX_COST && total + cost <= MAX_TOTAL_COST && !TOO_DEEP.test(text)
        if (readable) total += cost
        if (readable && !read(text, start, end < markdown.length ? SENTINEL : '')) continue
      }
      start = end
      break
    }
  }
}

/** Where the fenced code that begins at `start`, outside everything, ends: code names nothing. -1 = it is no fence. */
function fenceEnd(markdown: string, start: number): number {
  const lineEnd = markdown.slice(start, start + 1000).search(/[\r\n]/)
  const opening = FENCE.exec(markdown.slice(start, lineEnd < 0 ? start + 1000 : start + lineEnd))
  if (!opening || lineEnd < 0) return -1
  const fence = opening[1] ?? opening[2] ?? ''
  const closing = new RegExp(`(?<=[\\r\\n]) {0,3}${fence}${fence.charAt(0)}*[ \\t]*(?:\\r\\n|\\r|\\n|$)`, 'g')
  closing.lastIndex = start + lineEnd
  return closing.test(markdown) ? closing.lastIndex : markdown.length
}
