/**
 * Single-line paragraphs of plain words in a page. A story of a real repository can change these and predict their
 * translation.
 */

/** The line ends of a text; null if it has both kinds. */
export function endsOf(text: string): '\n' | '\r\n' | null {
  const all = text.split('\n').length - 1
  const windows = text.split('\r\n').length - 1
  return windows === 0 ? '\n' : windows === all ? '\r\n' : null
}

/** The lines of a text, for any line end. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/)

/**
 * The positions of lines that are a whole paragraph, occur once in the page and contain only words. Excludes front
 * matter, code and HTML.
 */
export function paragraphsOf(text: string): number[] {
  const lines = linesOf(text)
  const front = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  let isCode = false
  return lines.flatMap((line, at) => {
    if (at <= front) return []
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    const isAlone = !lines[at - 1] && !lines[at + 1] && lines.indexOf(line) === lines.lastIndexOf(line)
    return !isCode && isAlone && /^[A-Za-z][A-Za-z0-9 ,.'!-]{30,}$/.test(line) && !/www\.| $/.test(line) ? [at] : []
  })
}
