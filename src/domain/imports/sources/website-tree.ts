/** Arranges the pages of a website as a tree by path, in the order of the website. */
import { keyOf, type SourcePage } from '../source-page.js'
import type { Scope } from './scope.js'

/** Maximum depth of the tree. Deeper pages become top-level pages, since readers do not find them otherwise. */
const MAX_LEVELS = 8

const pathOf = (page: SourcePage): string => {
  const { pathname } = new URL(page.url)
  return pathname
    .replace(/\/index\.(html?|php)$/i, '/')
    .replace(/\.(html?|php|aspx?)$/i, '')
    .replace(/\/+$/, '')
}

/**
 * Returns the name of a page's file: the part of its path below its parent, or its title for the first page of a site.
 */
function nameOf(page: SourcePage, above: string): string {
  const rest = pathOf(page).slice(above.length).replace(/^\/+/, '').replaceAll('/', '-')
  try {
    return decodeURIComponent(rest) || page.title
  } catch {
    return rest
  }
}

/**
 * Builds the tree. A page's parent is the page whose path is the longest prefix of its path. `order` has positions of
 * pages by key; other pages follow in the order in which they were found.
 */
export function treeOfWebsite(
  pages: readonly SourcePage[],
  { prefix }: Scope,
  order: ReadonlyMap<string, number>,
): SourcePage[] {
  const byPath = new Map(pages.map((page) => [pathOf(page), page]))
  const levels = new Map<SourcePage, number>()
  const found = new Map(pages.map((page, at) => [page, at]))
  const roots: SourcePage[] = []
  for (const page of [...pages].sort((a, b) => pathOf(a).length - pathOf(b).length)) {
    const parent = ancestorOf(pathOf(page), prefix, byPath)
    page.name = nameOf(page, parent ? pathOf(parent) : prefix.slice(0, prefix.lastIndexOf('/') + 1))
    const level = parent ? (levels.get(parent) ?? 0) + 1 : 0
    levels.set(page, level)
    if (parent && level <= MAX_LEVELS) parent.children.push(page)
    else roots.push(page)
  }
  const positionOf = (page: SourcePage): number =>
    order.get(keyOf(page.url)) ?? pages.length * 100 + (found.get(page) ?? 0)
  const sort = (siblings: SourcePage[]): void => {
    siblings.sort((a, b) => positionOf(a) - positionOf(b))
    for (const { children } of siblings) sort(children)
  }
  sort(roots)
  return roots
}

function ancestorOf(path: string, prefix: string, byPath: ReadonlyMap<string, SourcePage>): SourcePage | null {
  for (let at = path; at.length > prefix.length; ) {
    at = at.slice(0, at.lastIndexOf('/'))
    const found = byPath.get(at)
    if (found) return found
  }
  return null
}
