/**
 * A blank line followed by a line at column 0 that begins no container (list, quote, footnote): every container ends
 * there. (A byte order mark counts as white space: the parser swallows one at the start of a text.)
 */
const CUT = /(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))(?=\S)(?!>|\[\^|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/g

/** Stands behind a window while it is parsed: where it comes out as a paragraph of its own, nothing was left open. */
export const SENTINEL = 'x'

/** Where a window that holds at least `least` characters from `start` may end: the next line at which the blocks before it can be over. */
export function windowEnd(text: string, start: number, least: number): number {
  // The line feed that ends the window's last line may be the one at which the search begins.
  CUT.lastIndex = start + Math.max(0, least - 1)
  const cut = CUT.exec(text)
  return cut ? cut.index + cut[0].length : text.length
}

/**
 * Reads a text window by window. micromark's time grows faster than a text's length; windows make it linear. `read` is
 * given a range and whether a sentinel must stand behind it; it answers null where something (a fence, HTML, a comment)
 * was still open at the window's end, and is then asked for a longer one.
 */
export function readWindows<T>(text: string, least: number, read: (start: number, end: number, sentinel: boolean) => T | null): T[] {
  const found: T[] = []
  for (let start = 0; start < text.length; ) {
    for (let size = least; ; ) {
      const end = windowEnd(text, start, size)
      const one = read(start, end, end < text.length)
      if (one !== null) {
        found.push(one)
        start = end
        break
      }
      size = 2 * (end - start)
    }
  }
  return found
}
