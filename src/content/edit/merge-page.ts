import { diff3Merge } from 'node-diff3'
import { findFrontMatter } from './front-matter.js'
import { type Merged, mergeFrontMatter } from './merge-yaml.js'

/** Three versions of a page: the front matter by key, the text after it by lines. A conflict in either is one of the page. */
export function mergePage(base: string, ours: string, theirs: string): Merged {
  const body = mergeLines(bodyOf(base), bodyOf(ours), bodyOf(theirs))
  if (body === null) return { conflict: 'both sides changed the same lines' }
  const head = mergeFrontMatter(base, ours, theirs)
  return 'conflict' in head ? head : { text: head.text.slice(0, findFrontMatter(head.text)?.end ?? 0) + body }
}

const bodyOf = (text: string): string => text.slice(findFrontMatter(text)?.end ?? 0)

/** Line feeds stay with their lines, so that every byte is somebody's. */
const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function mergeLines(base: string, ours: string, theirs: string): string | null {
  if (ours === theirs || theirs === base) return ours
  if (ours === base) return theirs
  const regions = diff3Merge(lines(ours), lines(base), lines(theirs), { excludeFalseConflicts: true })
  return regions.every((region) => region.ok) ? regions.flatMap((region) => region.ok ?? []).join('') : null
}
