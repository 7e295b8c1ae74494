import { settledIn } from '../summary/order.js'

interface Line {
  text: string
  /** `\r\n`, `\n`, `\r`; '' for a last line without one. */
  end: string
}

const kindsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\r\n|\n|\r/g))

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
 * line ends a client sends does not matter. Time grows with the number of lines.
 */
export function keepLineEnds(old: string, next: string): string {
  const ends = kindsOf(old)
  if (ends.size === 0) return next
  const [only] = ends
  if (ends.size === 1) return next.replace(/\r\n|\n|\r/g, only as string)
  const [was, now] = [linesOf(old), linesOf(next)]
  const kept = matchLines(was, now)
  let last = kept.find((index) => index >= 0 && was[index]!.end !== '') ?? 0
  return now
    .map(({ text, end }, i) => {
      const index = kept[i]!
      if (index >= 0 && was[index]!.end !== '') last = index
      return end === '' ? text : text + (was[last]!.end || (only as string))
    })
    .join('')
}

/** For each line of now the line of before that it is, or -1: lines that stand once on both sides and kept their order, and what is equal around them. */
function matchLines(was: readonly Line[], now: readonly Line[]): number[] {
  const [old, next] = [onlyOnes(was), onlyOnes(now)]
  const shared = [...next.keys()].filter((text) => old.has(text))
  const settled = settledIn(
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
