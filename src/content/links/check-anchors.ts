/** Looks up the anchors of links. */
import type { UncheckedGraph } from './link-graph.js'
import type { LinkTarget } from './link.js'

/**
 * Finds the anchor that a fragment refers to. Returns null if there is none, and undefined if the file was not read and
 * the anchor is unknown.
 */
export type FindAnchor = (fragment: string) => string | null | undefined

/** Maximum depth of nested includes that are searched. */
const MAX_DEPTH = 5

/** Returns the files in which anchors are looked up: the link targets, and the files that these include. */
export function filesWithAnchors({ pending, includes }: UncheckedGraph): Set<string> {
  const files = new Set<string>()
  let next = pending.map(({ gitPath }) => gitPath)
  for (let depth = 0; depth <= MAX_DEPTH && next.length > 0; depth++) {
    const found = next.filter((path) => !files.has(path))
    for (const path of found) files.add(path)
    next = found.flatMap((path) => includes.get(path) ?? [])
  }
  return files
}

/**
 * Stores the anchor in each link, or the problem that it is missing. The anchors of included content also belong to the
 * including page. Yields once per link.
 */
export function* checkAnchors(graph: UncheckedGraph, find: ReadonlyMap<string, FindAnchor>): Generator<void> {
  const known = new Map<string, string | null | undefined>()
  for (const { link, gitPath, fragment } of graph.pending) {
    const key = `${gitPath}#${fragment}`
    if (!known.has(key)) known.set(key, findIn(gitPath, fragment, graph.includes, find))
    const anchor = known.get(key)
    if (anchor === null) link.problem = 'anchor'
    else link.to = { ...(link.to as Extract<LinkTarget, { kind: 'page' | 'file' }>), anchor: anchor ?? fragment }
    yield
  }
}

/**
 * Looks up an anchor in a file, then in the files that it includes. If one of them was not read, the result is unknown.
 */
function findIn(
  gitPath: string,
  fragment: string,
  includes: UncheckedGraph['includes'],
  find: ReadonlyMap<string, FindAnchor>,
): string | null | undefined {
  const seen = new Set([gitPath])
  let result: null | undefined = null
  for (const path of seen) {
    const anchor = find.get(path)?.(fragment)
    if (typeof anchor === 'string') return anchor
    if (anchor === undefined) result = undefined
    // Limit the search to the files from `filesWithAnchors`.
    for (const included of includes.get(path) ?? []) if (find.has(included)) seen.add(included)
  }
  return result
}
