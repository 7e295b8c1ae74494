/**
 * The text of a file while it is edited. The editor works with line feeds and without a byte order mark. This
 * module restores every unedited byte: all kinds of line ends, even mixed ones, and the byte order mark.
 */
import type { ChangeSet, Text } from '@codemirror/state'

/** A file as it was loaded. */
export interface Original {
  raw: string
  /** The byte order mark, or nothing. It is not part of the edited text. */
  lead: string
  /** The text with a line feed at the end of each line. */
  text: string
}

/** Prepares a file for editing. */
export function originalOf(raw: string): Original {
  const lead = raw.startsWith('\ufeff') ? '\ufeff' : ''
  return { raw, lead, text: raw.slice(lead.length).replace(/\r\n?/g, '\n') }
}

/**
 * Returns the file with the edits. Kept lines keep their line ends; a new line gets that of the line before it, or else
 * the first one of the file. Takes linear time.
 * @param changes the edits from the original text to `doc`
 */
export function exactText(original: Original, changes: ChangeSet, doc: Text): string {
  const { raw, lead, text } = original
  if (!raw.includes('\r')) return lead + doc.toString()
  const reader = new RawReader(raw, lead.length)
  let exact = lead
  let lastEnd = /\r\n|\n|\r/.exec(raw)?.[0] ?? '\n'
  const put = (part: string): void => {
    const end = /(\r\n|\n|\r)[^\r\n]*$/.exec(part)?.[1]
    if (end !== undefined) lastEnd = end
    // A carriage return would become one line end with the line feed that follows now.
    if (part.startsWith('\n') && exact.endsWith('\r')) exact = exact.replace(/\r+$/, (ends) => '\n'.repeat(ends.length))
    exact += part
  }
  let at = 0
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    put(reader.take(fromA - at))
    const before = text.slice(fromA, toA)
    const after = inserted.toString()
    // Text that was deleted and typed again, or restored by Undo, counts as unchanged.
    const start = commonStart(before, after)
    const tail = commonEnd(before.slice(start), after.slice(start))
    put(reader.take(start))
    reader.take(toA - fromA - start - tail)
    put(after.slice(start, after.length - tail).replaceAll('\n', lastEnd))
    put(reader.take(tail))
    at = toA
  })
  put(reader.take(text.length - at))
  return exact
}

/** Reads a file with the lengths of its edited text, in which each line end is one character. */
class RawReader {
  constructor(
    private readonly raw: string,
    private at: number,
  ) {}

  take(count: number): string {
    const start = this.at
    let left = count
    while (left > 0) {
      const pair = this.raw.indexOf('\r\n', this.at)
      if (pair < 0 || pair - this.at >= left) {
        this.at += left
        break
      }
      left -= pair - this.at + 1
      this.at = pair + 2
    }
    return this.raw.slice(start, this.at)
  }
}

/** Returns the number of equal characters at the start. */
export function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let same = 0
  while (same < most && one.charCodeAt(same) === other.charCodeAt(same)) same++
  return same
}

/** Returns the number of equal characters at the end. */
export function commonEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let same = 0
  while (same < most && one.charCodeAt(one.length - 1 - same) === other.charCodeAt(other.length - 1 - same)) same++
  return same
}
