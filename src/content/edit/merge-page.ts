// Merges a page with changes on both sides (three-way merge).
import { required } from '../../kernel/defined.js'
import { diff3Merge } from 'node-diff3'
import { findFrontMatterBlock } from './front-matter.js'
import { type Merged, mergeFrontMatter } from './merge-yaml.js'

/**
 * Merges three versions of a page: the front matter by key, the body by lines. A conflict in either part is a conflict
 * of the page.
 */
export function mergePage(base: string, ours: string, theirs: string): Merged {
  const body = mergeLines(bodyOf(base), bodyOf(ours), bodyOf(theirs))
  if (body === null) return { conflict: 'both sides changed the same lines' }
  const head = mergeFrontMatter(base, ours, theirs)
  return 'conflict' in head ? head : { text: head.text.slice(0, findFrontMatterBlock(head.text)?.end ?? 0) + body }
}

const bodyOf = (text: string): string => text.slice(findFrontMatterBlock(text)?.end ?? 0)

/** Splits a text into lines that include their line feeds, so that joining them gives the same bytes. */
const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/**
 * Maximum product of two texts' line counts (between their first and last difference). The comparison time grows with
 * it.
 */
const MAX_PRODUCT = 6_000_000

/** Returns the merged text; null if both sides changed the same lines or too many lines would have to be compared. */
function mergeLines(base: string, ours: string, theirs: string): string | null {
  if (ours === theirs || theirs === base) return ours
  if (ours === base) return theirs
  const [b, o, t] = [lines(base), lines(ours), lines(theirs)]
  const shortest = Math.min(b.length, o.length, t.length)
  let start = 0
  while (start < shortest && b[start] === o[start] && b[start] === t[start]) start++
  let tail = 0
  const last = (of: readonly string[]): string => required(of[of.length - 1 - tail])
  while (tail < shortest - start && last(b) === last(o) && last(b) === last(t)) tail++
  const changed = (one: readonly string[]): string[] => one.slice(start, one.length - tail)
  const [was, mine, other] = [changed(b), changed(o), changed(t)]
  if (was.length * Math.max(mine.length, other.length) > MAX_PRODUCT) return null
  const regions = diff3Merge(mine, was, other, { excludeFalseConflicts: true })
  if (!regions.every((region) => region.ok)) return null
  return [...b.slice(0, start), ...regions.flatMap((region) => region.ok ?? []), ...b.slice(b.length - tail)].join('')
}
