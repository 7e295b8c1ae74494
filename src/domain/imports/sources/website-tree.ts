/** Puts the pages of a website into a tree by their paths, in the order in which the website lists them. */
import { keyOf, type SourcePage } from '../source-page.js'
import type { Scope } from './scope.js'

/** Deeper pages are put beside their ancestors: nobody finds a page ten levels down. */
const MAX_LEVELS = 8

const pathOf = (page: SourcePage): string => {
  const { pathname } = new URL(page.url)
  return pathname
    .replace(/\/index\.(html?|php)$/i, '/')
    .replace(/\.(html?|php|aspx?)$/i, '')
    .replace(/\/+$/, '')
}

/** The name of a page's file: what its path has beyond that of the page above it, or its title for the first page of a site. */
function nameOf(page: SourcePage, above: string): string {
  const rest = pathOf(page).slice(above.length).replace(/^\/+/, '').replaceAll('/', '-')
  try {
    return decodeURIComponent(rest) || page.title
  } catch {
    return rest
  }
}

/** The tree: a page is below the page whose path begins its own. `order`: the places of pages, by key; others come after, as they were found. */
export function treeOfWebsite(
  pages: readonly SourcePage[],
  { prefix }: Scope,
  order: ReadonlyMap<string, number>,
): SourcePage[] {
  const byPath = new Map(pages.map((page) => [pathOf(page), page]))
  const placed = new Map<SourcePage, number>()
  const found = new Map(pages.map((page, at) => [page, at]))
  const roots: SourcePage[] = []
  for (const page of [...pages].sort((a, b) => pathOf(a).length - pathOf(b).length)) {
    const parent = ancestorOf(pathOf(page), prefix, byPath)
    page.name = nameOf(page, parent ? pathOf(parent) : prefix.slice(0, prefix.lastIndexOf('/') + 1))
    const level = parent ? (placed.get(parent) ?? 0) + 1 : 0
    placed.set(page, level)
    if (parent && level <= MAX_LEVELS) parent.children.push(page)
    else roots.push(page)
  }
  const placeOf = (page: SourcePage): number =>
    order.get(keyOf(page.url)) ?? pages.length * 100 + (found.get(page) ?? 0)
  const sort = (siblings: SourcePage[]): void => {
    siblings.sort((a, b) => placeOf(a) - placeOf(b))
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
