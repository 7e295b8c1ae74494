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

/**
 * A line of one version or of both, or a gap of lines that did not change. Gaps count from 0. The gap at the end has no
 * known length.
 */
export type Row = { kind: 'same' | 'changed'; before: Line | null; after: Line | null } | Gap

export interface Gap {
  kind: 'gap'
  index: number
  count: number | null
}

/** The number of unchanged lines around each change that a diff shows. */
const CONTEXT = 3
/** A diff with this context has all lines of the file. */
export const ALL_LINES = 1_000_000

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
  let gaps = 0
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
      if (old > seen) rows.push({ kind: 'gap', index: gaps++, count: old - seen })
    } else if (isInHunk && line.startsWith('-')) removed.push(plain(old++, line))
    else if (isInHunk && line.startsWith('+')) added.push(plain(now++, line))
    else if (isInHunk && line.startsWith(' ')) {
      flush()
      rows.push({ kind: 'same', before: plain(old++, line), after: plain(now++, line) })
    }
    seen = old
  }
  flush()
  const isCut = rows.length > CONTEXT && rows.slice(-CONTEXT).every(({ kind }) => kind === 'same')
  if (isCut) rows.push({ kind: 'gap', index: gaps, count: null })
  return rows
}

/** The number of shown lines of a gap: at its start, after the change above it, and at its end. */
export interface OpenGap {
  start: number
  end: number
}

/**
 * Returns the rows of a diff with all lines, with the unchanged lines in gaps as `rowsOf` leaves them out, except those
 * that are opened.
 */
export function withGaps(all: readonly Row[], opened: readonly (OpenGap | undefined)[]): Row[] {
  const rows: Row[] = []
  let gap = 0
  for (let at = 0; at < all.length; ) {
    let end = at
    while (all[end]?.kind === 'same') end++
    if (end > at) {
      const from = at === 0 ? 0 : at + CONTEXT
      const to = end === all.length ? end : end - CONTEXT
      if (to <= from) rows.push(...all.slice(at, end))
      else {
        const index = gap++
        const { start, end: last } = opened[index] ?? { start: 0, end: 0 }
        const [first, rest] = [Math.min(to, from + start), Math.max(from, to - last)]
        rows.push(...all.slice(at, first))
        if (rest > first) rows.push({ kind: 'gap', index, count: rest - first })
        rows.push(...all.slice(Math.max(first, rest), end))
      }
    }
    const changed = all[end]
    if (changed) rows.push(changed)
    at = end + 1
  }
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
