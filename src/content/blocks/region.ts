/**
 * A text to parse, with its offsets in the page's source. It is the page itself, or a part of it without its
 * indentation.
 */
import { required } from '../../kernel/defined.js'
export interface Region {
  text: string
  /**
   * Ascending start offsets in `text` (from 0) of the segments that are contiguous in the source, and their offsets in
   * the source.
   */
  at: number[]
  source: number[]
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (required(sorted[middle]) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the source offset of an offset in the region. */
export function toSource(region: Region, offset: number): number {
  if (region.at.length === 1) return offset + required(region.source[0])
  const segment = lastAtMost(region.at, offset)
  return (region.source[segment] ?? 0) + offset - (region.at[segment] ?? 0)
}

/** Returns the source offset of an exclusive end: one after that of the last character. */
export const endToSource = (region: Region, end: number): number =>
  end === 0 ? toSource(region, 0) : toSource(region, end - 1) + 1

/** Returns the whole page without its byte order mark, which the parser would drop. */
export function wholeRegion(source: string): Region {
  const skip = source.charCodeAt(0) === 0xfeff ? 1 : 0
  return { text: source.slice(skip), at: [0], source: [skip] }
}

/** Returns the part [start, end) of a region, without the indentation that all its lines share. */
export function partOf(parent: Region, start: number, end: number): Region {
  const lines = parent.text.slice(start, end).split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const indent = indents.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)
  const region: Region = { text: '', at: [], source: [] }
  const unindented: string[] = []
  let length = 0
  let from = start
  for (const line of lines) {
    const cut = Math.min(indent, line.length)
    region.at.push(length)
    region.source.push(toSource(parent, from + cut))
    unindented.push(line.slice(cut))
    length += line.length - cut + 1
    from += line.length + 1
  }
  return { ...region, text: unindented.join('\n') }
}

/** Returns a function that maps an offset to its 1-based line. A line ends with LF, CRLF or CR. */
export function lineFinder(source: string): (offset: number) => number {
  const starts = [0]
  if (/\r(?!\n)/.test(source))
    for (const { index, 0: end } of source.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length)
  else for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  // Offsets are requested in text order, so the line is usually the previous one or the next.
  let line = 0
  const isIn = (index: number, offset: number): boolean =>
    required(starts[index]) <= offset && offset < (starts[index + 1] ?? Number.POSITIVE_INFINITY)
  return (offset) => {
    if (!isIn(line, offset))
      line = line + 1 < starts.length && isIn(line + 1, offset) ? line + 1 : lastAtMost(starts, offset)
    return line + 1
  }
}
