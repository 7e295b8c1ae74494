/** Looks up the anchors that links name. */
import type { UncheckedGraph } from './link-graph.js'
import type { LinkTarget } from './link.js'

/** Finds the anchor that a fragment leads to; null = there is none, undefined = the file was not read, so nobody can tell. */
export type FindAnchor = (fragment: string) => string | null | undefined

/** How deep included content may include more that is looked at. */
const MAX_DEPTH = 5

/** The files in which anchors are looked up: those that links name, and what these include. */
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
 * Writes into each link the anchor that it leads to, or that there is none. The anchors of what a page includes are the page's too.
 * Yields once per link.
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

/** Looks into a file, then into what it includes. If one of them was not read, nobody can tell. */
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
    // bound: the files of filesWithAnchors
    for (const included of includes.get(path) ?? []) if (find.has(included)) seen.add(included)
  }
  return result
}
