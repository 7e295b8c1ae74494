/** Preserves the line ends of a file when its text is edited. */
import { required } from '../../kernel/defined.js'
import { keptOrder } from '../kept-order.js'

interface Line {
  text: string
  /**
   * `\r
   * `, `
   * ` or `\r`; '' for a last line without a line end.
   */
  end: string
}

/**
 * Maximum number of characters between the first and the last difference, before and after an edit together, for
 * comparing lines.
 */
const MAX_COMPARED = 4 * 1024 * 1024

/**
 * Returns the kinds of line ends in a text, the first one of the text first. Does not list all line ends, because there
 * may be millions.
 */
function kindsOf(text: string): ReadonlySet<string> {
  const kinds = new Set(/\r\n|\n|\r/.exec(text))
  if (text.includes('\r\n')) kinds.add('\r\n')
  if (/(?<!\r)\n/.test(text)) kinds.add('\n')
  if (/\r(?!\n)/.test(text)) kinds.add('\r')
  return kinds
}

/** Whether two texts have the same kinds of line ends. */
export function sameLineEnds(one: string, other: string): boolean {
  const [a, b] = [kindsOf(one), kindsOf(other)]
  return a.size === b.size && [...a].every((end) => b.has(end))
}

const linesOf = (text: string): Line[] =>
  [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)].flatMap(([whole, line = '', end = '']) =>
    whole === '' ? [] : [{ text: line, end }],
  )

/**
 * Gives `next`, the edited text, the line ends of `old`, the text before the edit, whatever line ends the client sent.
 * Unchanged lines keep their line ends, even if the file mixes several kinds. A new line gets the line end of the
 * preceding line, or else of the following one. If `old` has no line ends, `next` keeps its own. Only the range between
 * the first and the last difference is compared. If that range is longer than `MAX_COMPARED` and the file mixes line
 * ends, it gets the first kind in the file. Takes linear time.
 */
export function keepLineEnds(old: string, next: string): string {
  const ends = kindsOf(old)
  const [only] = ends
  if (only === undefined) return next
  const { start, oldEnd, nextEnd } = difference(old, next)
  const [was, now] = [old.slice(start, oldEnd), next.slice(start, nextEnd)]
  const isPlain = ends.size === 1 || was.length + now.length > MAX_COMPARED
  const kept = isPlain ? now.replace(/\r\n|\n|\r/g, only) : matched(linesOf(was), linesOf(now), only)
  return next.slice(0, start) + kept + next.slice(nextEnd)
}

/**
 * Returns the range of lines in which two texts differ, and the line before it, as offsets. Outside of this range the
 * texts are equal.
 */
function difference(old: string, next: string): { start: number; oldEnd: number; nextEnd: number } {
  const shortest = Math.min(old.length, next.length)
  let same = 0
  while (same < shortest && old.charCodeAt(same) === next.charCodeAt(same)) same++
  // Only a line feed always ends a line: a carriage return may be the first half of a line end.
  const lineStart = (at: number): number => (at <= 0 ? 0 : old.lastIndexOf('\n', at - 1) + 1)
  const start = lineStart(lineStart(same) - 1)
  let tail = 0
  while (tail < shortest - same && old.charCodeAt(old.length - 1 - tail) === next.charCodeAt(next.length - 1 - tail))
    tail++
  const feed = old.indexOf('\n', old.length - tail)
  tail = feed < 0 ? 0 : old.length - feed - 1
  return { start, oldEnd: old.length - tail, nextEnd: next.length - tail }
}

/** Joins the new lines. Each gets its previous line end, or that of its neighbor, or `only` if no line had one. */
function matched(was: readonly Line[], now: readonly Line[], only: string): string {
  const kept = matchLines(was, now)
  let last = kept.find((index) => index >= 0 && required(was[index]).end !== '') ?? 0
  return now
    .map(({ text, end }, i) => {
      const index = required(kept[i])
      if (index >= 0 && required(was[index]).end !== '') last = index
      return end === '' ? text : text + (was[last]?.end || only)
    })
    .join('')
}

/**
 * Returns the index of the old line for each new line, or -1. First matches lines that are unique in both texts and
 * kept their order, then equal lines next to matched lines.
 */
function matchLines(was: readonly Line[], now: readonly Line[]): number[] {
  const [old, next] = [uniqueLines(was), uniqueLines(now)]
  const shared = [...next.keys()].filter((text) => old.has(text))
  const settled = keptOrder(
    [...old.keys()].filter((text) => next.has(text)),
    shared,
  )
  const kept = new Array<number>(now.length).fill(-1)
  for (const text of shared) if (settled.has(text)) kept[required(next.get(text))] = required(old.get(text))
  const same = (i: number, index: number): boolean =>
    index >= 0 && index < was.length && required(now[i]).text === required(was[index]).text
  for (let i = 0, index = 0; i < now.length; i++) {
    if (required(kept[i]) < 0 && same(i, index)) kept[i] = index
    if (required(kept[i]) >= 0) index = required(kept[i]) + 1
  }
  for (let i = now.length - 1, index = was.length - 1; i >= 0; i--) {
    if (required(kept[i]) < 0 && same(i, index)) kept[i] = index
    if (required(kept[i]) >= 0) index = required(kept[i]) - 1
  }
  return kept
}

function uniqueLines(lines: readonly Line[]): Map<string, number> {
  const found = new Map<string, number>()
  for (const [index, { text }] of lines.entries()) found.set(text, found.has(text) ? -1 : index)
  return new Map([...found].filter(([, index]) => index >= 0))
}
