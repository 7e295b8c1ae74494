/** Inserts, removes and indents lines of the table of contents. All other bytes are preserved. */

/** Returns the file's line end: that of its first line, or LF. */
export const eolOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

/**
 * Returns the offset and column of the first character that is not a space or tab (tab stops are four columns apart).
 */
export function indentation(line: string, from = 0, column = 0): { position: number; column: number } {
  let position = from
  let at = column
  for (; position < line.length; position++) {
    const char = line[position]
    if (char === ' ') at++
    else if (char === '\t') at += 4 - (at % 4)
    else break
  }
  return { position, column: at }
}

/** Removes up to `columns` columns of indentation. */
export function dedent(line: string, columns: number): string {
  let position = 0
  let at = 0
  while (at < columns && position < line.length) {
    if (line[position] === ' ') at++
    else if (line[position] === '\t') at += 4 - (at % 4)
    else break
    position++
  }
  return ' '.repeat(Math.max(0, at - columns)) + line.slice(position)
}

/** Whether the line before `offset` is blank or does not exist. */
export function blankBefore(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 400), offset).replace(/(?:\r\n|\n|\r)$/, '')
  return /(?:^|[\r\n])[\ufeff \t]*$/.test(before)
}

/** Returns the start of the line before the one at `offset`. */
export function lineBefore(text: string, offset: number): number {
  const ending = /(?:\r\n|\n|\r)$/.exec(text.slice(Math.max(0, offset - 2), offset))?.[0].length ?? 0
  const before = text.slice(0, offset - ending)
  return Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'), text.charCodeAt(0) === 0xfeff ? 0 : -1) + 1
}

/** Whether the line at `offset` is blank; `null` at the end of the text. */
export function blankAfter(text: string, offset: number): boolean | null {
  return offset >= text.length ? null : /^[ \t]*(?:\r|\n|$)/.test(text.slice(offset, offset + 200))
}

/** Inserts whole lines at the start of a line. A text without a final line end stays without one. */
export function insertLines(text: string, offset: number, lines: readonly string[]): string {
  const eol = eolOf(text)
  const body = lines.join(eol)
  const atLine = offset === 0 || /[\r\n\ufeff]$/.test(text.slice(0, offset).slice(-1))
  return atLine
    ? text.slice(0, offset) + body + eol + text.slice(offset)
    : text.slice(0, offset) + eol + body + text.slice(offset)
}

/** Removes whole lines. A text without a final line end stays without one. */
export function cutLines(text: string, start: number, end: number): string {
  const rest = text.slice(0, start) + text.slice(end)
  if (end !== text.length || start === 0 || /[\r\n]/.test(text.slice(-1))) return rest
  return rest.slice(0, rest.length - (/(?:\r\n|\n|\r)$/.exec(rest.slice(-2))?.[0].length ?? 0))
}
