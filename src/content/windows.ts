/**
 * Splits markdown into windows that can be parsed one by one. micromark's time grows faster than the length of a text;
 * with windows it is linear.
 */

/**
 * Matches a blank line followed by a line at column 0 that does not start a container (list, quote, footnote). All
 * containers end there. (A byte order mark counts as white space, because the parser drops one at the start of a text.)
 */
const CUT = /(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))(?=\S)(?!>|\[\^|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/g

/**
 * Text that is appended to a window for parsing. If it becomes a separate paragraph, nothing in the window was left
 * open.
 */
export const SENTINEL = 'x'

/**
 * Returns the possible end of a window of at least `least` characters from `start`: the next line before which all
 * blocks may have ended.
 */
export function windowEnd(text: string, start: number, least: number): number {
  // Start one character earlier, because it may be the line feed that ends the window's last line.
  CUT.lastIndex = start + Math.max(0, least - 1)
  const cut = CUT.exec(text)
  return cut ? cut.index + cut[0].length : text.length
}

/**
 * Reads a text window by window. `read` receives a range, and whether it must append the sentinel. It returns null if
 * something (a fence, HTML, a comment) is still open at the end of the window, and is then called again with a longer
 * window.
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
