/** Paragraphs of one line of plain words in a page: what a story of a real repository can change and know the translation of. */

/** The line ends of a text; null if it has both kinds. */
export function endsOf(text: string): '\n' | '\r\n' | null {
  const all = text.split('\n').length - 1
  const windows = text.split('\r\n').length - 1
  return windows === 0 ? '\n' : windows === all ? '\r\n' : null
}

/** Lines of a text, whatever ends them. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/)

/** Places of lines that are a paragraph each, occur once in the page, and hold nothing but words: not in front matter, code or HTML. */
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
