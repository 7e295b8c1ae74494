/** The open space: its document, its pages, its change requests. */
import { api, body, type Schemas } from '../api/client.js'
import { type Loaded, useData } from '../api/data.js'

export type Space = Schemas['Space']
export type Page = Schemas['Page']

/** Loads a space. */
export const useSpace = (spaceId: string): Loaded<Space> =>
  useData(`space/${spaceId}`, () => body(api.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } })))

/** The version of a text: the main content, a change request, or a past revision. */
export interface Place {
  spaceId: string
  changeRequest?: string
  revision?: string
}

/** The key of loaded data of a place. `reload('space/<id>/')` loads all of a space again. */
export const keyOf = ({ spaceId, changeRequest, revision }: Place): string =>
  `space/${spaceId}/${changeRequest === undefined ? (revision === undefined ? 'main' : `at/${revision}`) : `c/${changeRequest}`}`

/** Loads the page tree of a place. */
export const usePages = (place: Place): Loaded<Page[]> => useData(`${keyOf(place)}/pages`, () => loadPages(place))

async function loadPages({ spaceId, changeRequest, revision }: Place): Promise<Page[]> {
  const query = { metadata: false }
  if (changeRequest !== undefined)
    return (
      await body(
        api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', {
          params: { path: { spaceId, changeRequestId: changeRequest }, query },
        }),
      )
    ).pages
  if (revision !== undefined)
    return (
      await body(
        api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/pages', {
          params: { path: { spaceId, revisionId: revision }, query },
        }),
      )
    ).pages
  return (await body(api.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId }, query } }))).pages
}

/** Loads the rendered blocks of a page. A null page loads nothing. */
export const useRendered = (place: Place, page: string | null): Loaded<Schemas['RenderedPage']> =>
  useData(page === null ? null : `${keyOf(place)}/rendered/${page}`, () => loadRendered(place, page ?? ''))

function loadRendered({ spaceId, changeRequest, revision }: Place, pageId: string) {
  if (changeRequest !== undefined)
    return body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/rendered', {
        params: { path: { spaceId, changeRequestId: changeRequest, pageId } },
      }),
    )
  if (revision !== undefined)
    return body(
      api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/rendered', {
        params: { path: { spaceId, revisionId: revision, pageId } },
      }),
    )
  return body(api.GET('/v1/spaces/{spaceId}/content/page/{pageId}/rendered', { params: { path: { spaceId, pageId } } }))
}

/** Loads the last change of each block of a page. A null page loads nothing. */
export const useBlockChanges = (place: Place, page: string | null): Loaded<Schemas['PageBlockChanges']> =>
  useData(page === null ? null : `${keyOf(place)}/block-changes/${page}`, () => loadBlockChanges(place, page ?? ''))

const loadBlockChanges = ({ spaceId, revision }: Place, pageId: string) =>
  revision === undefined
    ? body(
        api.GET('/v1/spaces/{spaceId}/content/page/{pageId}/block-changes', { params: { path: { spaceId, pageId } } }),
      )
    : body(
        api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/block-changes', {
          params: { path: { spaceId, revisionId: revision, pageId } },
        }),
      )

/** Finds a page in a tree, with the pages above it. */
export function findPage(
  pages: readonly Page[],
  id: string,
  above: readonly Page[] = [],
): { page: Page; above: readonly Page[] } | null {
  for (const page of pages) {
    if (page.id === id) return { page, above }
    const found = findPage(page.pages, id, [...above, page])
    if (found) return found
  }
  return null
}

/** Lists the pages that have a text, in the order of the table of contents. */
export const pagesWithText = (pages: readonly Page[]): Page[] =>
  pages.flatMap((page) => [
    ...(page.type === 'document' || page.type === 'computed' ? [page] : []),
    ...pagesWithText(page.pages),
  ])
