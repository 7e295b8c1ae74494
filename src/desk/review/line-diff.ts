/** Parses unified diffs into rows of lines, with the changed words of lines that replace each other. */
import { diffArrays } from 'diff'

/** A part of a line. */
export interface LinePart {
  text: string
  isMarked: boolean
}

/** A line of one version. */
export interface Line {
  number: number
  parts: LinePart[]
}

/** A line of one version or of both, or a gap of lines that did not change. */
export type Row = { kind: 'same' | 'changed'; before: Line | null; after: Line | null } | { kind: 'gap'; count: number }

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
/** Lines with more characters are not compared by words. */
const MAX_LINE = 5_000
/** Lines that share fewer words are marked as a whole by their color alone. */
const MIN_SHARE = 0.3

/** Parses a unified diff. */
export function rowsOf(unified: string): Row[] {
  const rows: Row[] = []
  let [old, now, seen] = [1, 1, 1]
  let removed: Line[] = []
  let added: Line[] = []
  let isInHunk = false
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      const [before, after] = [removed[at] ?? null, added[at] ?? null]
      if (before && after) markWords(before, after)
      rows.push({ kind: 'changed', before, after })
    }
    removed = []
    added = []
  }
  for (const line of unified.split('\n')) {
    const header = HEADER.exec(line)
    if (header) {
      flush()
      isInHunk = true
      // For a side without lines, the number is that of the line before it.
      old = Number(header[1]) + (header[2] === '0' ? 1 : 0)
      now = Number(header[3]) + (header[4] === '0' ? 1 : 0)
      if (old > seen) rows.push({ kind: 'gap', count: old - seen })
    } else if (isInHunk && line.startsWith('-')) removed.push(plain(old++, line))
    else if (isInHunk && line.startsWith('+')) added.push(plain(now++, line))
    else if (isInHunk && line.startsWith(' ')) {
      flush()
      rows.push({ kind: 'same', before: plain(old++, line), after: plain(now++, line) })
    }
    seen = old
  }
  flush()
  return rows
}

/** Returns the rows of a text that was added or removed as a whole. */
export const rowsOfText = (text: string, side: 'before' | 'after'): Row[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, at) => {
      const shown = { number: at + 1, parts: [{ text: line, isMarked: false }] }
      return { kind: 'changed', before: side === 'before' ? shown : null, after: side === 'after' ? shown : null }
    })

/** Returns the old and the new lines of a short text, each with its changed words. */
export function rowsBetween(old: string, now: string): { kind: 'old' | 'new'; parts: LinePart[] }[] {
  const before: Line = { number: 1, parts: [{ text: old, isMarked: false }] }
  const after: Line = { number: 1, parts: [{ text: now, isMarked: false }] }
  markWords(before, after)
  return [
    { kind: 'old', parts: before.parts },
    { kind: 'new', parts: after.parts },
  ]
}

const plain = (number: number, line: string): Line => ({
  number,
  parts: [{ text: line.slice(1).replace(/\r$/, ''), isMarked: false }],
})

const wordsOf = (line: Line): string[] =>
  [...segmenter.segment(line.parts[0]?.text ?? '')].flatMap(({ segment }) => segment.split(/(:)/).filter(Boolean))

function markWords(before: Line, after: Line): void {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  if (old.join('').length > MAX_LINE || now.join('').length > MAX_LINE) return
  const parts = diffArrays(old, now)
  const same = parts.filter(({ added, removed }) => !added && !removed).flatMap(({ value }) => value)
  const length = (words: readonly string[]): number => words.join('').trim().length
  if (2 * length(same) < MIN_SHARE * (length(old) + length(now))) return
  before.parts = parts.filter(({ added }) => !added).map(({ value, removed }) => part(value, removed))
  after.parts = parts.filter(({ removed }) => !removed).map(({ value, added }) => part(value, added))
}

const part = (words: readonly string[], isMarked: boolean): LinePart => ({ text: words.join(''), isMarked })
