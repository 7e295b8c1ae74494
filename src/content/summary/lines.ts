/** One line of a text. Offsets are UTF-16 units. */
export interface Line {
  /** 1-based. */
  number: number
  start: number
  /** Where the line's own characters end. */
  textEnd: number
  /** Where the next line begins. */
  end: number
}

/** All lines; LF, CRLF and lone CR end one (CommonMark). A byte order mark belongs to no line. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  const ending = /\r\n|\n|\r/g
  ending.lastIndex = start
  for (let found = ending.exec(text); found; found = ending.exec(text)) {
    lines.push({ number: lines.length + 1, start, textEnd: found.index, end: ending.lastIndex })
    start = ending.lastIndex
  }
  if (start < text.length) lines.push({ number: lines.length + 1, start, textEnd: text.length, end: text.length })
  return lines
}

/** The lines from the offset `from` on, one after the other: of a long text, mostly the first ones are asked for. */
export function* eachLine(text: string, from = 0): Generator<Omit<Line, 'number'>> {
  const ending = /\r\n|\n|\r/g
  let start = from === 0 && text.charCodeAt(0) === 0xfeff ? 1 : from
  ending.lastIndex = start
  for (let found = ending.exec(text); found; found = ending.exec(text)) {
    yield { start, textEnd: found.index, end: ending.lastIndex }
    start = ending.lastIndex
  }
  if (start < text.length) yield { start, textEnd: text.length, end: text.length }
}

/** The file's line ending: that of its first line; LF where there is none. */
export const eolOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

/** Where the first character that is no space or tab stands: its offset and its column (tab stops every four). */
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

/** Takes at most `columns` of indentation from the line's beginning. */
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

/** The lines of a part of the text, without their endings. */
export const linesIn = (text: string, start: number, end: number): string[] =>
  linesOf(text.slice(start, end)).map((line) => text.slice(start + line.start, start + line.textEnd))
