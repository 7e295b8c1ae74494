/** Searches the spaces of a site for a visitor. */
import { digestOf } from '../revisions/computed.js'
import { headOf } from '../revisions/main-content.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { type FoundSpaces, type SearchQuery, searchSpaces } from '../search/search.js'
import { searchablePages } from '../search/update-index.js'
import { type ShownSiteSpace, shownSiteSpaces } from './view.js'
import { pagesFor } from './visitor-pages.js'
import type { Visitor } from './visitor.js'

/** The scope of a search. */
export interface VisitorSearchOptions {
  /** The site spaces to search, of those that the visitor sees. All by default. */
  siteSpaces?: readonly ShownSiteSpace[]
  /** Maximum number of pages per space. */
  pagesOfSpace?: number
}

/**
 * Returns the spaces of a site that a visitor sees and that have matches, with their best pages. Pages with conditional
 * blocks are omitted, since the index contains the text of all blocks.
 */
export function searchForVisitor(
  app: App,
  visitor: Visitor,
  query: SearchQuery,
  { siteSpaces = shownSiteSpaces(visitor.view), pagesOfSpace }: VisitorSearchOptions = {},
): Promise<FoundSpaces> {
  const shown = new Map(siteSpaces.map((one) => [one.entry.space, one]))
  const visible = [...shown.values()].map(({ space }) => space)
  const allowed = async (space: LoadedSpace): Promise<[string, string][] | null> => {
    const siteSpace = shown.get(space.doc.id)
    if (!siteSpace) return null
    const { known, lists, revision } = await pagesFor(app, visitor, siteSpace)
    const { pages } = await searchablePages(app, space, headOf(space))
    return pages.flatMap(({ id, oid }): [string, string][] => {
      const page = revision.structure.byId.get(id)
      if (!page || !lists(page)) return []
      if (page.type === 'generated') return digestOf(page) === oid ? [[id, oid]] : []
      if (page.type !== 'document') return []
      const now = known.get(page.gitPath)
      return now?.oid === oid && !now.page.conditional ? [[id, oid]] : []
    })
  }
  return searchSpaces(app, visitor.site.doc.organization, visible, query, allowed, pagesOfSpace)
}
