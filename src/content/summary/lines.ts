/** Splits a text into its lines. */
import { required } from '../../kernel/defined.js'

/** One line of a text. Offsets are UTF-16 units. */
export interface Line {
  /** The line number, 1-based. */
  number: number
  start: number
  /** The end of the line's text. */
  textEnd: number
  /** The start of the next line. */
  end: number
}

/** Returns all lines. They end with LF, CRLF or CR (CommonMark). A byte order mark is not part of a line. */
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

/** Yields the lines from the offset `from` on, for callers that need only the first ones of a long text. */
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

/** Returns the lines of a range of the text, without their line ends. */
export const linesIn = (text: string, start: number, end: number): string[] =>
  linesOf(text.slice(start, end)).map((line) => text.slice(start + line.start, start + line.textEnd))

/**
 * Returns the number of lines of the front matter; 0 if the first `---` is a thematic break, because a heading, list or
 * link precedes the next one.
 */
export function frontMatterLines(text: string, lines: readonly Line[]): number {
  const at = (line: Line): string => text.slice(line.start, line.textEnd).trimEnd()
  if (!lines[0] || at(lines[0]) !== '---') return 0
  for (let i = 1; i < lines.length; i++) {
    const line = at(required(lines[i]))
    if (line === '---') return i + 1
    if (/^(?:[*+]|#{2,}|\[|- +\[)/.test(line)) return 0
  }
  return 0
}
