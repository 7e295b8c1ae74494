/**
 * Splits markdown into windows that can be parsed one by one. The time that micromark takes grows faster than the length of a
 * text; with windows it is linear.
 */

/**
 * A blank line followed by a line at column 0 that does not begin a container (list, quote, footnote): all containers end
 * there. (A byte order mark counts as white space, since the parser drops one at the start of a text.)
 */
const CUT = /(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))(?=\S)(?!>|\[\^|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/g

/** Added after a window while it is parsed. If it becomes a paragraph of its own, the window left nothing open. */
export const SENTINEL = 'x'

/** Where a window of at least `least` characters from `start` may end: at the next line before which all blocks may have ended. */
export function windowEnd(text: string, start: number, least: number): number {
  // Begins one character earlier, since that may be the line feed that ends the window's last line.
  CUT.lastIndex = start + Math.max(0, least - 1)
  const cut = CUT.exec(text)
  return cut ? cut.index + cut[0].length : text.length
}

/**
 * Reads a text window by window. `read` gets a range, and whether it must add the sentinel after it. It returns null if something
 * (a fence, HTML, a comment) is still open at the end of the window; then it is called again with a longer one.
 */
export function readWindows<T>(
  text: string,
  least: number,
  read: (start: number, end: number, sentinel: boolean) => T | null,
): T[] {
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
