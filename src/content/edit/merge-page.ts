// Merges a page with changes on both sides (three-way merge).
import { findFrontMatterBlock } from './front-matter.js'
import { isMergedCleanly, joinChunks, type MergeChunk, mergeChunks, linesOf } from './merge-chunks.js'
import { type Merged, mergeFrontMatter } from './merge-yaml.js'

/**
 * Merges three versions of a page: the front matter by key, the body by lines. A conflict in either part is a conflict
 * of the page.
 */
export function mergePage(base: string, ours: string, theirs: string): Merged {
  const body = mergeLines(bodyOf(base), bodyOf(ours), bodyOf(theirs))
  if (body === null) return { conflict: 'both sides changed the same lines' }
  const head = mergeFrontMatter(base, ours, theirs)
  return 'conflict' in head ? head : { text: headOf(head.text) + body }
}

const headOf = (text: string): string => text.slice(0, findFrontMatterBlock(text)?.end ?? 0)
const bodyOf = (text: string): string => text.slice(findFrontMatterBlock(text)?.end ?? 0)

/** Returns the merged text; null if both sides changed the same lines or too many lines would have to be compared. */
function mergeLines(base: string, ours: string, theirs: string): string | null {
  if (ours === theirs || theirs === base) return ours
  if (ours === base) return theirs
  const chunks = mergeChunks(base, ours, theirs)
  return chunks !== null && isMergedCleanly(chunks) ? joinChunks(chunks, ours, theirs) : null
}

/**
 * Returns the chunks of a three-way merge of a page. If the front matter merges by key, it is one chunk with the merged
 * text. Null if too many lines would have to be compared.
 */
export function pageChunks(base: string, ours: string, theirs: string): MergeChunk[] | null {
  const heads = [base, ours, theirs].map(headOf)
  const [was = '', mine = '', other = ''] = heads
  if (was === mine && was === other) return mergeChunks(base, ours, theirs)
  const head = mergeFrontMatter(base, ours, theirs)
  if ('conflict' in head) return mergeChunks(base, ours, theirs)
  const body = mergeChunks(bodyOf(base), bodyOf(ours), bodyOf(theirs))
  if (body === null) return null
  const [b = 0, o = 0, t = 0] = heads.map((one) => linesOf(one).length)
  return [{ kind: 'merged', base: b, ours: o, theirs: t, text: headOf(head.text) }, ...body]
}
