// Divides three versions of a text into the chunks of a three-way merge, by lines.
import { diffIndices } from 'node-diff3'
import { required } from '../../kernel/defined.js'

/**
 * A chunk: the number of lines that it has in each version, one after the other from the start of the texts. `same`: no
 * side changed it; `ours`, `theirs`: one side did; `both`: both made the same change; `merged`: both sides changed it,
 * and `text` is the result; `conflict`: both sides changed it, and a person decides.
 */
export interface MergeChunk {
  kind: 'same' | 'ours' | 'theirs' | 'both' | 'merged' | 'conflict'
  base: number
  ours: number
  theirs: number
  text?: string
}

/**
 * Maximum product of two texts' line counts (between their first and last difference). The comparison time grows with
 * it.
 */
const MAX_PRODUCT = 6_000_000

/** Splits a text into lines that include their line feeds, so that joining them gives the same bytes. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Whether no chunk is in conflict. */
export const isMergedCleanly = (chunks: readonly MergeChunk[]): boolean =>
  chunks.every(({ kind }) => kind !== 'conflict')

/** Returns the text of chunks without conflicts. */
export function joinChunks(chunks: readonly MergeChunk[], ours: string, theirs: string): string {
  const [mine, other] = [linesOf(ours), linesOf(theirs)]
  let [o, t] = [0, 0]
  return chunks
    .map((chunk) => {
      const part = chunk.kind === 'theirs' ? other.slice(t, t + chunk.theirs) : mine.slice(o, o + chunk.ours)
      o += chunk.ours
      t += chunk.theirs
      return chunk.text ?? part.join('')
    })
    .join('')
}

/** Compares three texts by lines. Returns null if too many lines would have to be compared. */
export function mergeChunks(base: string, ours: string, theirs: string): MergeChunk[] | null {
  const [b, o, t] = [linesOf(base), linesOf(ours), linesOf(theirs)]
  const shortest = Math.min(b.length, o.length, t.length)
  let start = 0
  while (start < shortest && b[start] === o[start] && b[start] === t[start]) start++
  let tail = 0
  const last = (of: readonly string[]): string => required(of[of.length - 1 - tail])
  while (tail < shortest - start && last(b) === last(o) && last(b) === last(t)) tail++
  const changed = (one: readonly string[]): string[] => one.slice(start, one.length - tail)
  const [was, mine, other] = [changed(b), changed(o), changed(t)]
  if (was.length * Math.max(mine.length, other.length) > MAX_PRODUCT) return null
  return [same(start), ...compare(was, mine, other), same(tail)].filter(
    (chunk) => chunk.base + chunk.ours + chunk.theirs > 0,
  )
}

const same = (count: number): MergeChunk => ({ kind: 'same', base: count, ours: count, theirs: count })

/** A range of lines of the base that a side replaced with another range. */
interface Hunk {
  side: 'ours' | 'theirs'
  from: number
  to: number
  ownFrom: number
  ownTo: number
}

function hunksOf(base: string[], own: string[], side: Hunk['side']): Hunk[] {
  return diffIndices(base, own).map(({ buffer1: [from, count], buffer2: [ownFrom, ownCount] }) => ({
    side,
    from,
    to: from + count,
    ownFrom,
    ownTo: ownFrom + ownCount,
  }))
}

/** Joins the hunks of both sides that touch, and returns them as chunks, with the unchanged lines between them. */
function compare(base: string[], ours: string[], theirs: string[]): MergeChunk[] {
  const hunks = [...hunksOf(base, ours, 'ours'), ...hunksOf(base, theirs, 'theirs')].sort((a, b) => a.from - b.from)
  const chunks: MergeChunk[] = []
  const done = { base: 0, ours: 0, theirs: 0 }
  for (let at = 0; at < hunks.length; ) {
    const first = required(hunks[at])
    let to = first.to
    const touching: Hunk[] = []
    for (; at < hunks.length && (touching.length === 0 || required(hunks[at]).from <= to); at++) {
      const hunk = required(hunks[at])
      touching.push(hunk)
      to = Math.max(to, hunk.to)
    }
    const before = first.from - done.base
    if (before > 0) chunks.push(same(before))
    for (const one of ['base', 'ours', 'theirs'] as const) done[one] += before
    const ends = { ours: endOf(touching, 'ours', to), theirs: endOf(touching, 'theirs', to) }
    const mine = ends.ours ?? done.ours + to - first.from
    const other = ends.theirs ?? done.theirs + to - first.from
    const lines = {
      base: base.slice(first.from, to),
      ours: ours.slice(done.ours, mine),
      theirs: theirs.slice(done.theirs, other),
    }
    if (ends.theirs === null) chunks.push(chunkOf('ours', lines))
    else if (ends.ours === null) chunks.push(chunkOf('theirs', lines))
    else chunks.push(...refine(lines))
    Object.assign(done, { base: to, ours: mine, theirs: other })
  }
  if (base.length > done.base) chunks.push(same(base.length - done.base))
  return chunks
}

/** Returns the end of a side's lines for the base's lines up to `to`. Null if the side has no hunk there. */
function endOf(hunks: readonly Hunk[], side: Hunk['side'], to: number): number | null {
  const last = hunks.findLast((one) => one.side === side)
  return last === undefined ? null : last.ownTo + to - last.to
}

type Lines = Readonly<Record<'base' | 'ours' | 'theirs', string[]>>

const chunkOf = (kind: MergeChunk['kind'], { base, ours, theirs }: Lines): MergeChunk => ({
  kind,
  base: base.length,
  ours: ours.length,
  theirs: theirs.length,
})

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, at) => line === b[at])

/** Returns a range that both sides changed. Lines that both sides added, with nothing in the base, are compared. */
function refine(lines: Lines): MergeChunk[] {
  const { base, ours, theirs } = lines
  if (isEqual(ours, theirs)) return [chunkOf('both', lines)]
  if (base.length > 0 || ours.length * theirs.length > MAX_PRODUCT) return [chunkOf('conflict', lines)]
  const chunks: MergeChunk[] = []
  let done = 0
  const both = (count: number): void => {
    if (count > 0) chunks.push({ kind: 'both', base: 0, ours: count, theirs: count })
  }
  for (const { buffer1, buffer2 } of diffIndices(ours, theirs)) {
    both(buffer1[0] - done)
    chunks.push({ kind: 'conflict', base: 0, ours: buffer1[1], theirs: buffer2[1] })
    done = buffer1[0] + buffer1[1]
  }
  both(ours.length - done)
  return chunks
}
