import { keptOrder } from '../kept-order.js'

interface Line {
  text: string
  /** `\r\n`, `\n`, `\r`; '' for a last line without one. */
  end: string
}

/** Characters of a text, before and after an edit, between the first and the last difference, of which lines are compared. */
const MAX_COMPARED = 4 * 1024 * 1024

/** The kinds of line ends in a text, the first one first. Makes no list of them all: a text may have millions. */
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
  [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)].flatMap(([whole, line = '', end = '']) => (whole === '' ? [] : [{ text: line, end }]))

/**
 * `next` with the line ends of `old`, the file's text until now: lines that were there keep theirs, also where a file mixes them;
 * a new line has that of the line before it, else of the one after it. A file without any says nothing. Which
 * line ends a client sends does not matter. Only what lies between the first and the last difference is looked at; where that
 * is more than `MAX_COMPARED` of a file that mixes them, it gets the kind that the file begins with. Time grows with the number of lines.
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

/** The lines in which two texts differ, with the line before them; offsets. What is outside of them is the same in both. */
function difference(old: string, next: string): { start: number; oldEnd: number; nextEnd: number } {
  const shortest = Math.min(old.length, next.length)
  let same = 0
  while (same < shortest && old.charCodeAt(same) === next.charCodeAt(same)) same++
  // Only a line feed certainly ends its line: a carriage return may be half of an end.
  const lineStart = (at: number): number => (at <= 0 ? 0 : old.lastIndexOf('\n', at - 1) + 1)
  const start = lineStart(lineStart(same) - 1)
  let tail = 0
  while (tail < shortest - same && old.charCodeAt(old.length - 1 - tail) === next.charCodeAt(next.length - 1 - tail)) tail++
  const feed = old.indexOf('\n', old.length - tail)
  tail = feed < 0 ? 0 : old.length - feed - 1
  return { start, oldEnd: old.length - tail, nextEnd: next.length - tail }
}

/** The new lines, each with the end that it had, or that of its neighbour. `only`: where no line says anything. */
function matched(was: readonly Line[], now: readonly Line[], only: string): string {
  const kept = matchLines(was, now)
  let last = kept.find((index) => index >= 0 && was[index]!.end !== '') ?? 0
  return now
    .map(({ text, end }, i) => {
      const index = kept[i]!
      if (index >= 0 && was[index]!.end !== '') last = index
      return end === '' ? text : text + (was[last]?.end || only)
    })
    .join('')
}

/** For each line of now the line of before that it is, or -1: lines that stand once on both sides and kept their order, and what is equal around them. */
function matchLines(was: readonly Line[], now: readonly Line[]): number[] {
  const [old, next] = [onlyOnes(was), onlyOnes(now)]
  const shared = [...next.keys()].filter((text) => old.has(text))
  const settled = keptOrder(
    [...old.keys()].filter((text) => next.has(text)),
    shared,
  )
  const kept = new Array<number>(now.length).fill(-1)
  for (const text of shared) if (settled.has(text)) kept[next.get(text)!] = old.get(text)!
  const same = (i: number, index: number): boolean => index >= 0 && index < was.length && now[i]!.text === was[index]!.text
  for (let i = 0, index = 0; i < now.length; i++) {
    if (kept[i]! < 0 && same(i, index)) kept[i] = index
    if (kept[i]! >= 0) index = kept[i]! + 1
  }
  for (let i = now.length - 1, index = was.length - 1; i >= 0; i--) {
    if (kept[i]! < 0 && same(i, index)) kept[i] = index
    if (kept[i]! >= 0) index = kept[i]! - 1
  }
  return kept
}

function onlyOnes(lines: readonly Line[]): Map<string, number> {
  const found = new Map<string, number>()
  for (const [index, { text }] of lines.entries()) found.set(text, found.has(text) ? -1 : index)
  return new Map([...found].filter(([, index]) => index >= 0))
}
