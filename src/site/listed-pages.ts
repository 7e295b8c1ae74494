/** The pages of a site that a reader sees in lists, in the order of the table of contents. */
import type { PageEntry } from '../content/types.js'
import { type ShownSiteSpace, shownSiteSpaces } from '../domain/sites/view.js'
import { pagesFor } from '../domain/sites/visitor-pages.js'
import { pathOfPage, type ReadPage } from '../domain/sites/visitor-paths.js'
import type { OpenSpace } from './navigation.js'
import { type PageTree, pageTree } from '../domain/revisions/page-tree.js'
import type { Visit } from './visit.js'

/** A space of a site with the paths of its listed pages. */
export interface ListedSpace extends OpenSpace {
  tree: PageTree
}

/** Opens the spaces of a site that the reader may see, in order, without drafts. */
export async function listedSpaces(visit: Visit): Promise<ListedSpace[]> {
  const found: ListedSpace[] = []
  for (const siteSpace of shownSiteSpaces(visit.visitor.view)) found.push(await listedSpace(visit, siteSpace))
  return found
}

/** Opens one space of a site. */
export async function listedSpace({ app, visitor }: Visit, siteSpace: ShownSiteSpace): Promise<ListedSpace> {
  const pages = await pagesFor(app, visitor, siteSpace)
  return { siteSpace, pages, tree: await pageTree(pages.listed) }
}

/** Returns a listed page in the form for rendering. */
export const pageIn = ({ siteSpace, pages }: OpenSpace, entry: PageEntry): ReadPage => ({
  siteSpace,
  pages,
  entry,
  path: pathOfPage(siteSpace, pages, entry),
})
